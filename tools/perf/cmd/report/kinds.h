/* SPDX-License-Identifier: GPL-2.0 */
/* For views of report that count samples: adds one sample of each kind, and counts the others by their ids. */
#ifndef PERF_CMD_REPORT_KINDS_H
#define PERF_CMD_REPORT_KINDS_H

#include "util/session/session.h"
#include "util/stacks/counts.h"

struct thread_name;

struct report_kinds { /* starts zeroed */
	u32 max_threads; /* set it before the init: the samples of each of the first max_threads threads are kinds of their own */
	struct stack_counts *counts;
	bool by_function; /* all places of a function are one kind */
	struct sample_kind last; /* of the sample that is being added */
	struct thread_name *names, *last_name; /* a table of these threads as they were seen, and the last of them */
};

/* cb: counts samples where a sample of their kind was added. 0 or -ENOMEM. Then session__want() ids. */
int report_kinds__init(struct report_kinds *k, bool by_function, stack_counts_cb cb, void *data);
void report_kinds__exit(struct report_kinds *k);

/* The owner of the thread's samples: its name, or with max_threads the thread together with its name. NULL: no memory. */
const void *report_kinds__owner(struct report_kinds *k, const struct thread *thread);

/* For session_ops: */
int report_kinds__seen(struct report_kinds *k, struct session *s, struct session_brief *brief);
void report_kinds__look_ahead(struct report_kinds *k, struct session *s, struct session_brief *const *brief, size_t nr);
void report_kinds__flush(struct report_kinds *k); /* ids begin anew, or the run has ended */

/* In .sample: count others of its kind where this one was added. 0: do not. Does nothing for samples without ids. */
void report_kinds__keep(struct report_kinds *k, const struct session_sample *sample, u64 where);
/* The same after __seen(), for one that was added without .sample. */
void report_kinds__keep_seen(struct report_kinds *k, u64 where);

#endif
