/* SPDX-License-Identifier: GPL-2.0 */
/* perf trace -i: system calls of a recording of raw_syscalls:sys_enter and raw_syscalls:sys_exit, page faults and other events, as perf trace record makes. */
#ifndef PERF_CMD_TRACE_FILE_H
#define PERF_CMD_TRACE_FILE_H

#include "cmd/trace/options.h"

/* After trace_options__prepare(). Returns the exit status. */
int trace_file__run(struct trace_options *o, char *const *argv);
/* perf trace record: argv[0] is "record", o has the options before it. Returns the exit status. */
int trace_file__record(const struct trace_options *o, int argc, char **argv);

#endif
