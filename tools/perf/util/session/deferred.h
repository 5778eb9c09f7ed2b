/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples whose user callchain comes later (attr.defer_callchain, Linux 6.19): such a chain ends with PERF_CONTEXT_USER_DEFERRED
 * and a cookie, and the user's frames follow in the task's next CALLCHAIN_DEFERRED record, for all its samples with this cookie. That is
 * made when the task is about to leave the kernel; samples with the same cookie may come after it, as long as it has not left
 * (unwind_deferred_request() in kernel/unwind/deferred.c asks for no second one).
 */
#ifndef PERF_SESSION_DEFERRED_H
#define PERF_SESSION_DEFERRED_H

#include <stdbool.h>
#include "util/perfdata/sample.h"

struct deferred;

struct deferred_sample {
	const union perf_record *record; /* a copy, valid during the callback */
	u64 file_offset;
	const u64 *callchain; /* nr words, put together; NULL: as it is in the record */
	u64 nr;
};

/* 0; anything else ends the delivery and is handed on. */
typedef int (*deferred_cb)(const struct deferred_sample *sample, void *data);

struct deferred *deferred__new(void); /* NULL: no memory */
void deferred__delete(struct deferred *d);

/* Has its callchain a part that is still to come, and can it be told whose? */
bool deferred__is_awaited(const struct perf_sample *sample);

/* Of a sample of which that is true: deliver it, if its task's last record is for it, or keep it until the next one. As deferred__deliver(). */
int deferred__add(struct deferred *d, const struct perf_sample *sample, const union perf_record *record, u64 file_offset, deferred_cb cb,
		  void *data);

/* What task tid has waited for: deliver all its samples, those of another cookie as they are. 0, -ENOMEM, or what cb returned. */
int deferred__deliver(struct deferred *d, u32 tid, const struct record_callchain_deferred *record, deferred_cb cb, void *data);

/* The end: deliver what still waits, as it is. */
int deferred__flush(struct deferred *d, deferred_cb cb, void *data);

#endif
