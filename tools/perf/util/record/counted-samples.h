/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel has counted, as samples of a file: one for each key and round, as if its last sample stood for all. Its period is
 * the sum of theirs and its weight their number (PERF_RECORD_MISC_SAMPLES_COUNTED_).
 */
#ifndef PERF_RECORD_COUNTED_SAMPLES_H
#define PERF_RECORD_COUNTED_SAMPLES_H

#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/record.h"
#include "util/source/tally.h"

struct counted_samples;

/* Of events 0 to nr_events - 1; opts must outlive it. NULL: out of memory. */
struct counted_samples *counted_samples__new(const struct tally_opts *opts, unsigned int nr_events);
void counted_samples__delete(struct counted_samples *c);

/*
 * The samples of an event will carry id and be laid out as attr says, which is that of the open event at first, and is made to
 * say what counted samples hold. What stands at the end of other records (sample_id_all) stays as it is.
 */
void counted_samples__describe(struct counted_samples *c, unsigned int event, u64 id, struct perf_event_attr *attr);

/* Take one key of an event that was described. -ENOMEM, -EOVERFLOW. */
int counted_samples__add(struct counted_samples *c, unsigned int event, const struct tally_row *row, struct errmsg *err);

/*
 * Hand all that was added since the last time to write, as whole records, oldest first. A negative return of write is handed on,
 * without a text; what it did not get then is forgotten.
 */
int counted_samples__write(struct counted_samples *c, int (*write)(void *data, const void *records, size_t size), void *data,
			   struct errmsg *err);

struct counted_totals { /* of all rounds */
	u64 nr_records, nr_samples;
	u64 first_time, last_time; /* of the records */
};
const struct counted_totals *counted_samples__totals(const struct counted_samples *c);

#endif
