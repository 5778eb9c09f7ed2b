// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/hash.h"
#include "util/lib/types.h"

struct sched_stacks { /* one of them */
	UT_hash_handle hh;
	struct sched_frames frames;
};

static bool is_switching(const char *name)
{
	static const char *const names[] = { "schedule", "__schedule", "preempt_schedule" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (name && !strcmp(name, names[i]))
			return true;
	}
	return false;
}

static struct sched_stacks *add(struct sched_stacks **stacks, const struct sched_frames *frames)
{
	struct sched_stacks *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->frames = *frames;
	HASH_ADD(hh, *stacks, frames, sizeof(stack->frames), stack);
	if (hash_added(stack))
		return stack;
	free(stack);
	return NULL;
}

int sched_stacks__find(struct sched_stacks **stacks, const struct callchain *chain, u32 max, const struct sched_frames **found)
{
	struct sched_frames frames;
	struct sched_stacks *stack;

	*found = NULL;
	if (!chain)
		return 0;
	memset(&frames, 0, sizeof(frames));
	for (u32 i = 0; i < chain->nr && frames.nr < max && frames.nr < SCHED_MAX_FRAMES; i++) {
		const char *name = chain->frame[i].sym ? chain->frame[i].sym->name : NULL;

		if (!is_switching(name))
			frames.name[frames.nr++] = name;
	}
	if (!frames.nr)
		return 0;
	HASH_FIND(hh, *stacks, &frames, sizeof(frames), stack);
	if (!stack)
		stack = add(stacks, &frames);
	*found = stack ? &stack->frames : NULL;
	return stack ? 0 : -ENOMEM;
}

void sched_stacks__delete(struct sched_stacks *stacks)
{
	struct sched_stacks *stack, *next;

	HASH_ITER(hh, stacks, stack, next) {
		HASH_DEL(stacks, stack);
		free(stack);
	}
}
