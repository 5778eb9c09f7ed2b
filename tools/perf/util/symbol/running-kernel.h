/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the recorded kernel is the running one, and what the running kernel can then provide. */
#ifndef PERF_SYMBOL_RUNNING_KERNEL_H
#define PERF_SYMBOL_RUNNING_KERNEL_H

#include <stddef.h>
#include "util/machine/machine.h"

/* True without a recorded build-id: nothing contradicts it. */
bool running_kernel__is_recorded(struct machine *machine);

/*
 * The build-id cache's copy of the running kernel's symbols, if that one is recorded: a path for symtab__load_kallsyms_copy(), malloc'ed;
 * NULL: none. Not for modules and BPF programs: they come and go.
 */
char *running_kernel__copy(struct machine *machine, const char *cache);

/* The vdso has no file, but the kernel maps the same one into all processes: an ELF image. NULL: another kernel was recorded. */
const void *running_kernel__vdso(struct machine *machine, size_t *size);

#endif
