// SPDX-License-Identifier: GPL-2.0
#include "ui/script-lines.h"

#include <stdlib.h>

#include "util/lib/pages.h"

#define ROOM (16 << 20) /* bytes */

struct lines {
	u64 mask;
	u32 len;
	char text[];
};

struct script_lines {
	u64 owner; /* of the notes, whose values are offsets in room; another one after it was emptied */
	size_t used;
	char *room;
};

struct script_lines *script_lines__new(void)
{
	struct script_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->owner = chain_note__new_owner();
	l->room = pages__new(ROOM);
	if (!l->room) {
		free(l);
		return NULL;
	}
	return l;
}

void script_lines__delete(struct script_lines *l)
{
	if (!l)
		return;
	pages__delete(l->room, ROOM);
	free(l);
}

bool script_lines__put(const struct script_lines *l, const struct chain_note *note, u64 mask, struct text *text)
{
	const struct lines *lines;

	if (!note || note->owner != l->owner)
		return false;
	lines = (const struct lines *)(l->room + note->value);
	if (lines->mask != mask)
		return false;
	text__put(text, lines->text, lines->len);
	return true;
}

void script_lines__keep(struct script_lines *l, struct chain_note *note, u64 mask, const struct text *text, size_t start)
{
	size_t len = text->len - start, size = ALIGN_UP(sizeof(struct lines) + len, sizeof(u64));
	struct lines *lines;

	if (!note || text->failed || size > ROOM / 16) /* would only drive out the others */
		return;
	if (size > ROOM - l->used) {
		l->owner = chain_note__new_owner();
		l->used = 0;
	}
	*note = (struct chain_note){ l->owner, l->used };
	lines = (struct lines *)(l->room + l->used);
	lines->mask = mask;
	lines->len = len;
	memcpy(lines->text, text->buf + start, len);
	l->used += size;
}
