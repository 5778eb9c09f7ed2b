/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packs records with zstd into PERF_RECORD_COMPRESSED, which more perfs read than COMPRESSED2. Readers also need HEADER_COMPRESSED (perfdata_features.compressed), the
 * maximum unpacked size of a record.
 */
#ifndef PERF_PERFDATA_COMPRESS_H
#define PERF_PERFDATA_COMPRESS_H

#include <stddef.h>
#include "util/lib/types.h"

#define COMPRESS_UNPACKED (128 << 10) /* limit of the unpacked bytes of one record */
#define COMPRESS_ROOM (2 * COMPRESS_UNPACKED) /* perf 6.1 to 7.3 unpack no frames after one that takes more than half of it */
#define COMPRESS_LEVEL 1	  /* by default, as with perf record -z */

/*
 * Pass whole records to write in compressed ones, each a zstd frame of its own; data that does not get smaller stays uncompressed.
 * level: 1 to 22. 0, -ENOMEM, or the negative return of write.
 */
int records__compress(const void *records, size_t size, int level,
		      int (*write)(void *data, const void *records, size_t size), void *data);

#endif
