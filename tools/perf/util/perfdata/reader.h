/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a perf.data file: mapped whole, records handed out in place and in file order. Trusts nothing in it: every offset and
 * size is checked against the file, memory use is bounded by the file's size. If the file shrinks while it is open, the process ends as
 * file_maps__on_loss() (util/lib/file-map.h) was told.
 */
#ifndef PERF_PERFDATA_READER_H
#define PERF_PERFDATA_READER_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/features.h"
#include "util/perfdata/record.h"

struct perfdata_reader;

/*
 * path "-": the standard input, which may be a pipe. What it has, and what the files of a directory have (see dir-form.h), is kept in a
 * temporary file, or in memory.
 */
int perfdata_reader__open(const char *path, struct perfdata_reader **r, struct errmsg *err);
void perfdata_reader__delete(struct perfdata_reader *r);

const struct perfdata_event *perfdata_reader__events(const struct perfdata_reader *r, u32 *nr);

/* Features that the file carries, decoded; members not in the file are NULL or 0. Owned by the reader. */
const struct perfdata_features *perfdata_reader__features(const struct perfdata_reader *r);

/* What open() had to leave out (a feature that cannot be decoded, ...): lines of text, or NULL. Owned by the reader. */
const char *perfdata_reader__warnings(const struct perfdata_reader *r);

/*
 * The file ended early: a killed recording (data.size is 0, or there is more in the file and no features). A file that has fewer
 * records than its header says was cut off later: that is damage, of which warnings() tells.
 */
bool perfdata_reader__unfinished(const struct perfdata_reader *r);
u64 perfdata_reader__data_offset(const struct perfdata_reader *r);
u64 perfdata_reader__data_size(const struct perfdata_reader *r);

/*
 * The next record from *pos (start with 0; set to the next). *pos counts from data_offset(). Returns 1 and *record; 0 at the end,
 * also when the last record is incomplete (then _truncated() is true); -EINVAL for a record that cannot be one (err says at
 * which offset of the file). A record that is returned has passed perf_record__check(). What AUXTRACE and TRACING_DATA records carry
 * behind header.size is skipped. Behind a compressed record come the records in it: a file that has such ones is
 * read once, from its start.
 */
int perfdata_reader__next(struct perfdata_reader *r, u64 *pos, const union perf_record **record, struct errmsg *err);
/* Where in the file that record stands, or the compressed one that it came from. */
u64 perfdata_reader__record_offset(const struct perfdata_reader *r);
/*
 * Records before pos will not be looked at again: the memory that they take may be used for something else. Cheap enough to be
 * called often.
 */
void perfdata_reader__release(struct perfdata_reader *r, u64 pos);
/*
 * Does what was unpacked and not released, with so many bytes that order it, take more than a recording of this size may? Then who reads is
 * to be done with all records so far, and to say so by _cut_round(). was_ordered: by times, although later records may be older; a
 * warning tells of the first time.
 */
bool perfdata_reader__is_full(const struct perfdata_reader *r, u64 order);
void perfdata_reader__cut_round(struct perfdata_reader *r, bool was_ordered);
bool perfdata_reader__truncated(const struct perfdata_reader *r);
/* Are there parts beside the records that are missing or cannot be read? perfdata_reader__warnings() tells of them. */
bool perfdata_reader__damaged(const struct perfdata_reader *r);

#endif
