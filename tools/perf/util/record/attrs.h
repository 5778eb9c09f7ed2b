/* SPDX-License-Identifier: GPL-2.0 */
/* From the options of a recording to the attr of each event. */
#ifndef PERF_RECORD_ATTRS_H
#define PERF_RECORD_ATTRS_H

#include <stdbool.h>
#include "util/event/evsel.h"

struct attr_opts {
	unsigned int freq;	/* samples a second, where period is 0 */
	u64 period;		/* events a sample; 0: by freq */
	bool rate_set;		/* freq or period is the user's wish: tracepoints follow it too */
	bool callchain;		/* PERF_SAMPLE_CALLCHAIN */
	u32 stack_dump;		/* with callchain: bytes of the user stack to copy, with registers, instead of its frames; 0: frames */
	bool defer;		/* with callchain: the user's part comes when the task goes back to user space */
	bool addr;		/* data addresses, and maps of data */
	bool cpu, sample_period;
	bool inherit;
	bool enable_on_exec;
	bool monotonic;		/* times of CLOCK_MONOTONIC, which BPF programs can tell */
	bool identifier;	/* samples tell their event even if there is only one */
};

/* Members that the events' own texts have set (period, freq, exclude_*, precise_ip) stay. */
void evlist__config_attrs(struct evlist *evlist, const struct attr_opts *opts);

/* The registers that unwinding a copy of the stack needs, as bits of sample_regs_user; 0: not known for this machine. */
u64 attrs__user_regs(void);

/* Of a sample of any of these events: the place of its time, in u64s after the header. */
unsigned int evlist__time_pos(const struct evlist *evlist);

/* The event that carries the side-band: MMAP, COMM, FORK, EXIT. */
struct evsel *evlist__tracking(const struct evlist *evlist);

#endif
