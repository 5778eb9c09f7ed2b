/* SPDX-License-Identifier: GPL-2.0 */
/* The registers that samples of this machine can hold (include/uapi/asm/perf_regs.h of each architecture). */
#ifndef PERF_EVENT_REGS_H
#define PERF_EVENT_REGS_H

#include "util/lib/types.h"

/* The name of a bit of attr.sample_regs_*; NULL: there is none. */
const char *reg__name(unsigned int bit);
/* The bit of a name, in any case, len bytes; -1: there is none. */
int reg__find(const char *name, size_t len);
/* All that a sample of user space has; 0: not known for this machine. */
u64 regs__of_user(void);

#endif
