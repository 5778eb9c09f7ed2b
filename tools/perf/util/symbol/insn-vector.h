/* SPDX-License-Identifier: GPL-2.0 */
/* Lengths of x86-64 vector instructions that a disassembler may not know. */
#ifndef PERF_SYMBOL_INSN_VECTOR_H
#define PERF_SYMBOL_INSN_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

/* Length of the first instruction of code; 0: it has neither a VEX nor an EVEX prefix, or is incomplete. */
u32 vector_insn__length(const u8 *code, size_t size);

#endif
