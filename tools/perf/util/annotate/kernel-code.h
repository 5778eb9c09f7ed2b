/* SPDX-License-Identifier: GPL-2.0 */
/* Code of the kernel and its modules as it lies in memory: from /proc/kcore, or from a copy of it. */
#ifndef PERF_ANNOTATE_KERNEL_CODE_H
#define PERF_ANNOTATE_KERNEL_CODE_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct kernel_code {
	int fd; /* an ELF file in memory with this code only, at its address */
	u16 machine; /* EM_* */
};

/*
 * Copy size bytes from addr on. path: an ELF core file whose segments are the kernel's memory. 0, or -errno with a message; then there is
 * nothing to close.
 */
int kernel_code__open(struct kernel_code *code, const char *path, u64 addr, u64 size, struct errmsg *err);
void kernel_code__close(struct kernel_code *code);

/*
 * Objdump finds no symbols in such a file, and prints plain addresses: "call 0xffffffff81000000". Name them as it would:
 * "call ffffffff81000000 <name+0x10>". text: malloc'ed; returns it, or another one in its place. NULL: no memory, and text is freed.
 * name: writes the name of an address into buf; false: it has none.
 */
char *kernel_code__name_addresses(char *text, bool (*name)(u64 addr, char *buf, size_t size, void *data), void *data);

#endif
