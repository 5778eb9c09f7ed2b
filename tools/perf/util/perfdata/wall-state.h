/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a thread, of enum offcpu_state, in the raw data of samples of wall-clock time: its name, with NUL and more of them. */
#ifndef PERF_PERFDATA_WALL_STATE_H
#define PERF_PERFDATA_WALL_STATE_H

#include "util/perfdata/sample.h"

#define WALL_STATE_SIZE 12

const char *wall_state__name(u32 state); /* all WALL_STATE_SIZE bytes can be read */

/* NULL: the sample is of no such event */
const char *wall_state__of(const struct perf_sample *sample);

#endif
