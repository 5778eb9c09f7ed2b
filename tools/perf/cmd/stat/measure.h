/* SPDX-License-Identifier: GPL-2.0 */
/* Counting and printing, as the options say. */
#ifndef PERF_CMD_STAT_MEASURE_H
#define PERF_CMD_STAT_MEASURE_H

#include "cmd/stat/recording.h"

/* Returns the exit status of perf stat, after messages. */
int stat_measure(struct stat_options *o, struct stat_recording *recording);

#endif
