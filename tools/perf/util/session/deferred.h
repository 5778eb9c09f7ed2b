/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples whose user callchain comes later (attr.defer_callchain, Linux 6.19): such a chain ends with PERF_CONTEXT_USER_DEFERRED and
 * a cookie. The user's frames follow in the task's next CALLCHAIN_DEFERRED record, for all its samples with this cookie. The kernel
 * writes that record when the task is about to return to user space; until it has returned, more samples with the same cookie may
 * follow the record (unwind_deferred_request() in kernel/unwind/deferred.c does not request a second one).
 */
#ifndef PERF_SESSION_DEFERRED_H
#define PERF_SESSION_DEFERRED_H

#include <stdbool.h>
#include "util/perfdata/sample.h"

struct deferred;

struct deferred_sample {
	const union perf_record *record; /* a copy, valid during the callback */
	u64 file_offset;
	const u64 *callchain; /* nr words, kernel and user frames joined; NULL: use the record's chain */
	u64 nr;
};

/* Returns 0; another value ends the delivery, and the caller gets it. */
typedef int (*deferred_cb)(const struct deferred_sample *sample, void *data);

struct deferred *deferred__new(void); /* NULL: no memory */
void deferred__delete(struct deferred *d);

/* Is a part of its callchain still to come, and is the sample's task known? */
bool deferred__is_awaited(const struct perf_sample *sample);

/*
 * Handle a sample for which deferred__is_awaited() is true: deliver it if its task's last record has its cookie, or keep it until
 * the next record. Returns as deferred__deliver().
 */
int deferred__add(struct deferred *d, const struct perf_sample *sample, const union perf_record *record, u64 file_offset, deferred_cb cb,
		  void *data);

/*
 * Deliver all samples that wait for this record of task tid; those with another cookie without user frames. 0, -ENOMEM, or what cb
 * returned.
 */
int deferred__deliver(struct deferred *d, u32 tid, const struct record_callchain_deferred *record, deferred_cb cb, void *data);

/* At the end: deliver what still waits, without user frames. */
int deferred__flush(struct deferred *d, deferred_cb cb, void *data);

#endif
