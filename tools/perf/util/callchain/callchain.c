// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/callchain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Markers stand among the addresses, from here on upwards (include/uapi/linux/perf_event.h, enum perf_callchain_context). */
#define IS_MARKER(ip) ((ip) >= (u64)PERF_CONTEXT_MAX)

/* The mode that a marker switches to, or -1 for one that nobody knows. */
static int marker_cpumode(u64 marker)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED_:
		return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	}
	return -1;
}

static struct location *callchain__add(struct callchain *chain)
{
	if (chain->nr == chain->alloc) {
		u32 alloc = chain->alloc ? 2 * chain->alloc : 64;
		struct location *frame = reallocarray(chain->frame, alloc, sizeof(*frame));

		if (!frame)
			return NULL;
		chain->frame = frame;
		chain->alloc = alloc;
	}
	return &chain->frame[chain->nr++];
}

/* Replace the last frame by what was inlined into it and by itself, each with its code line. */
static int callchain__expand(struct callchain *chain, const struct srcline *line)
{
	struct location base = chain->frame[--chain->nr];

	for (u32 i = 0; i < line->nr; i++) {
		struct location *frame = callchain__add(chain);

		if (!frame)
			return -ENOMEM;
		*frame = base;
		frame->code = &line->frame[i];
		if (line->frame[i].sym)
			frame->sym = line->frame[i].sym;
	}
	return 0;
}

static int callchain__add_ip(struct callchain *chain, struct resolver *r, struct thread *thread, u8 cpumode, u64 ip)
{
	struct location *frame = callchain__add(chain);
	const struct srcline *line;

	if (!frame)
		return -ENOMEM;
	resolver__resolve(r, thread, cpumode, ip, frame);
	line = resolver__inlined(r, frame);
	return line ? callchain__expand(chain, line) : 0;
}

int callchain__resolve(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample,
		       u32 max_stack)
{
	int cpumode = sample->cpumode;
	u32 nr = 0;

	chain->nr = 0;
	for (u64 i = 0; i < sample->nr_callchain && nr < max_stack; i++) {
		u64 ip = sample->callchain[i];

		if (IS_MARKER(ip)) {
			cpumode = marker_cpumode(ip);
			if (cpumode < 0) { /* a damaged chain tells nothing that can be trusted */
				chain->nr = 0;
				break;
			}
			if (ip == PERF_CONTEXT_USER_DEFERRED_)
				i++; /* a cookie follows, no address */
			continue;
		}
		if (callchain__add_ip(chain, r, thread, cpumode, ip))
			return -ENOMEM;
		nr++;
	}
	return 0;
}

void callchain__drop(struct callchain *chain, u32 nr)
{
	chain->nr -= nr;
	memmove(chain->frame, chain->frame + nr, chain->nr * sizeof(*chain->frame));
}

void callchain__exit(struct callchain *chain)
{
	free(chain->frame);
	*chain = (struct callchain){};
}
