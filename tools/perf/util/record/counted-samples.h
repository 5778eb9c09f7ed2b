/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns the kernel's counts into samples of a file: one for each key and round, in place of its last sample. Its period is the sum
 * of their periods and its weight their number (PERF_RECORD_MISC_SAMPLES_COUNTED_). A user, or in its place the name of a type of locks, is in
 * its raw data, and the address of a lock is its addr.
 */
#ifndef PERF_RECORD_COUNTED_SAMPLES_H
#define PERF_RECORD_COUNTED_SAMPLES_H

#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/record.h"
#include "util/source/tally.h"
#include "util/interp/names.h"
#include "util/source/unwind-files.h"

struct counted_samples;

/* For events 0 to nr_events - 1; opts must outlive it. NULL: out of memory. */
struct counted_samples *counted_samples__new(const struct tally_opts *opts, unsigned int nr_events);
void counted_samples__delete(struct counted_samples *c);

/*
 * Set the id and the layout of an event's samples: attr is that of the open event, and is changed to what counted samples contain.
 * The tail of other records (sample_id_all) stays the same.
 */
void counted_samples__describe(struct counted_samples *c, unsigned int event, u64 id, struct perf_event_attr *attr);

/* The format of their raw data in the file's header, if opts names values; malloc'ed. NULL: out of memory */
char *counted_samples__format(const struct tally_opts *opts, size_t *size);

/* For keys with by_file: the files of places in their stacks, valid until the next call or the end of adding. */
void counted_samples__set_names(struct counted_samples *c, const struct interp_names *names); /* and of frames of interpreters, copied */
void counted_samples__set_files(struct counted_samples *c, const struct unwind_files *files);

/* Add one key of an event that was described. -ENOMEM, -EOVERFLOW. */
int counted_samples__add(struct counted_samples *c, unsigned int event, const struct tally_row *row, struct errmsg *err);

/*
 * Pass what was added since the last call to write, as whole records, oldest first. Returns a negative return of write without a
 * message; the records that write did not get then are dropped.
 */
int counted_samples__write(struct counted_samples *c, int (*write)(void *data, const void *records, size_t size), void *data,
			   struct errmsg *err);

struct counted_totals { /* of all rounds */
	u64 nr_records, nr_samples;
	u64 first_time, last_time; /* of the records */
};
const struct counted_totals *counted_samples__totals(const struct counted_samples *c);

#endif
