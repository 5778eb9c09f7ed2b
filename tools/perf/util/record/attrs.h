/* SPDX-License-Identifier: GPL-2.0 */
/* From the options of a recording to the attr of each event. */
#ifndef PERF_RECORD_ATTRS_H
#define PERF_RECORD_ATTRS_H

#include <stdbool.h>
#include "util/event/evsel.h"

struct attr_opts {
	unsigned int freq;	/* samples per second, if period is 0 */
	u64 period;		/* events per sample; 0: use freq */
	bool rate_set;		/* the user gave freq or period: tracepoints and breakpoints use it, too */
	struct callgraph callgraph; /* of events without terms for it */
	unsigned int max_stack; /* limit of entries in callchains of events without a term for it; 0: the kernel's */
	bool no_chains;		/* no callchains for any event, whatever its terms */
	bool no_kernel_callchain, no_user_callchain; /* leave out this part of callchains */
	bool addr;		/* record data addresses, and maps of data */
	bool cpu, sample_period;
	u64 sample_type;	/* further PERF_SAMPLE_ bits of samples */
	u64 user_regs, intr_regs; /* with PERF_SAMPLE_REGS_: which registers, as bits of include/uapi/asm/perf_regs.h */
	u64 branches;		/* with PERF_SAMPLE_BRANCH_STACK: which branches, as PERF_SAMPLE_BRANCH_ bits */
	bool all_user, all_kernel; /* sample user space only, or the kernel only */
	bool running_time;	/* record how long each event was enabled and running */
	bool stat;		/* record each thread's counts at its end; with running_time, too */
	bool data_maps;		/* record maps of data, without addresses */
	bool no_bpf;		/* no records of BPF programs and of other code that is added to the kernel */
	bool cgroups, namespaces, switches; /* record these, too */
	bool inherit;
	bool enable_on_exec;
	bool delayed;		/* with enable_on_exec: only for the side-band */
	bool use_clockid;	/* use this clock for times; otherwise the kernel's own */
	int clockid;
	bool no_samples;	/* count only */
	bool no_buffering;	/* wake the reader for each sample */
	bool overwrite;		/* overwrite the oldest samples in rings; needs a side-band event (evlist__add_side_band) */
	bool identifier;	/* samples have an id even if there is only one event */
};

/* Members that the events' own texts have set (period, freq, exclude_*, precise_ip) stay unchanged. */
void evlist__config_attrs(struct evlist *evlist, const struct attr_opts *opts);

/* After evlist__config_attrs(): does any event follow new threads and children? */
bool evlist__inherits(const struct evlist *evlist);

/* Position of the time in a sample of any of these events, in u64s after the header. */
unsigned int evlist__time_pos(const struct evlist *evlist);

/* The event that carries the side-band: MMAP, COMM, FORK, EXIT. */
struct evsel *evlist__tracking(const struct evlist *evlist);

#endif
