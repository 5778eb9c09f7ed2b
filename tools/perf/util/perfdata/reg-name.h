/* SPDX-License-Identifier: GPL-2.0 */
/* The names of the registers that samples carry: bits of attr.sample_regs_user and _intr. */
#ifndef PERF_PERFDATA_REG_NAME_H
#define PERF_PERFDATA_REG_NAME_H

#include <stddef.h>
#include "util/lib/types.h"

/* arch as the file's header has it ("x86_64"); NULL: that of this machine. "unknown" for what has no name here. */
const char *reg_name(const char *arch, u32 reg);

/* Those that every sample of user space has on this machine; 0: not known for it. */
u64 regs_of_user(void);
/* Which of these a name is, in any case, len bytes; -1: none. */
int reg_find(const char *name, size_t len);

#endif
