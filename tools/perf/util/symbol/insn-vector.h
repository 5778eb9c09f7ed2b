/* SPDX-License-Identifier: GPL-2.0 */
/* Lengths of vector instructions of x86-64 that a disassembler may not know. */
#ifndef PERF_SYMBOL_INSN_VECTOR_H
#define PERF_SYMBOL_INSN_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

/* Of the instruction that the code begins with; 0: it has neither a VEX nor an EVEX prefix, or there is not all of it. */
u32 vector_insn__length(const u8 *code, size_t size);

#endif
