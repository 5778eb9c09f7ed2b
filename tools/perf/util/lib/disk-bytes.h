/* SPDX-License-Identifier: GPL-2.0 */
/* How much of a file is on disk: a sparse file of terabytes costs its owner a few blocks (lseek(2), SEEK_HOLE). */
#ifndef PERF_LIB_DISK_BYTES_H
#define PERF_LIB_DISK_BYTES_H

#include "util/lib/types.h"

/* Bytes that are no hole, at most the size; keeps the file position. 0: none, or no regular file. */
u64 disk_bytes__of(int fd);

#endif
