/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of syscalls by the names that their tracepoints have. */
#ifndef PERF_SOURCE_SYSCALL_NUMBER_H
#define PERF_SOURCE_SYSCALL_NUMBER_H

/* -ENOENT: newer than the headers that perf was built with, or not known by this name */
int syscall_number(const char *name);

#endif
