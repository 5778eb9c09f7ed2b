/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of syscalls by the names of their tracepoints. */
#ifndef PERF_SOURCE_SYSCALL_NUMBER_H
#define PERF_SOURCE_SYSCALL_NUMBER_H

/* -ENOENT: newer than the headers that perf was built with, or an unknown name */
int syscall_number(const char *name);
/* By number: the name of the call itself, as in <asm/unistd.h>, and of its tracepoints. NULL: no such number */
const char *syscall_name(int number);
const char *syscall_function(int number);

#endif
