/* SPDX-License-Identifier: GPL-2.0 */
/* perf kwork from a recording instead of the running system. */
#ifndef PERF_CMD_KWORK_FILE_H
#define PERF_CMD_KWORK_FILE_H

#include "cmd/kwork/options.h"

/* Is there a recording to read: that of -i, or perf.data if neither a command nor -b is given? */
bool kwork_file__wanted(const struct kwork_options *o, char *const *argv);
/* Read it and print all, after kwork_options__check(). Returns the exit status. */
int kwork_file__run(struct kwork_options *o, char *const *argv);

#endif
