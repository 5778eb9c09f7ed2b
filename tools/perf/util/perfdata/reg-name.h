/* SPDX-License-Identifier: GPL-2.0 */
/* The names of the registers that samples carry: bits of attr.sample_regs_user and _intr. */
#ifndef PERF_PERFDATA_REG_NAME_H
#define PERF_PERFDATA_REG_NAME_H

#include "util/lib/types.h"

/* arch as the file's header has it ("x86_64"); NULL: that of this machine. "unknown" for what has no name here. */
const char *reg_name(const char *arch, u32 reg);

#endif
