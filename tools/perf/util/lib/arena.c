// SPDX-License-Identifier: GPL-2.0
#include "util/lib/arena.h"

#include <stdlib.h>

#include "util/lib/types.h"

#define BLOCK_SIZE (64 << 10) /* unused pages of a block take no memory */

struct arena_block {
	struct arena_block *next;
	u64 room[BLOCK_SIZE / sizeof(u64) - 4]; /* minus the overhead of malloc() */
};

void *arena__add(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;

	size = (size + sizeof(u64) - 1) / sizeof(u64) * sizeof(u64);
	if (size > arena->left) {
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->left = sizeof(block->room);
	}
	arena->left -= size;
	return (char *)block->room + arena->left;
}

void arena__exit(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->left = 0;
}
