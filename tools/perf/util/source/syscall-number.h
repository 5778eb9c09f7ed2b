/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of syscalls by the names of their tracepoints. */
#ifndef PERF_SOURCE_SYSCALL_NUMBER_H
#define PERF_SOURCE_SYSCALL_NUMBER_H

#include "util/lib/types.h"

/* -ENOENT: newer than this perf knows, or an unknown name */
int syscall_number(const char *name);
/*
 * By number, which may be one of 32-bit programs (TRACE_COMPAT, bpf_skel/trace.h): the name of the call itself, as in <asm/unistd.h> or
 * <asm/unistd_32.h>, and of its tracepoints, which 32-bit programs hit none of. NULL: no such number
 */
const char *syscall_name(u32 number);
const char *syscall_function(u32 number);

#endif
