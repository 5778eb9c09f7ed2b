// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/unwind-regs.h"

#include <elf.h>

/*
 * Numbers of registers in samples: arch/x86/include/uapi/asm/perf_regs.h, arch/arm64/include/uapi/asm/perf_regs.h. Those of
 * DWARF are in the ABI's supplement of each machine.
 */
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8 = 16, R9, R10, R11, R12, R13, R14, R15 };
enum { ARM64_SP = 31, ARM64_PC = 32 };

static const u8 x86_64_regs[] = { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15, IP };
static const u8 i386_regs[] = { AX, CX, DX, BX, SP, BP, SI, DI, IP };
static const u8 arm64_regs[] = { 0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15,
				 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, ARM64_SP };

static const struct {
	u16 machine;
	u8 abi; /* PERF_SAMPLE_REGS_ABI_* */
	u8 word_size;
	u8 ip, sp;	/* in samples */
	u8 nr;
	const u8 *regs; /* in samples, by DWARF number */
} machines[] = {
	{ EM_X86_64, PERF_SAMPLE_REGS_ABI_64, 8, IP, SP, ARRAY_SIZE(x86_64_regs), x86_64_regs },
	{ EM_386, PERF_SAMPLE_REGS_ABI_32, 4, IP, SP, ARRAY_SIZE(i386_regs), i386_regs },
	{ EM_AARCH64, PERF_SAMPLE_REGS_ABI_64, 8, ARM64_PC, ARM64_SP, ARRAY_SIZE(arm64_regs), arm64_regs },
};

/* A sample has the registers in its mask, lowest first. */
static bool reg(const struct perf_sample *sample, unsigned int nr, u64 *value)
{
	u64 bit = 1ULL << nr;

	if (!sample->user_regs || !(sample->user_regs_mask & bit))
		return false;
	*value = sample->user_regs[__builtin_popcountll(sample->user_regs_mask & (bit - 1))];
	return true;
}

bool unwind_regs__of_sample(struct unwind_regs *regs, const struct perf_sample *sample, unsigned int elf_machine)
{
	size_t m;

	for (m = 0; m < ARRAY_SIZE(machines); m++) {
		if (machines[m].machine == elf_machine && machines[m].abi == sample->user_regs_abi)
			break;
	}
	if (m == ARRAY_SIZE(machines))
		return false;
	*regs = (struct unwind_regs){ .nr = machines[m].nr, .word_size = machines[m].word_size };
	for (u32 i = 0; i < regs->nr; i++) {
		if (reg(sample, machines[m].regs[i], &regs->value[i]))
			regs->present |= 1ULL << i;
	}
	return reg(sample, machines[m].ip, &regs->ip) && reg(sample, machines[m].sp, &regs->sp);
}
