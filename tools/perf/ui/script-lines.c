// SPDX-License-Identifier: GPL-2.0
#include "ui/script-lines.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/pages.h"

#define ROOM (24 << 20) /* bytes */
#define MAX_KEPT (ROOM / 16) /* what is longer would only drive out the others */
#define MAX_MASKS 8
#define NR_NUMBERS (1 << 17) /* of frames: as many as a resolver remembers */
#define PLACE_UNIT 4 /* bytes */

/* Of what prints the fields of one mask. Places in the room are in units, plus 1; 0: there is nothing. */
struct part {
	u64 mask, owner; /* of notes, whose value is the place of a list */
	u32 *place;	 /* NR_NUMBERS: of the lines of frames, by their numbers */
};

struct script_lines {
	char *room;
	size_t used;
	bool full;
	u32 range, next_range; /* numbers from range * NR_NUMBERS on are those of frames that are kept, when it was emptied of next_range */
	u32 nr_parts;
	struct part part[MAX_MASKS];
};

struct script_lines *script_lines__new(void)
{
	struct script_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->room = pages__new(ROOM);
	if (l->room)
		return l;
	free(l);
	return NULL;
}

static void free_parts(struct script_lines *l)
{
	for (u32 i = 0; i < l->nr_parts; i++)
		pages__delete(l->part[i].place, NR_NUMBERS * sizeof(*l->part[i].place));
	l->nr_parts = 0;
}

void script_lines__delete(struct script_lines *l)
{
	if (!l)
		return;
	free_parts(l);
	pages__delete(l->room, ROOM);
	free(l);
}

bool script_lines__is_full(const struct script_lines *l)
{
	return l->full;
}

void script_lines__empty(struct script_lines *l)
{
	free_parts(l);
	l->used = 0;
	l->full = false;
	l->range = l->next_range;
}

static const struct part *find_part(const struct script_lines *l, u64 mask)
{
	for (u32 i = 0; i < l->nr_parts; i++) {
		if (l->part[i].mask == mask)
			return &l->part[i];
	}
	return NULL;
}

static const struct part *get_part(struct script_lines *l, u64 mask)
{
	const struct part *found = find_part(l, mask);
	struct part *part = &l->part[l->nr_parts];

	if (found || l->nr_parts == MAX_MASKS)
		return found;
	*part = (struct part){ .mask = mask, .owner = chain_note__new_owner(),
			       .place = pages__new(NR_NUMBERS * sizeof(*part->place)) };
	if (!part->place)
		return NULL;
	l->nr_parts++;
	return part;
}

static u32 place_of(const struct script_lines *l, const struct kept_lines *lines)
{
	return ((const char *)lines - l->room) / PLACE_UNIT + 1;
}

static const struct kept_lines *lines_at(const struct script_lines *l, u32 place)
{
	return place ? (const struct kept_lines *)(l->room + (size_t)(place - 1) * PLACE_UNIT) : NULL;
}

const struct kept_lines *script_lines__find_list(const struct script_lines *l, const struct chain_note *note, u64 mask)
{
	const struct part *part = note ? find_part(l, mask) : NULL;

	return part && note->owner == part->owner ? lines_at(l, note->value) : NULL;
}

const struct kept_lines *script_lines__find_frame(const struct script_lines *l, const struct location *frame, u64 mask)
{
	const struct part *part = find_part(l, mask);

	if (!part || frame->number / NR_NUMBERS != l->range)
		return NULL;
	return lines_at(l, part->place[frame->number % NR_NUMBERS]);
}

/* Numbers only grow: when higher ones come, all places are for those. Lines of lower ones are not found any more. */
void script_lines__note_frame(struct script_lines *l, const struct location *frame, u64 mask, const struct kept_lines *line)
{
	const struct part *part = get_part(l, mask);
	u32 range = frame->number / NR_NUMBERS;

	if (!part || !frame->number)
		return;
	if (range == l->range) {
		part->place[frame->number % NR_NUMBERS] = place_of(l, line);
	} else if (range > l->next_range) {
		l->next_range = range;
		l->full = true;
	}
}

static void *get_room(struct script_lines *l, size_t size)
{
	void *room = l->room + l->used;

	if (size > MAX_KEPT)
		return NULL;
	l->full |= size > ROOM - l->used;
	if (l->full)
		return NULL;
	l->used += ALIGN_UP(size, PLACE_UNIT);
	return room;
}

const struct kept_lines *script_lines__keep(struct script_lines *l, const char *text, size_t len)
{
	struct kept_lines *lines = get_room(l, sizeof(*lines) + sizeof(lines->line[0]) + ALIGN_UP(len, KEPT_UNIT));

	if (!lines)
		return NULL;
	lines->nr = 1;
	lines->line[0].len = len;
	lines->line[0].text = sizeof(*lines) + sizeof(lines->line[0]);
	memcpy(&lines->line[1], text, len);
	return lines;
}

const struct kept_lines *script_lines__keep_list(struct script_lines *l, struct chain_note *note, u64 mask,
						 const struct kept_lines *const *line, u32 nr)
{
	struct kept_lines *lines = get_room(l, sizeof(*lines) + nr * sizeof(lines->line[0]));
	const struct part *part = get_part(l, mask);

	if (!lines)
		return NULL;
	lines->nr = nr;
	for (u32 i = 0; i < nr; i++) {
		lines->line[i].len = line[i]->line[0].len;
		lines->line[i].text = kept_lines__text(line[i], 0) - (const char *)lines;
	}
	if (part)
		*note = (struct chain_note){ .owner = part->owner, .value = place_of(l, lines) };
	return lines;
}
