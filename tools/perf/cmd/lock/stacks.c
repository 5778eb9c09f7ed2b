// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "lock"

#include "cmd/lock/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include "cmd/common/flame-page.h"
#include "ui/session-stdio.h"
#include "util/bpf_skel/lock.h"
#include "util/lib/log.h"
#include "util/symbol/live-functions.h"

bool lock_stacks__wanted(const struct lock_stacks *s)
{
	return s->folded || s->flamegraph;
}

int lock_stacks__begin(struct lock_stacks *s, struct errmsg *err)
{
	const struct tally_output_opts opts = { .fp = stdout, .key = TALLY_KEY_COMM | TALLY_KEY_SYM, .weight = s->folded };

	int ret = s->flamegraph ? flame_page__check(s->flamegraph, err) : 0;

	if (ret)
		return ret;
	if (s->folded) {
		s->lines = tally_formats[TALLY_FOLDED].new(&opts, err);
		if (!s->lines)
			return -ENOMEM;
	}
	s->trees = stack_trees__new(1);
	return s->trees ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

/* Counting */

int lock_stacks__find(struct lock_stacks *s, const struct session_sample *sample, struct lock_stack_place *place)
{
	struct perf_sample empty = *sample->sample;
	struct session_sample copy = *sample;

	empty.count = empty.period = 0;
	copy.sample = &empty;
	if (s->lines) {
		if (s->lines->ops->sample(s->lines, &copy))
			return -ENOMEM;
		place->line = s->lines->ops->last_place(s->lines);
	}
	place->node = stack_tree__add(stack_trees__at(s->trees, 0), sample->thread->comm, sample->chain, &sample->loc, 0, 0);
	return place->node ? 0 : -ENOMEM;
}

void lock_stacks__count(struct lock_stacks *s, const struct lock_stack_place *place, u64 nr, u64 ns)
{
	if (s->lines)
		s->lines->ops->again(s->lines, place->line, nr, ns);
	stack_node__count(place->node, ns, nr);
	s->nr += nr;
	s->total += ns;
}

/* A run that is watched */

static int open_session(void *data, const struct perfdata_event *event, u32 nr, struct errmsg *err)
{
	struct lock_stacks *s = data;
	const struct session_opts opts = { .max_stack = LOCK_MAX_FRAMES, .resolver.symtab.live = s->live_functions };

	return session__open_live(&opts, event, nr, &s->live, err);
}

static int take_sample(struct session *session, const struct session_sample *sample, void *data)
{
	struct lock_stack_place place = { 0 };
	int ret = lock_stacks__find(data, sample, &place);

	if (!ret)
		lock_stacks__count(data, &place, sample->sample->count, sample->sample->period);
	return ret;
}

static int take_records(void *data, const void *records, size_t size, struct errmsg *err)
{
	static const struct session_ops counting = { .sample = take_sample }, watching = {};
	struct lock_stacks *s = data;

	return session__feed(s->live, records, size, s->trees ? &counting : &watching, s, err);
}

static int end_round(void *data, struct errmsg *err)
{
	return 0;
}

const struct record_sink *lock_stacks__sink(struct lock_stacks *s)
{
	s->sink = (struct record_sink){ .begin = open_session, .records = take_records, .round = end_round, .fd = -1, .data = s };
	return &s->sink;
}

/* Output */

static int write_page(const struct lock_stacks *s)
{
	const struct profile_event event = {
		.name = "lock:contention", .stacks = stack_trees__at(s->trees, 0), .nr_samples = s->nr, .total_period = s->total,
	};
	struct errmsg err;
	int ret;

	stack_trees__sort(s->trees);
	ret = flame_page__write(&event, s->flamegraph, &err);
	if (ret)
		pr_err("%s\n", err.text);
	return ret ? -1 : 0;
}

int lock_stacks__finish(struct lock_stacks *s)
{
	if (s->lines)
		s->lines->ops->finish(s->lines);
	if (s->live)
		session__warn(s->live, "this run");
	return s->flamegraph ? write_page(s) : 0;
}

void lock_stacks__exit(struct lock_stacks *s)
{
	if (s->lines)
		s->lines->ops->delete(s->lines);
	stack_trees__delete(s->trees);
	session__delete(s->live);
	live_functions__delete(s->live_functions);
}
