/* SPDX-License-Identifier: GPL-2.0 */
/* perf stat report: show the counts in a recording of perf stat record, ours or another perf's. */
#ifndef PERF_CMD_STAT_REPORT_H
#define PERF_CMD_STAT_REPORT_H

#include "cmd/stat/options.h"

/* input: a file, or "-". Returns the exit status, after a message. */
int stat_report(struct stat_options *o, const char *input);

#endif
