/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls of 32-bit programs, as <asm/unistd_32.h> names them. The kernel has no formats of their arguments: most have those of a call
 * of 64-bit programs.
 */
#ifndef PERF_SOURCE_SYSCALL_COMPAT_H
#define PERF_SOURCE_SYSCALL_COMPAT_H

#include "util/lib/types.h"

#define SYSCALL_COMPAT_ROOM 32

struct syscall_compat {
	char like[SYSCALL_COMPAT_ROOM]; /* the call of 64-bit programs that means the same; empty: there is none */
	const char *args;		/* declarations with commas between them; NULL: those of that call */
};

/* Any name: an unknown one is like itself. */
void syscall_compat__find(const char *name, struct syscall_compat *compat);

#endif
