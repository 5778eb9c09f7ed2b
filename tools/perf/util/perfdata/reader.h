/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a perf.data file: maps it as a whole, and returns records in place and in file order. Trusts nothing in it: checks every
 * offset and size against the file; the file's size limits the memory used. If the file shrinks while it is open, the process ends
 * as set by file_maps__on_loss() (util/lib/file-map.h).
 */
#ifndef PERF_PERFDATA_READER_H
#define PERF_PERFDATA_READER_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/features.h"
#include "util/perfdata/record.h"

struct perfdata_reader;

/*
 * path "-": the standard input, which may be a pipe. Its contents, and those of the files in a directory (see dir-form.h), are
 * copied to a temporary file, or into memory.
 */
int perfdata_reader__open(const char *path, struct perfdata_reader **r, struct errmsg *err);
void perfdata_reader__delete(struct perfdata_reader *r);

const struct perfdata_event *perfdata_reader__events(const struct perfdata_reader *r, u32 *nr);

/* Decoded features of the file; members that the file lacks are NULL or 0. Owned by the reader. */
const struct perfdata_features *perfdata_reader__features(const struct perfdata_reader *r);

/* What open() left out (a feature that cannot be decoded, ...): lines of text, or NULL. Owned by the reader. */
const char *perfdata_reader__warnings(const struct perfdata_reader *r);

/*
 * The file ended early: a killed recording (data.size is 0, or there is more in the file and no features). A file that has fewer
 * records than its header says was cut off later: that is damage, of which warnings() tells.
 */
bool perfdata_reader__unfinished(const struct perfdata_reader *r);
u64 perfdata_reader__data_offset(const struct perfdata_reader *r);
u64 perfdata_reader__data_size(const struct perfdata_reader *r);

/*
 * Get the record at *pos (0 for the first; is advanced). *pos counts from data_offset(). Returns 1 and *record; 0 at the end, also
 * if the last record is incomplete (then _truncated() is true); -EINVAL for an invalid record (err has its offset in the file).
 * Returned records have passed perf_record__check(). Skips the data of AUXTRACE and TRACING_DATA records after header.size. A
 * compressed record is followed by the records in it: a file with such records can be read only once, from its start.
 */
int perfdata_reader__next(struct perfdata_reader *r, u64 *pos, const union perf_record **record, struct errmsg *err);
/* Offset in the file of that record, or of the compressed record that contained it. */
u64 perfdata_reader__record_offset(const struct perfdata_reader *r);
/* Records before pos are no longer needed: their memory may be reused. Cheap enough to call often. */
void perfdata_reader__release(struct perfdata_reader *r, u64 pos);
/*
 * Does unpacked data that is not released, plus order bytes that sort it, exceed the memory for a recording of this size? Then the caller
 * must finish all records so far and call _cut_round(). was_ordered: they were sorted by time although older ones may follow; the
 * first time adds a warning.
 */
bool perfdata_reader__is_full(const struct perfdata_reader *r, u64 order);
void perfdata_reader__cut_round(struct perfdata_reader *r, bool was_ordered);
bool perfdata_reader__truncated(const struct perfdata_reader *r);
/* Are parts of the file other than records missing or unreadable? perfdata_reader__warnings() describes them. */
bool perfdata_reader__damaged(const struct perfdata_reader *r);

#endif
