/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples whose user callchain comes later (attr.defer_callchain, Linux 6.19): such a chain ends with PERF_CONTEXT_USER_DEFERRED
 * and a cookie, and the user's frames follow in the task's next CALLCHAIN_DEFERRED record, for all its samples with this cookie.
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

/* Keep a sample of which that is true, until its task's next record. 0 or -ENOMEM. */
int deferred__add(struct deferred *d, const struct perf_sample *sample, const union perf_record *record, u64 file_offset);

/* What task tid has waited for: deliver all its samples, those of another cookie as they are. -ENOMEM, or what cb returned. */
int deferred__deliver(struct deferred *d, u32 tid, const struct record_callchain_deferred *record, deferred_cb cb, void *data);

/* The end: deliver what still waits, as it is. */
int deferred__flush(struct deferred *d, deferred_cb cb, void *data);

#endif
