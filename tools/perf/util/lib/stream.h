/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing results by stdio. What a stream cannot write it drops, and it would write what follows: after a hole, or into a pipe without a reader,
 * where SIGPIPE ends perf before it has told anything. So the first failure is the last one: what is printed afterwards goes nowhere.
 */
#ifndef PERF_LIB_STREAM_H
#define PERF_LIB_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Write out what the stream holds. 0 or -errno, also if it was an earlier write that failed: then the cause is that of the first flush that did.
 * Of a write that stdio made by itself errno is the cause, if it still tells one, else -EIO: so call this right after printing.
 */
int stream__flush(FILE *fp);

bool stream__lost_reader(void);             /* Has a flush failed because nobody reads the stream any more? */
bool stream__stdout_has_failed(void *data); /* flush the standard output. data is not used: this is a callback */

#endif
