// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/callchain.h"

#include <errno.h>
#include <stdlib.h>

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

int callchain__resolve(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample,
		       u32 max_stack)
{
	int cpumode = sample->cpumode;

	chain->nr = 0;
	for (u64 i = 0; i < sample->nr_callchain && chain->nr < max_stack; i++) {
		u64 ip = sample->callchain[i];
		struct location *frame;

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
		frame = callchain__add(chain);
		if (!frame)
			return -ENOMEM;
		resolver__resolve(r, thread, cpumode, ip, frame);
	}
	return 0;
}

void callchain__exit(struct callchain *chain)
{
	free(chain->frame);
	*chain = (struct callchain){};
}
