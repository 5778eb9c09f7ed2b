/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_CMD_SCHED_RECORD_H
#define PERF_CMD_SCHED_RECORD_H

/* perf record with the scheduler's tracepoints. argv[0] is the subcommand. Returns the exit status. */
int sched_record(int argc, char **argv, const char *const *usages);

#endif
