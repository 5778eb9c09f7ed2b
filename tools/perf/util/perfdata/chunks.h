/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: records that cannot be used in place, because they are compressed (perf record -z) or not aligned, since a
 * compressed record may have any size. They are unpacked into chunks of memory, which live until they are released. All compressed
 * records of a file are one zstd stream, and a record may be split between two of them.
 */
#ifndef PERF_PERFDATA_CHUNKS_H
#define PERF_PERFDATA_CHUNKS_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/record.h"

struct chunks;

struct chunks *chunks__new(void); /* NULL: no memory */
void chunks__delete(struct chunks *c);

/*
 * Unpack the first records of data, which must stay until __more() returns 0. pos, in the file's data, is for __release. 0, -EINVAL:
 * not a zstd stream, or suspiciously large output, -ENOMEM; err has the reason.
 */
int chunks__decompress(struct chunks *c, const void *data, size_t size, u64 pos, struct errmsg *err);
/* Unpack more of it, after all records were taken: 1; 0: no more; or as __decompress(). */
int chunks__more(struct chunks *c, struct errmsg *err);
/* Begin a new stream; a record that the previous one began is left incomplete. 0 or -EINVAL. */
int chunks__restart(struct chunks *c, struct errmsg *err);
/* Copy one whole record, which becomes the next one; all unpacked records must have been taken. 0 or -ENOMEM. */
int chunks__copy(struct chunks *c, const void *record, size_t size, u64 pos, struct errmsg *err);

/*
 * Take the next record; all header.size bytes are there, but nothing else was checked. NULL: unpack more first. in_stream: it was
 * compressed.
 */
const union perf_record *chunks__next(struct chunks *c, bool *in_stream);
bool chunks__is_torn(const struct chunks *c); /* the data ends within a record */

u64 chunks__in_use(const struct chunks *c); /* bytes that were unpacked, but not released */
/* Free the records from before pos. UINT64_MAX: all records that were taken. */
void chunks__release(struct chunks *c, u64 pos);

#endif
