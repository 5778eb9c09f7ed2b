/* SPDX-License-Identifier: GPL-2.0 */
/* perf trace -i: system calls of a recording of raw_syscalls:sys_enter and raw_syscalls:sys_exit, as perf trace record makes. */
#ifndef PERF_CMD_TRACE_FILE_H
#define PERF_CMD_TRACE_FILE_H

#include "cmd/trace/options.h"

/* After trace_options__prepare(). Returns the exit status. */
int trace_file__run(struct trace_options *o, char *const *argv);
/* perf trace record: argv[0] is "record". Returns the exit status. */
int trace_file__record(int argc, char **argv);

#endif
