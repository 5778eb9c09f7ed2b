/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a recording was made under the kernel that runs now, and what that kernel can be asked for then. */
#ifndef PERF_SYMBOL_RUNNING_KERNEL_H
#define PERF_SYMBOL_RUNNING_KERNEL_H

#include <stddef.h>
#include "util/machine/machine.h"

/* Without a recorded build-id there is nothing that speaks against it. */
bool running_kernel__is_recorded(struct machine *machine);

/* The vdso is no file, but the kernel gave this process the same one as all: an ELF image. NULL: that was another kernel. */
const void *running_kernel__vdso(struct machine *machine, size_t *size);

#endif
