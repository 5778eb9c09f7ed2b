/* SPDX-License-Identifier: GPL-2.0 */
/* Evaluates the expressions of call frame information (DWARF 5, sections 2.5 and 6.4.2), as libdw decodes them. */
#ifndef PERF_UNWIND_DWARF_EXPR_H
#define PERF_UNWIND_DWARF_EXPR_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "util/lib/types.h"

struct dwarf_expr_env {
	bool (*read)(void *context, u64 address, u64 *value); /* 8 bytes of memory; false: unknown */
	bool (*reg)(void *context, u64 number, u64 *value);   /* a register, the code's address included; false: unknown */
	void *context;
	u64 cfa; /* DW_OP_call_frame_cfa */
};

/*
 * Evaluate nr operations. *is_value: the result is the value itself, otherwise its address. false: it needs what is unknown, or an
 * operation that no compiler or library uses for frames.
 */
bool dwarf_expr__run(const struct dwarf_expr_env *env, const Dwarf_Op *ops, size_t nr, u64 *result, bool *is_value);

#endif
