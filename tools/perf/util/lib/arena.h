/* SPDX-License-Identifier: GPL-2.0 */
/* Small objects that live as long as the arena: no overhead for each, and no time to free them. */
#ifndef PERF_LIB_ARENA_H
#define PERF_LIB_ARENA_H

#include <stddef.h>

struct arena { /* starts zeroed */
	struct arena_block *blocks;
	size_t left; /* bytes in the first block */
};

/* Aligned to 8 bytes, with any contents. size <= 4096. NULL: no memory. */
void *arena__add(struct arena *arena, size_t size);
void arena__exit(struct arena *arena); /* ends all objects */

#endif
