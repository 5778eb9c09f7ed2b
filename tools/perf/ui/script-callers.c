// SPDX-License-Identifier: GPL-2.0
#include "ui/script-callers.h"

#include <stdlib.h>

#define NR_SLOTS (1 << 16)
#define ROOM (32 << 20) /* bytes of lines */

struct slot {
	u32 callers; /* 0: empty */
	u32 offset, len;
	u64 mask;
};

struct script_callers {
	struct slot slot[NR_SLOTS]; /* by the last bits of callers */
	char *lines;
	u32 used;
};

struct script_callers *script_callers__new(void)
{
	struct script_callers *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->lines = malloc(ROOM);
	if (!c->lines) {
		free(c);
		return NULL;
	}
	return c;
}

void script_callers__delete(struct script_callers *c)
{
	if (!c)
		return;
	free(c->lines);
	free(c);
}

const char *script_callers__find(const struct script_callers *c, u32 callers, u64 mask, size_t *len)
{
	const struct slot *slot = &c->slot[callers % NR_SLOTS];

	if (slot->callers != callers || slot->mask != mask)
		return NULL;
	*len = slot->len;
	return c->lines + slot->offset;
}

void script_callers__add(struct script_callers *c, u32 callers, u64 mask, const char *lines, size_t len)
{
	if (len > ROOM / 16) /* would only drive out the others */
		return;
	if (c->used + len > ROOM) {
		memset(c->slot, 0, sizeof(c->slot));
		c->used = 0;
	}
	memcpy(c->lines + c->used, lines, len);
	c->slot[callers % NR_SLOTS] = (struct slot){ .callers = callers, .mask = mask, .offset = c->used, .len = len };
	c->used += len;
}
