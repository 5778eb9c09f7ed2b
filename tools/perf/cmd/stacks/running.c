// SPDX-License-Identifier: GPL-2.0
#include "cmd/stacks/running.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/evsel.h"
#include "util/lib/clock.h"
#include "util/perfdata/sample.h"
#include "util/sampler/sampler.h"

#define PERIOD_NS 1000000
#define MAX_PERIODS 20
#define MAX_OWN 32
#define OWN_PAGES 16
#define STACK_SIZE 32768 /* bytes of the copy; of the ring's 512 KiB, which is emptied meanwhile */
#define OWN_STACK_SIZE 16384

struct sampling {
	struct thread_stacks *all;
	struct machine *machine;
	struct unwinder *unwinder;
	u32 max_frames;
	const struct perf_event_attr *attr;
	bool own;
	u32 nr_left; /* threads without a stack */
};

static bool has_none(const struct thread_stack *stack)
{
	return stack->quality == STACK_RUNS || stack->quality == STACK_TORN;
}

static u32 count_left(const struct thread_stacks *all)
{
	u32 nr = 0;

	for (u32 i = 0; i < all->nr; i++)
		nr += has_none(&all->stack[i]);
	return nr;
}

/* One sample */

/* What is not in the copy has changed since. With this the place itself is a frame even if the copy is empty. */
static bool read_nothing(void *data, u64 address, void *to, size_t size)
{
	return false;
}

static int set_stack(struct sampling *s, struct thread_stack *stack, struct perf_sample *sample)
{
	struct thread *thread = machine__thread(s->machine, sample->pid, sample->tid);
	u64 *chain;

	if (!thread || unwinder__unwind(s->unwinder, thread, sample, s->max_frames))
		return -ENOMEM;
	chain = reallocarray(stack->chain, sample->nr_callchain ?: 1, sizeof(*chain));
	if (!chain)
		return -ENOMEM;
	if (sample->nr_callchain)
		memcpy(chain, sample->callchain, sample->nr_callchain * sizeof(*chain));
	stack->chain = chain;
	stack->nr = sample->nr_callchain;
	stack->quality = STACK_WHOLE;
	stack->task->state = OFFCPU_RUNNING;
	stack->task->cpu = sample->cpu;
	stack->task->off_ns = 0;
	stack->task->call = -1;
	s->nr_left--;
	return 0;
}

static int take_record(struct sampling *s, const union perf_record *record)
{
	struct thread_stack *stack;
	struct perf_sample sample;

	if (record->header.type != PERF_RECORD_SAMPLE || perf_sample__decode(&sample, s->attr, record))
		return 0;
	stack = (struct thread_stack *)thread_stacks__find(s->all, sample.pid, sample.tid);
	return stack && has_none(stack) ? set_stack(s, stack, &sample) : 0;
}

static int take_records(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	int ret = 0;

	for (; at < end && !ret; at += ((const struct perf_event_header *)at)->size)
		ret = take_record(data, (const void *)at);
	return ret;
}

/* All */

static void set_attr(struct perf_event_attr *attr, bool own)
{
	attr->size = sizeof(*attr);
	attr->sample_period = PERIOD_NS;
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			     PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = THREAD_STACKS_REGS;
	attr->sample_stack_user = own ? OWN_STACK_SIZE : STACK_SIZE;
	attr->exclude_kernel = own;
	attr->exclude_callchain_user = 1;
	attr->wakeup_events = 1;
	attr->disabled = 1;
}

static int wait_for_samples(struct sampling *s, struct sampler *sampler)
{
	const u64 end = clock__ns(CLOCK_MONOTONIC) + MAX_PERIODS * (u64)PERIOD_NS;
	struct pollfd fd = { .fd = sampler__epoll_fd(sampler), .events = POLLIN };
	int ret = 0;

	while (!ret && s->nr_left && clock__ns(CLOCK_MONOTONIC) < end) {
		poll(&fd, 1, 2 * PERIOD_NS / 1000000);
		ret = sampler__drain(sampler, take_records, s, NULL);
	}
	return ret;
}

/* Threads are few here: each has a ring. */
static int open_own(struct sampling *s, struct sampler *sampler, struct errmsg *err)
{
	struct sampler_target target = { .nr_tids = 0 };
	pid_t tids[MAX_OWN];

	for (u32 i = 0; i < s->all->nr && target.nr_tids < MAX_OWN; i++) {
		if (has_none(&s->all->stack[i]))
			tids[target.nr_tids++] = s->all->stack[i].task->tid;
	}
	target.tids = tids;
	return sampler__open(sampler, &target, &(struct sampler_opts){ .mmap_pages = OWN_PAGES }, err);
}

static int open_all(struct sampler *sampler, struct errmsg *err)
{
	const struct sampler_target target = { .system_wide = true };

	return sampler__open(sampler, &target, &(struct sampler_opts){ 0 }, err);
}

static int run(struct sampling *s, struct sampler *sampler, struct errmsg *err)
{
	const struct unwind_memory nothing = { .read = read_nothing };
	int ret = (s->own ? open_own(s, sampler, err) : open_all(sampler, err)) ?: sampler__enable(sampler, err);

	if (ret)
		return s->own && ret != -ENOMEM ? 0 : ret;
	unwinder__set_memory(s->unwinder, &nothing);
	ret = wait_for_samples(s, sampler);
	unwinder__set_memory(s->unwinder, NULL);
	sampler__disable(sampler);
	return ret ? errmsg__set(err, -ret, "cannot read samples of running threads: %s", strerror(-ret)) : 0;
}

int stacks_running__sample(struct thread_stacks *all, struct machine *machine, struct unwinder *unwinder, u32 max_frames, bool own,
			   struct errmsg *err)
{
	struct sampling s = {
		.all = all, .machine = machine, .unwinder = unwinder, .max_frames = max_frames, .own = own, .nr_left = count_left(all),
	};
	struct evlist *evlist = s.nr_left ? evlist__new() : NULL;
	struct sampler *sampler = NULL;
	unsigned int first;
	int ret;

	if (!s.nr_left)
		return 0;
	if (!evlist)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = evlist__parse(evlist, "cpu-clock", &first, err);
	if (!ret) {
		s.attr = &evlist->evsel[0]->attr;
		set_attr(&evlist->evsel[0]->attr, own);
		ret = sampler__new(evlist, &sampler, err) ?: run(&s, sampler, err);
	}
	sampler__delete(sampler);
	evlist__delete(evlist);
	return ret;
}
