/* SPDX-License-Identifier: GPL-2.0 */
/* Calls whose arguments and results depend on a command that is one of the arguments: fcntl(2), prctl(2). */
#ifndef PERF_UI_TRACE_COMMANDS_H
#define PERF_UI_TRACE_COMMANDS_H

#include "util/bpf_skel/trace.h"
#include "util/source/syscall-formats.h"

struct trace_command; /* what one command takes and returns */

/* NULL: the call has none, or it is not known. */
const struct trace_command *trace_command__find(const struct syscall_format *format, const struct trace_call *call);

/* Of all three: command NULL is one that nothing is known of. i: the argument of the call */
bool trace_command__uses(const struct trace_command *command, int i);
bool trace_command__points(const struct trace_command *command, int i); /* is it an address? If something was copied, it is from there. */
const struct syscall_names *trace_command__names(const struct trace_command *command, int i); /* NULL: none */

/* Of the flags or the constant that it returns; NULL: none */
const struct syscall_names *trace_command__result(const struct trace_command *command);

#endif
