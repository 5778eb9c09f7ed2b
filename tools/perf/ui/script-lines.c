// SPDX-License-Identifier: GPL-2.0
#include "ui/script-lines.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/pages.h"

#define ROOM (24 << 20) /* bytes */
#define MAX_KEPT (ROOM / 16) /* what is longer would only drive out the others */
#define MAX_MASKS 8
#define NR_SLOTS (1 << 17) /* as many locations as a resolver remembers */

/* Notes and slots have the owner of their mask; the value of a note is the offset of its list. */
struct slot {
	u64 owner;
	u32 number; /* of the frame */
	u32 offset, len;
};

struct script_lines {
	char *room;
	size_t used;
	bool full;
	struct slot *slot; /* NR_SLOTS; the place is that of the number */
	u32 nr_masks;
	u64 mask[MAX_MASKS], owner[MAX_MASKS];
};

struct script_lines *script_lines__new(void)
{
	struct script_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->room = pages__new(ROOM);
	l->slot = pages__new(NR_SLOTS * sizeof(*l->slot));
	if (l->room && l->slot)
		return l;
	script_lines__delete(l);
	return NULL;
}

void script_lines__delete(struct script_lines *l)
{
	if (!l)
		return;
	pages__delete(l->slot, NR_SLOTS * sizeof(*l->slot));
	pages__delete(l->room, ROOM);
	free(l);
}

bool script_lines__is_full(const struct script_lines *l)
{
	return l->full;
}

void script_lines__empty(struct script_lines *l)
{
	l->used = 0;
	l->full = false;
	l->nr_masks = 0;
}

/* 0: there is none */
static u64 owner_of(const struct script_lines *l, u64 mask)
{
	for (u32 i = 0; i < l->nr_masks; i++) {
		if (l->mask[i] == mask)
			return l->owner[i];
	}
	return 0;
}

static u64 get_owner(struct script_lines *l, u64 mask)
{
	u64 owner = owner_of(l, mask);

	if (owner || l->nr_masks == MAX_MASKS)
		return owner;
	l->mask[l->nr_masks] = mask;
	return l->owner[l->nr_masks++] = chain_note__new_owner();
}

const struct kept_lines *script_lines__find_list(struct script_lines *l, const struct chain_note *note, u64 mask)
{
	if (!note || !note->owner || note->owner != owner_of(l, mask))
		return NULL;
	return (const struct kept_lines *)(l->room + note->value);
}

static struct slot *slot_of(const struct script_lines *l, const struct location *frame)
{
	return &l->slot[frame->number % NR_SLOTS];
}

bool script_lines__find_frame(struct script_lines *l, const struct location *frame, u64 mask, struct kept_line *line)
{
	const struct slot *slot = slot_of(l, frame);

	if (!frame->number || slot->number != frame->number || slot->owner != owner_of(l, mask))
		return false;
	*line = (struct kept_line){ l->room + slot->offset, slot->len };
	return true;
}

void script_lines__note_frame(struct script_lines *l, const struct location *frame, u64 mask, const struct kept_line *line)
{
	u64 owner = get_owner(l, mask);

	if (frame->number && owner)
		*slot_of(l, frame) = (struct slot){ owner, frame->number, line->text - l->room, line->len };
}

static void *get_room(struct script_lines *l, size_t size, size_t align)
{
	size_t start = ALIGN_UP(l->used, align);

	if (size > MAX_KEPT)
		return NULL;
	l->full |= start > ROOM || size > ROOM - start;
	if (l->full)
		return NULL;
	l->used = start + size;
	return l->room + start;
}

bool script_lines__keep(struct script_lines *l, const char *text, size_t len, struct kept_line *line)
{
	char *room = get_room(l, ALIGN_UP(len, KEPT_UNIT), KEPT_UNIT);

	if (!room)
		return false;
	memcpy(room, text, len);
	*line = (struct kept_line){ room, len };
	return true;
}

const struct kept_lines *script_lines__keep_list(struct script_lines *l, struct chain_note *note, u64 mask,
						 const struct kept_line *line, u32 nr)
{
	struct kept_lines *list = get_room(l, sizeof(*list) + nr * sizeof(list->line[0]), _Alignof(struct kept_lines));
	u64 owner = get_owner(l, mask);

	if (!list)
		return NULL;
	list->nr = nr;
	for (u32 i = 0; i < nr; i++) {
		list->line[i].len = line[i].len;
		list->line[i].text = line[i].text - (const char *)list;
	}
	if (owner)
		*note = (struct chain_note){ .owner = owner, .value = (char *)list - l->room };
	return list;
}
