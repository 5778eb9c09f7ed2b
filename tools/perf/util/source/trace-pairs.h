/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls from recorded hits of raw_syscalls:sys_enter and raw_syscalls:sys_exit: what util/bpf_skel/trace.bpf.c does in the kernel, for
 * files. There is no memory of the traced programs to copy.
 */
#ifndef PERF_SOURCE_TRACE_PAIRS_H
#define PERF_SOURCE_TRACE_PAIRS_H

#include <stdbool.h>
#include "util/source/trace-opts.h"

struct trace_hit { /* of a tracepoint; hits come in the order of time */
	u64 time;
	u32 pid, tid, cpu;
	u32 nr;
	u64 arg[TRACE_MAX_ARGS]; /* of a begin */
	s64 ret;		 /* of an end */
	const char *comm;	 /* copied */
};

struct trace_pairs;

/* opts must outlive it: call, sum and error get what a running system would give. NULL: no memory */
struct trace_pairs *trace_pairs__new(const struct trace_opts *opts);
/*
 * A thread's first hit is no begin: it was in the call when the recording began, as all time since. Later ends without a begin take no time: nothing
 * tells why they have none (trace.bpf.c knows). 0 or -ENOMEM
 */
int trace_pairs__add(struct trace_pairs *pairs, const struct trace_hit *hit, bool end);
/* After the last hit: the calls that go on, whose time until then counts, and the sums. 0 or -ENOMEM */
int trace_pairs__finish(struct trace_pairs *pairs);
void trace_pairs__delete(struct trace_pairs *pairs); /* NULL is fine */

#endif
