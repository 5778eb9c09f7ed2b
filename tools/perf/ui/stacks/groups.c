// SPDX-License-Identifier: GPL-2.0
#include "ui/stacks/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"

struct stacks_groups {
	struct stacks_group **group;
	u32 nr, room;
	struct hash_index index;
};

struct stacks_groups *stacks_groups__new(void)
{
	return calloc(1, sizeof(struct stacks_groups));
}

void stacks_groups__delete(struct stacks_groups *g)
{
	if (!g)
		return;
	for (u32 i = 0; i < g->nr; i++) {
		for (u32 j = 0; j < g->group[i]->nr_waits; j++)
			free(g->group[i]->wait[j].text);
		free(g->group[i]->wait);
		hash_index__exit(&g->group[i]->waits);
		free((void *)g->group[i]->frame);
		free(g->group[i]->thread);
		free(g->group[i]);
	}
	free(g->group);
	hash_index__exit(&g->index);
	free(g);
}

/* Finding */

static bool is_same_frame(const struct location *a, const struct location *b)
{
	return a->dso == b->dso && a->sym == b->sym && a->sym_addr == b->sym_addr && (a->dso || a->addr == b->addr);
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same(const struct stacks_group *group, const struct stacks_group *key)
{
	if (group->state != key->state || group->call != key->call || group->quality != key->quality || group->cut != key->cut ||
	    group->nr_frames != key->nr_frames || !is_same_text(group->comm, key->comm))
		return false;
	for (u32 i = 0; i < key->nr_frames; i++) {
		if (!is_same_frame(&group->frame[i], &key->frame[i]))
			return false;
	}
	return true;
}

static u32 hash_group(const struct stacks_group *key)
{
	u64 hash = hash_mix(key->state, (u64)key->call << 8 | key->quality);

	hash = hash_mix(hash, key->comm ? hash_text(key->comm) : 0);
	for (u32 i = 0; i < key->nr_frames; i++)
		hash = hash_mix(hash, key->frame[i].dso ? key->frame[i].sym_addr : key->frame[i].addr);
	return hash;
}

/* key's frames are copied. NULL: no memory */
static struct stacks_group *add_group(struct stacks_groups *g, const struct stacks_group *key, u32 hash)
{
	struct location *frame = malloc((key->nr_frames ?: 1) * sizeof(*frame));
	struct stacks_group *group = malloc(sizeof(*group));

	if (array__grow(g->group, g->nr, g->room))
		goto no_memory;
	if (!frame || !group || hash_index__add(&g->index, hash, g->nr))
		goto no_memory;
	if (key->nr_frames)
		memcpy(frame, key->frame, key->nr_frames * sizeof(*frame));
	*group = *key;
	group->frame = frame;
	g->group[g->nr++] = group;
	return group;
no_memory:
	free(frame);
	free(group);
	return NULL;
}

static struct stacks_group *find_group(struct stacks_groups *g, const struct stacks_group *key)
{
	const u32 hash = hash_group(key);
	const struct hash_slot *slot;

	for (u32 i = hash; (slot = hash_index__next(&g->index, hash, &i));) {
		if (is_same(g->group[slot->place - 1], key))
			return g->group[slot->place - 1];
	}
	return add_group(g, key, hash);
}

static int add_thread(struct stacks_group *group, const struct thread_stack *stack)
{
	const struct snapshot_task *task = stack->task;

	if (array__grow(group->thread, group->nr, group->room))
		return -ENOMEM;
	if (!group->nr || task->off_ns < group->least_ns)
		group->least_ns = task->off_ns;
	if (task->off_ns > group->greatest_ns)
		group->greatest_ns = task->off_ns;
	if (!group->nr)
		group->pid = task->pid;
	else if (group->pid != task->pid)
		group->pid = 0;
	group->thread[group->nr++] = stack;
	return 0;
}

static int add_wait(struct stacks_group *group, const char *text)
{
	const u32 hash = hash_text(text);
	const struct hash_slot *slot;
	struct stacks_wait *wait;

	for (u32 i = hash; (slot = hash_index__next(&group->waits, hash, &i));) {
		if (!strcmp(group->wait[slot->place - 1].text, text)) {
			group->wait[slot->place - 1].nr++;
			return 0;
		}
	}
	if (array__extend(group->wait, group->nr_waits))
		return -ENOMEM;
	wait = &group->wait[group->nr_waits];
	*wait = (struct stacks_wait){ .text = strdup(text), .nr = 1 };
	if (!wait->text)
		return -ENOMEM;
	return hash_index__add(&group->waits, hash, group->nr_waits++);
}

int stacks_groups__add(struct stacks_groups *g, const char *comm, const struct thread_stack *stack, const struct callchain *chain, bool cut,
		       const char *wait)
{
	const struct stacks_group key = {
		.comm = comm, .state = stack->task->state, .call = stack->task->call, .quality = stack->quality,
		.frame = chain->frame, .nr_frames = chain->nr, .cut = cut,
	};
	struct stacks_group *group = find_group(g, &key);

	if (!group || add_thread(group, stack))
		return -ENOMEM;
	return *wait ? add_wait(group, wait) : 0;
}

/* Sorting */

static int compare_threads(const void *a, const void *b)
{
	const struct snapshot_task *first = (*(const struct thread_stack *const *)a)->task;
	const struct snapshot_task *second = (*(const struct thread_stack *const *)b)->task;
	const int names = strncmp(first->comm, second->comm, sizeof(first->comm));

	return names ?: first->tid < second->tid ? -1 : first->tid > second->tid;
}

static int compare_waits(const void *a, const void *b)
{
	const struct stacks_wait *first = a, *second = b;

	if (first->nr != second->nr)
		return first->nr > second->nr ? -1 : 1;
	return strcmp(first->text, second->text);
}

static u32 first_tid(const struct stacks_group *group)
{
	return group->thread[0]->task->tid;
}

static int compare_groups(const void *a, const void *b)
{
	const struct stacks_group *first = *(const struct stacks_group *const *)a, *second = *(const struct stacks_group *const *)b;

	if (first->nr != second->nr)
		return first->nr > second->nr ? -1 : 1;
	return first_tid(first) < first_tid(second) ? -1 : first_tid(first) > first_tid(second);
}

u32 stacks_groups__sort(struct stacks_groups *g)
{
	for (u32 i = 0; i < g->nr; i++) {
		qsort(g->group[i]->thread, g->group[i]->nr, sizeof(*g->group[i]->thread), compare_threads);
		if (g->group[i]->nr_waits)
			qsort(g->group[i]->wait, g->group[i]->nr_waits, sizeof(*g->group[i]->wait), compare_waits);
	}
	if (g->nr)
		qsort(g->group, g->nr, sizeof(*g->group), compare_groups);
	return g->nr;
}

const struct stacks_group *stacks_groups__at(const struct stacks_groups *g, u32 i)
{
	return g->group[i];
}
