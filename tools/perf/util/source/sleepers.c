// SPDX-License-Identifier: GPL-2.0
#include "util/source/sleepers.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include "util/lib/clock.h"
#include "util/perfdata/record.h"
#include "util/synth/synth.h"

struct sleepers {
	struct snapshot *snapshot;
	/* while stacks are taken */
	struct machine *machine;
	struct synth *synth;
	struct unwinder *unwinder;
};

int sleepers__new(const struct sampler_target *target, struct sleepers **sleepers, struct errmsg *err)
{
	const struct snapshot_opts opts = { .target = target };
	struct sleepers *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = snapshot__new(&opts, &s->snapshot, err);
	if (ret)
		free(s);
	else
		*sleepers = s;
	return ret;
}

void sleepers__delete(struct sleepers *s)
{
	if (!s)
		return;
	snapshot__delete(s->snapshot);
	free(s);
}

/* The machine learns of processes by the records that a recording would begin with. */

static int learn(void *data, const void *records, size_t size)
{
	struct sleepers *s = data;
	int ret = 0;

	for (const char *at = records, *end = at + size; at < end && !ret; at += ((const struct perf_event_header *)at)->size)
		ret = machine__process(s->machine, (const union perf_record *)at);
	return ret;
}

static int meet(void *data, u32 pid, struct errmsg *err)
{
	struct sleepers *s = data;
	int ret = synth__process(s->synth, pid) ?: synth__flush(s->synth);

	return ret ? errmsg__set(err, -ret, "cannot read the maps of process %u", pid) : 0;
}

static int begin(struct sleepers *s, struct errmsg *err)
{
	static const struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY };
	const struct synth_opts opts = { .attr = &attr, .data_maps = true, .write = learn, .data = s };
	const struct file_places places = {};

	s->machine = machine__new(NULL);
	if (!s->machine)
		return errmsg__set(err, ENOMEM, "out of memory");
	s->unwinder = unwinder__new(s->machine, &places);
	if (!s->unwinder)
		return errmsg__set(err, ENOMEM, "out of memory");
	unwinder__keep_returns(s->unwinder);
	return synth__new(&opts, &s->synth, err);
}

static void end(struct sleepers *s)
{
	unwinder__delete(s->unwinder);
	synth__delete(s->synth);
	machine__delete(s->machine);
	s->unwinder = NULL;
	s->synth = NULL;
	s->machine = NULL;
}

static bool sleeps(const struct thread_stack *stack)
{
	return stack->nr && stack->task->state != OFFCPU_RUNNING && (stack->quality == STACK_WHOLE || stack->quality == STACK_CLOSED);
}

/* Others choose how many threads sleep, and how hard their stacks are. 5,000 threads take some 200 ms. */
#define MAX_NS 1000000000ULL

static bool is_left_out(const struct thread_stack *stack)
{
	return stack->quality == STACK_TORN && stack->task->has_regs;
}

int sleepers__take(struct sleepers *s, u32 max_frames, int (*cb)(void *data, const struct thread_stack *stack), void *data, u32 *nr_left_out,
		   struct errmsg *err)
{
	struct thread_stacks_opts opts = { .snapshot = s->snapshot, .max_frames = max_frames, .meet = meet, .data = s };
	struct thread_stacks all = {};
	int ret = begin(s, err);

	opts.until = clock__ns(CLOCK_MONOTONIC) + MAX_NS;
	opts.machine = s->machine;
	opts.unwinder = s->unwinder;
	ret = ret ?: thread_stacks__take(&all, &opts, err);
	for (u32 i = 0; i < all.nr && !ret; i++) {
		*nr_left_out += is_left_out(&all.stack[i]);
		if (sleeps(&all.stack[i]))
			ret = cb(data, &all.stack[i]);
	}
	thread_stacks__exit(&all);
	end(s);
	return ret;
}
