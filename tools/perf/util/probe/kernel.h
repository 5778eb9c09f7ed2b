/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of the running kernel, by kallsyms, and where its debug information is. */
#ifndef PERF_PROBE_KERNEL_H
#define PERF_PROBE_KERNEL_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct probe_kernel_function {
	char *name;
	u64 addr;
	bool is_ambiguous; /* others have the same name */
};

struct probe_kernel_functions { /* sorted by name */
	struct probe_kernel_function *function;
	size_t nr;
	u64 text; /* address of _text, 0: unknown */
};

/* Those whose name fits, of the core kernel, or of a loaded module. -EPERM: the kernel hides their addresses. Exit in any case. */
int probe_kernel_functions__find(struct probe_kernel_functions *functions, const char *wanted, const char *module, struct errmsg *err);
void probe_kernel_functions__exit(struct probe_kernel_functions *functions);

bool probe_kernel__is_blacklisted(const char *function); /* the kernel refuses probes on it */
/* The vmlinux of the running kernel; malloc'ed, NULL with errno: ENOENT, ENOMEM */
char *probe_kernel__find_vmlinux(void);
/* Address of _text in a vmlinux; 0: it has none */
u64 probe_kernel__text_of(const char *vmlinux);

#endif
