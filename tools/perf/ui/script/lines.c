// SPDX-License-Identifier: GPL-2.0
#include "ui/script/lines.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/number-table.h"
#include "util/lib/pages.h"

/* Bytes for single lines, and for several lines, which change more often: at first, and at most, see __widen(). */
#define FRAMES_ROOM (4 << 20)
#define FIRST_LISTS_ROOM (6 << 20)
#define LISTS_ROOM (12 << 20)
#define ALL_ROOM (FRAMES_ROOM + LISTS_ROOM + KEPT_UNIT) /* the last text is read in whole units, too */
#define MAX_KEPT (FRAMES_ROOM / 8) /* longer ones would only evict others */
#define MAX_MASKS 8
#define NR_NUMBERS (1 << 17) /* of frames: as many as the resolver's cache has */

struct part { /* for the output with one mask of fields */
	u64 mask;
	struct number_table callers; /* u64: tokens, by the callers' numbers */
	u64 *frame;	 /* NR_NUMBERS: tokens of frames, by their numbers */
	u64 *code;	 /* NR_NUMBERS: tokens of ends of lines, by numbers of code from code_range * NR_NUMBERS on; NULL: none */
	u32 code_range;
};

struct room {
	char *text;
	size_t used, size;
	bool full;
};

struct script_lines {
	char *all; /* memory of both rooms */
	struct room frames, lists;
	u32 nr_lists; /* texts of callers that were kept since the last __empty() or __forget_callers() */
	bool full; /* a room is full, or there are more numbers than slots */
	u32 range, next_range; /* numbers from range * NR_NUMBERS on are kept, and from next_range on after the next time it is emptied */
	u32 nr_parts;
	struct part part[MAX_MASKS];
};

struct script_lines *script_lines__new(void)
{
	struct script_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->all = pages__new(ALL_ROOM);
	l->frames = (struct room){ .text = l->all, .size = FRAMES_ROOM };
	l->lists = (struct room){ .text = l->all + FRAMES_ROOM, .size = FIRST_LISTS_ROOM };
	if (l->all)
		return l;
	free(l);
	return NULL;
}

static void free_parts(struct script_lines *l)
{
	for (u32 i = 0; i < l->nr_parts; i++) {
		pages__delete(l->part[i].frame, NR_NUMBERS * sizeof(*l->part[i].frame));
		pages__delete(l->part[i].code, NR_NUMBERS * sizeof(*l->part[i].code));
		number_table__exit(&l->part[i].callers);
	}
	l->nr_parts = 0;
}

void script_lines__delete(struct script_lines *l)
{
	if (!l)
		return;
	free_parts(l);
	pages__delete(l->all, ALL_ROOM);
	free(l);
}

bool script_lines__is_full(const struct script_lines *l)
{
	return l->full;
}

static void room__empty(struct room *room)
{
	room->used = 0;
	room->full = false;
}

/* Of many callers few come again soon, as of processes that end: then more room only takes memory. */
#define REPEATED_PART 4

bool script_lines__widen(struct script_lines *l, u32 nr_seen)
{
	if (!l->lists.full || l->frames.full || l->next_range != l->range || l->lists.size == LISTS_ROOM || l->nr_lists < nr_seen / REPEATED_PART)
		return false;
	l->lists.size = LISTS_ROOM;
	l->lists.full = l->full = false;
	return true;
}

void script_lines__forget_callers(struct script_lines *l)
{
	l->nr_lists = 0;
}

void script_lines__empty(struct script_lines *l)
{
	bool lists_only = !l->frames.full && l->next_range == l->range;

	room__empty(&l->lists);
	l->full = false;
	l->nr_lists = 0;
	for (u32 i = 0; i < l->nr_parts; i++)
		number_table__empty(&l->part[i].callers);
	if (lists_only)
		return;
	free_parts(l);
	room__empty(&l->frames);
	l->range = l->next_range;
}

static struct part *find_part(const struct script_lines *l, u64 mask)
{
	for (u32 i = 0; i < l->nr_parts; i++) {
		if (l->part[i].mask == mask)
			return (struct part *)&l->part[i];
	}
	return NULL;
}

static struct part *get_part(struct script_lines *l, u64 mask)
{
	struct part *found = find_part(l, mask), *part = &l->part[l->nr_parts];

	if (found || l->nr_parts == MAX_MASKS)
		return found;
	*part = (struct part){ .mask = mask, .callers.size = sizeof(u64),
			       .frame = pages__new(NR_NUMBERS * sizeof(*part->frame)) };
	if (!part->frame)
		return NULL;
	l->nr_parts++;
	return part;
}

struct kept_text script_lines__text(const struct script_lines *l, u64 token)
{
	return (struct kept_text){ .text = l->all + (u32)token - 1, .len = token >> 32 };
}

/* The offset in the low half, from 1 on, the length in the high half. */
static u64 keep(struct script_lines *l, struct room *room, const char *text, size_t len)
{
	char *to = room->text + room->used;

	if (len > MAX_KEPT)
		return 0;
	room->full |= len > room->size - room->used;
	l->full |= room->full;
	if (l->full)
		return 0;
	room->used += len;
	if (len)
		memcpy(to, text, len);
	return (u64)len << 32 | (to - l->all + 1);
}

u64 script_lines__find(const struct script_lines *l, u32 callers, u64 mask)
{
	const struct part *part = callers ? find_part(l, mask) : NULL;
	const u64 *token = part ? number_table__find(&part->callers, callers) : NULL;

	return token ? *token : 0;
}

u64 script_lines__keep(struct script_lines *l, u32 callers, u64 mask, const char *text, size_t len)
{
	u64 token = keep(l, &l->lists, text, len), *kept;
	struct part *part = token && callers ? get_part(l, mask) : NULL;

	l->nr_lists += !!token;
	kept = part ? number_table__get(&part->callers, callers) : NULL;
	if (kept)
		*kept = token;
	return token;
}

struct frame_lines script_lines__frames(struct script_lines *l, u64 mask)
{
	const struct part *part = get_part(l, mask);

	return (struct frame_lines){ part ? part->frame : NULL, l->range * NR_NUMBERS, NR_NUMBERS };
}

/* Numbers only grow: higher ones take over all slots. Lines of lower ones are not found any more. */
static void note_frame(struct script_lines *l, u32 number, u64 mask, u64 token)
{
	const struct part *part = get_part(l, mask);
	u32 range = number / NR_NUMBERS;

	if (!part || !number)
		return;
	if (range == l->range) {
		part->frame[number % NR_NUMBERS] = token;
	} else if (range > l->next_range) {
		l->next_range = range;
		l->full = true;
	}
}

u64 script_lines__keep_frame(struct script_lines *l, u32 number, u64 mask, const char *text, size_t len)
{
	u64 token = keep(l, &l->frames, text, len);

	if (token)
		note_frame(l, number, mask, token);
	return token;
}

u64 script_lines__find_code(const struct script_lines *l, u32 code, u64 mask)
{
	const struct part *part = find_part(l, mask);

	return part && part->code && code / NR_NUMBERS == part->code_range ? part->code[code % NR_NUMBERS] : 0;
}

/* Higher numbers take over all slots here, too. */
void script_lines__note_code(struct script_lines *l, u32 code, u64 mask, u64 token)
{
	struct part *part = get_part(l, mask);
	u32 range = code / NR_NUMBERS;

	if (!part)
		return;
	if (part->code && range > part->code_range)
		memset(part->code, 0, NR_NUMBERS * sizeof(*part->code));
	if (!part->code)
		part->code = pages__new(NR_NUMBERS * sizeof(*part->code));
	if (!part->code || range < part->code_range)
		return;
	part->code_range = range;
	part->code[code % NR_NUMBERS] = token;
}

u64 script_lines__keep_code(struct script_lines *l, u32 code, u64 mask, const char *text, size_t len)
{
	u64 token = keep(l, &l->frames, text, len);

	if (token)
		script_lines__note_code(l, code, mask, token);
	return token;
}
