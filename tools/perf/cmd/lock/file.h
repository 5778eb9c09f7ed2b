/* SPDX-License-Identifier: GPL-2.0 */
/* perf lock contention from a recording of lock:contention_begin and lock:contention_end instead of the running system. */
#ifndef PERF_CMD_LOCK_FILE_H
#define PERF_CMD_LOCK_FILE_H

#include "cmd/lock/options.h"

/* Is there a recording to read: that of -i, or perf.data if neither a command nor a target nor -b is given? */
bool lock_file__wanted(const struct lock_options *o, char *const *argv);
/* Read it and print all, after lock_options__check(). Returns the exit status. */
int lock_file__run(struct lock_options *o, char *const *argv);

#endif
