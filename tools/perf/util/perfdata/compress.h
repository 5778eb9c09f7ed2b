/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records packed with zstd into PERF_RECORD_COMPRESSED ones. Readers need HEADER_COMPRESSED (perfdata_features.compressed) as
 * well, which tells them how much room a record takes when it is unpacked.
 */
#ifndef PERF_PERFDATA_COMPRESS_H
#define PERF_PERFDATA_COMPRESS_H

#include <stddef.h>
#include "util/lib/types.h"

#define COMPRESS_UNPACKED (128 << 10) /* bytes of one record, unpacked, at most */
#define COMPRESS_ROOM (2 * COMPRESS_UNPACKED) /* perf 6.1 to 7.3 unpack no frames behind one that takes more than half of it */
#define COMPRESS_LEVEL 1	  /* by default, as with perf record -z */

/*
 * Hand records, which are whole, to write in packed ones, each a zstd frame of its own; what does not get smaller goes as it is.
 * level: 1 to 22. 0, -ENOMEM, or the negative return of write.
 */
int records__compress(const void *records, size_t size, int level,
		      int (*write)(void *data, const void *records, size_t size), void *data);

#endif
