// SPDX-License-Identifier: GPL-2.0
#include "util/source/offcpu-record.h"

#include <string.h>
#include "util/perfdata/sample.h"
#include "util/perfdata/wall-state.h"
#include "util/source/offcpu-stacks.h"

/* Write ips after the marker that tells readers their kind; writes nothing if there are none. */
static u64 *put_part(u64 *to, u64 context, const __u64 *ips, unsigned int nr)
{
	if (!nr)
		return to;
	*to++ = context;
	memcpy(to, ips, nr * sizeof(*ips));
	return to + nr;
}

static u64 *put_stack(u64 *to, const struct offcpu_stack *stack)
{
	if (!stack)
		return to;
	to = put_part(to, PERF_CONTEXT_KERNEL, stack->ip, stack->nr_kernel);
	return put_part(to, PERF_CONTEXT_USER, stack->ip + stack->nr_kernel, offcpu_stack__nr_user(stack));
}

size_t offcpu_record__encode(void *buf, const struct perf_event_attr *attr, u64 id, const struct offcpu_sleep *sleep, u64 nr,
			     const struct offcpu_stack *stack, const struct offcpu_stack *waker)
{
	u64 chain[OFFCPU_MAX_CHAIN];
	struct perf_sample sample = {
		.id = id,
		.pid = sleep->who.pid,
		.tid = sleep->who.tid,
		.time = sleep->end,
		.cpu = sleep->who.cpu,
		.period = sleep->ns,
		.weight = nr,
		.misc = PERF_RECORD_MISC_SAMPLES_COUNTED_,
		.callchain = chain,
	};

	sample.nr_callchain = put_stack(put_stack(chain, stack), waker) - chain;
	if (stack && stack->nr)
		sample.ip = stack->ip[0];
	if (attr->sample_type & PERF_SAMPLE_RAW) {
		sample.raw = wall_state__name(sleep->state);
		sample.raw_size = WALL_STATE_SIZE;
	}
	sample.misc |= stack && stack->nr_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	perf_sample__encode(buf, attr, &sample);
	return perf_sample__size(attr, &sample);
}
