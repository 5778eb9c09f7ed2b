/* SPDX-License-Identifier: GPL-2.0 */
/* Writing by stdio. */
#ifndef PERF_LIB_STREAM_H
#define PERF_LIB_STREAM_H

#include <stdio.h>

/*
 * Write out what the stream holds. 0 or -errno, also if it was an earlier write that failed: then the cause is that of the first flush that did,
 * or -EIO where no flush has told it. Stdio drops what it cannot write and keeps only that it failed, so errno is of no use by then.
 */
int stream__flush(FILE *fp);

#endif
