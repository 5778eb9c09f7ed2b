// SPDX-License-Identifier: GPL-2.0
#include "util/source/wait-cycles.h"

#include <errno.h>
#include <stdlib.h>
#include "util/lib/array.h"

#define NOBODY UINT32_MAX
#define NO_CYCLE UINT32_MAX

struct search {
	struct wait_cycles *cycles;
	const struct thread_stacks *all;
	u32 *next;  /* whom each waits for, by index; NOBODY */
	u32 *state; /* 0: not seen; otherwise the thread from which it was first reached, plus 1 */
	u32 *ends_in; /* the cycle that its chain of waits leads into; NO_CYCLE */
};

static u32 index_of(const struct search *s, const struct thread_stack *stack)
{
	return stack ? stack - s->all->stack : NOBODY;
}

/* Such a wait ends by itself: the fourth argument of futex(2) is a time. */
static bool has_limit(const struct thread_stack *stack)
{
	return stack->wait.kind != FUTEX_KIND_NONE && stack->task->arg[3] != 0;
}

static void find_next(struct search *s)
{
	for (u32 i = 0; i < s->all->nr; i++) {
		const struct thread_stack *stack = &s->all->stack[i];

		s->cycles->nr_waits += stack->wait.kind != FUTEX_KIND_NONE || thread_stack__waits_in_kernel(stack);
		s->cycles->nr_owned += stack->owner != 0;
		s->next[i] = stack->owner && !has_limit(stack) ? index_of(s, thread_stacks__find(s->all, stack->owner_pid, stack->owner)) : NOBODY;
		s->ends_in[i] = NO_CYCLE;
	}
}

/* i is in a cycle; begin with its lowest tid. */
static u32 first_of(const struct search *s, u32 i)
{
	u32 first = i;

	for (u32 at = s->next[i]; at != i; at = s->next[at]) {
		if (s->all->stack[at].task->tid < s->all->stack[first].task->tid)
			first = at;
	}
	return first;
}

static int add_cycle(struct search *s, u32 i)
{
	struct wait_cycles *c = s->cycles;
	struct wait_cycle *cycle;
	const u32 first = first_of(s, i);
	u32 nr = 1;

	if (array__extend(c->cycle, c->nr))
		return -ENOMEM;
	cycle = &c->cycle[c->nr];
	for (u32 at = s->next[first]; at != first; at = s->next[at])
		nr++;
	*cycle = (struct wait_cycle){ .thread = calloc(nr, sizeof(*cycle->thread)) };
	if (!cycle->thread)
		return -ENOMEM;
	for (u32 at = first; cycle->nr < nr; at = s->next[at]) {
		cycle->thread[cycle->nr++] = &s->all->stack[at];
		s->ends_in[at] = c->nr;
	}
	c->nr++;
	return 0;
}

static bool is_real(const struct search *s, u32 i, bool (*still)(void *data, const struct thread_stack *stack), void *data)
{
	u32 at = i;

	do {
		if (!still(data, &s->all->stack[at]))
			return false;
		at = s->next[at];
	} while (at != i);
	return true;
}

/*
 * Each thread waits for at most one other: follow the waits until a thread comes that was seen. If that was on this way, it is in a
 * cycle.
 */
static int find_cycles(struct search *s, bool (*still)(void *data, const struct thread_stack *stack), void *data)
{
	int ret = 0;

	for (u32 i = 0; i < s->all->nr && !ret; i++) {
		u32 at = i;

		while (at != NOBODY && !s->state[at]) {
			s->state[at] = i + 1;
			at = s->next[at];
		}
		if (at != NOBODY && s->state[at] == i + 1 && is_real(s, at, still, data))
			ret = add_cycle(s, at);
	}
	return ret;
}

/* A chain of waits without a cycle that was added may lead into one that was none after all. */
static void count_behind(struct search *s)
{
	for (u32 i = 0; i < s->all->nr; i++) {
		u32 at = i, left = s->all->nr;

		while (at != NOBODY && s->ends_in[at] == NO_CYCLE && left--)
			at = s->next[at];
		if (at != NOBODY && at != i && s->ends_in[at] != NO_CYCLE)
			s->cycles->cycle[s->ends_in[at]].nr_behind++;
	}
}

int wait_cycles__find(struct wait_cycles *c, const struct thread_stacks *all, bool (*still)(void *data, const struct thread_stack *stack),
		      void *data)
{
	struct search s = { .cycles = c, .all = all };
	int ret = -ENOMEM;

	*c = (struct wait_cycles){ .cycle = NULL };
	s.next = calloc(all->nr + 1, sizeof(*s.next));
	s.state = calloc(all->nr + 1, sizeof(*s.state));
	s.ends_in = calloc(all->nr + 1, sizeof(*s.ends_in));
	if (s.next && s.state && s.ends_in) {
		find_next(&s);
		ret = find_cycles(&s, still, data);
		count_behind(&s);
	}
	free(s.next);
	free(s.state);
	free(s.ends_in);
	return ret;
}

void wait_cycles__exit(struct wait_cycles *c)
{
	for (u32 i = 0; i < c->nr; i++)
		free(c->cycle[i].thread);
	free(c->cycle);
	*c = (struct wait_cycles){ .cycle = NULL };
}
