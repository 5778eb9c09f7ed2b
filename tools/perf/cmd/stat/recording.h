/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The perf.data of perf stat record: its counts, round by round, with their CPUs and threads. Order of calls: new, begin when
 * the events are open, round after each reading, finish.
 */
#ifndef PERF_CMD_STAT_RECORDING_H
#define PERF_CMD_STAT_RECORDING_H

#include "cmd/stat/options.h"
#include "util/counter/counters.h"

/* The attr of events that perf counts itself, as other perfs write it: config is enum evsel_tool. */
#define STAT_TOOL_TYPE 0xfffffffe

struct stat_recording;

/* For the file of -o, or perf.data; "-": the standard output, as a pipe. argv: the command line. Both must outlive it. NULL: no memory. */
struct stat_recording *stat_recording__new(const struct stat_options *o, int argc, const char *const *argv);
void stat_recording__delete(struct stat_recording *r); /* NULL is fine */
bool stat_recording__is_pipe(const struct stat_recording *r);

/* Makes the file: if events cannot be opened, an older one stays. -errno with err, as the others */
int stat_recording__begin(struct stat_recording *r, const struct counters *c, struct errmsg *err);
/* The counts of the last reading, which was at that time, in ns since the beginning */
int stat_recording__round(struct stat_recording *r, const struct counters *c, bool is_last, u64 time, struct errmsg *err);
int stat_recording__finish(struct stat_recording *r, struct errmsg *err);

#endif
