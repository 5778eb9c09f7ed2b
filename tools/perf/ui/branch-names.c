// SPDX-License-Identifier: GPL-2.0
#include "ui/branch-names.h"

#include "util/lib/types.h"

const char *branch__type(const struct perf_branch_entry *branch)
{
	static const char *const types[] = { "", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET",
					     "COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "" };
	static const char *const new_types[16] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4",
						   "ARCH_5" };

	if (branch->type != PERF_BR_EXTEND_ABI)
		return types[branch->type];
	return new_types[branch->new_type] ?: "";
}

const char *branch__speculation(const struct perf_branch_entry *branch)
{
	static const char *const names[] = { "", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH" };

	return names[branch->spec];
}

/* A member of perf_branch_entry in Linux 7.0; older headers have reserved bits there. */
bool branch__not_taken(const struct perf_branch_entry *branch)
{
	return ((const u64 *)branch)[2] >> 33 & 1;
}
