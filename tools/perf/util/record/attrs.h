/* SPDX-License-Identifier: GPL-2.0 */
/* From the options of a recording to the attr of each event. */
#ifndef PERF_RECORD_ATTRS_H
#define PERF_RECORD_ATTRS_H

#include <stdbool.h>
#include "util/event/evsel.h"

struct attr_opts {
	unsigned int freq;	/* samples a second, where period is 0 */
	u64 period;		/* events a sample; 0: by freq */
	bool rate_set;		/* freq or period is the user's wish: tracepoints and breakpoints follow it too */
	struct callgraph callgraph; /* of events whose terms do not say otherwise */
	bool no_chains;		/* of no event, whatever its terms say */
	bool no_kernel_callchain, no_user_callchain; /* of callchains only the other part */
	bool addr;		/* data addresses, and maps of data */
	bool cpu, sample_period;
	u64 sample_type;	/* more PERF_SAMPLE_ bits that samples shall have */
	u64 user_regs, intr_regs; /* with PERF_SAMPLE_REGS_: which, as bits of include/uapi/asm/perf_regs.h */
	u64 branches;		/* with PERF_SAMPLE_BRANCH_STACK: which, as PERF_SAMPLE_BRANCH_ bits */
	bool all_user, all_kernel; /* of every event only what happens there */
	bool running_time;	/* reads tell how long an event was enabled, and how long it counted */
	bool stat;		/* each thread's counts are told at its end; with that, too */
	bool data_maps;		/* maps of data, without addresses */
	bool no_bpf;		/* no records of BPF programs, and of other code that comes to the kernel */
	bool cgroups, namespaces, switches; /* records of these, beside those of maps and tasks */
	bool inherit;
	bool enable_on_exec;
	bool delayed;		/* with that: only the side-band */
	bool use_clockid;	/* times are of this clock; else of the kernel's own */
	int clockid;
	bool no_samples;	/* count only */
	bool no_buffering;	/* each sample wakes its reader */
	bool overwrite;		/* the rings of samples keep what is new; needs a side-band event (evlist__add_side_band) */
	bool identifier;	/* samples tell their event even if there is only one */
};

/* Members that the events' own texts have set (period, freq, exclude_*, precise_ip) stay. */
void evlist__config_attrs(struct evlist *evlist, const struct attr_opts *opts);

/* After that: does any event follow new threads and children? */
bool evlist__inherits(const struct evlist *evlist);

/* Of a sample of any of these events: the place of its time, in u64s after the header. */
unsigned int evlist__time_pos(const struct evlist *evlist);

/* The event that carries the side-band: MMAP, COMM, FORK, EXIT. */
struct evsel *evlist__tracking(const struct evlist *evlist);

#endif
