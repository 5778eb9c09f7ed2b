/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of addresses in the running kernel: functions and, as far as kallsyms lists them, variables; of the core kernel, of modules
 * and of BPF programs. A symbol reaches up to the next one.
 */
#ifndef PERF_SYMBOL_KERNEL_NAMES_H
#define PERF_SYMBOL_KERNEL_NAMES_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct kernel_names;

struct kernel_name {
	u64 start;
	const char *name; /* owned by the table */
	bool is_code;
};

/* Reads kallsyms (path NULL: /proc/kallsyms), which takes some 50 ms. -EPERM: the kernel hides its addresses. */
int kernel_names__new(const char *path, struct kernel_names **names, struct errmsg *err);
/* NULL: no symbol starts there or before. */
const struct kernel_name *kernel_names__find(const struct kernel_names *names, u64 address);
/* By its name; NULL: there is none. */
const struct kernel_name *kernel_names__find_name(const struct kernel_names *names, const char *name);
void kernel_names__delete(struct kernel_names *names); /* NULL is fine */

#endif
