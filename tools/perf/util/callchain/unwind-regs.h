/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of a sample (PERF_SAMPLE_REGS_USER) in the numbering of DWARF. */
#ifndef PERF_CALLCHAIN_UNWIND_REGS_H
#define PERF_CALLCHAIN_UNWIND_REGS_H

#include <stdbool.h>
#include "util/perfdata/sample.h"

#define UNWIND_MAX_REGS 32

struct unwind_regs {
	u32 nr;
	u64 value[UNWIND_MAX_REGS]; /* by DWARF number */
	u64 present;		    /* bits: which of them the sample has */
	u64 ip, sp;
	u32 word_size;		    /* of the task, in bytes */
};

/* elf_machine: EM_* of the task's program. false: unknown machine, or the sample lacks ip or sp. */
bool unwind_regs__of_sample(struct unwind_regs *regs, const struct perf_sample *sample, unsigned int elf_machine);

#endif
