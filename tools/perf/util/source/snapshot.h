/* SPDX-License-Identifier: GPL-2.0 */
/* Where tasks are now, as a BPF program sees them one after the other, with nobody stopped: util/bpf_skel/snapshot.h. */
#ifndef PERF_SOURCE_SNAPSHOT_H
#define PERF_SOURCE_SNAPSHOT_H

#include "util/bpf_skel/snapshot.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/target.h"

struct snapshot;

struct snapshot_opts {
	const struct sampler_target *target; /* used by snapshot__new() only */
	const struct filter_input *filters;  /* all of which must accept a task; their period is its time off CPU */
	unsigned int nr_filters;
	/*
	 * If this process may not load the program, take /proc instead, and pass on the reason; but not with filters. See snapshot-proc.h.
	 * NULL: fail
	 */
	void (*without_bpf)(void *data, const struct errmsg *why);
	void *data;
};

/* Loads the program. -EINVAL: a wrong filter (the command exits 129); -EPERM, -EOPNOTSUPP and others */
int snapshot__new(const struct snapshot_opts *opts, struct snapshot **snapshot, struct errmsg *err);
void snapshot__delete(struct snapshot *s); /* NULL is fine */

/* Call cb for each of the target's tasks that the filters accept, until it returns non-zero; returns that, or -errno with err. */
int snapshot__list(struct snapshot *s, int (*cb)(void *data, const struct snapshot_task *task), void *data, struct errmsg *err);
/* The same without the filters: for tasks that they have accepted, among others. */
int snapshot__list_again(struct snapshot *s, int (*cb)(void *data, const struct snapshot_task *task), void *data, struct errmsg *err);
/* Look at one thread of the target, without the filters. 0; -ESRCH: it has ended; others, as -EACCES: it may not be looked at */
int snapshot__look(struct snapshot *s, pid_t tid, struct snapshot_task *task);

/* Has the task, asleep in both, not run from the one to the other? */
bool snapshot_task__slept(const struct snapshot_task *before, const struct snapshot_task *after);

/* false: /proc takes the place of BPF. */
bool snapshot__has_bpf(const struct snapshot *s);

#endif
