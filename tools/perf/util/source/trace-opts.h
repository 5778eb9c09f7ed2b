/* SPDX-License-Identifier: GPL-2.0 */
/* Options of tracing system calls, who gets them, and what happened to them besides. */
#ifndef PERF_SOURCE_TRACE_OPTS_H
#define PERF_SOURCE_TRACE_OPTS_H

#include <stdbool.h>
#include "util/bpf_skel/trace.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct trace_opts {
	const struct trace_rule *rule; /* TRACE_MAX_CALLS, by row. Owned by the caller */
	u8 nr_fields;	       /* that rules have, as the filter names them */
	u64 min_ns;	       /* leave out calls that took less */
	u32 max_text, max_bytes; /* as in trace_config */
	u32 max_sums;	       /* room for rows in the kernel */
	bool failed_only;
	bool written;	       /* call gets each call */
	bool summed;	       /* sum gets rows at the end */
	enum trace_sums_by by; /* what a row stands for */
	bool with_errors;      /* error gets counts of error numbers */
	/*
	 * With the callers' stacks: calls come as samples of their event, with a struct trace_call of this size as raw data, and call
	 * gets those that have not ended only. Only where samples are written, not counted.
	 */
	bool stacks;
	/*
	 * call: in the order in which calls end; the last ones are those that have not ended. sum, error: at the end of the run. They
	 * return 0, or -errno with a message in err, which ends the run.
	 */
	void (*call)(void *data, const struct trace_call *call);
	int (*sum)(void *data, const struct trace_sum_key *key, const struct trace_sum *sum, struct errmsg *err);
	int (*error)(void *data, const struct trace_error_key *key, u64 nr, struct errmsg *err);
	void *data;
};

static inline bool trace_call__failed(const struct trace_call *call)
{
	return call->ret < 0 && call->ret >= -TRACE_MAX_ERRNO && !trace_is_sigreturn(call->nr);
}

/* What happened to calls. */
struct trace_totals {
	u64 calls;	/* that ended, or cannot return */
	u64 dropped;	/* by the filter */
	u64 lost;	/* not sent, as the ring was full */
	u64 lost_sums;	/* not summed, as the map was full */
	u64 untracked;	/* without memory for their begin */
	u64 missed;	/* hits for which the kernel skipped a program, of any task */
	u64 unfinished; /* that go on at the end */
	u64 unjudged;	/* of those: left out, as they began before tracing, and the filter asks for what is not known of them */
};

#endif
