/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: records that cannot be used where they stand in the file, because they are compressed (perf record -z) or not
 * aligned, since a compressed record may have any size. They are unpacked into chunks of memory, which live until they are
 * released. All compressed records of a file are one zstd stream, and records may lie across two of them.
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
 * Unpack the first records of data, which must stay until __more() says that this is all. pos, in the file's data, is kept for __release.
 * 0, -EINVAL: not what zstd made, or so much that it was made to use up time, -ENOMEM; err says what is wrong.
 */
int chunks__decompress(struct chunks *c, const void *data, size_t size, u64 pos, struct errmsg *err);
/* Unpack more of it, after all records were taken: 1; 0: that was all; or as __decompress(). */
int chunks__more(struct chunks *c, struct errmsg *err);
/* What comes next is a stream of its own; what was begun in the one before does not end. 0 or -EINVAL. */
int chunks__restart(struct chunks *c, struct errmsg *err);
/* One whole record. 0 or -ENOMEM. It is the next one; what was unpacked before was taken. */
int chunks__copy(struct chunks *c, const void *record, size_t size, u64 pos, struct errmsg *err);

/*
 * Take the next record, of which all header.size bytes are there, but that is not checked otherwise. NULL: unpack more first.
 * in_stream: it was compressed.
 */
const union perf_record *chunks__next(struct chunks *c, bool *in_stream);
bool chunks__is_torn(const struct chunks *c); /* a record was begun that does not end */

u64 chunks__in_use(const struct chunks *c); /* bytes that were unpacked, and not released */
/* Records that came from before pos are not used any more. UINT64_MAX: nor is any that was taken. */
void chunks__release(struct chunks *c, u64 pos);

#endif
