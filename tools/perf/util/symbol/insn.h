/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an instruction does with memory and registers: as much of a disassembly as it takes to follow pointers. Of x86-64, by
 * libcapstone; a perf that was built without that library has no disassembler.
 */
#ifndef PERF_SYMBOL_INSN_H
#define PERF_SYMBOL_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

#define INSN_NO_REG (-1)
#define INSN_REGS 16	/* general registers, by their numbers in DWARF */
#define INSN_ALL_REGS ((1U << INSN_REGS) - 1)
#define INSN_MAX_SIZE 15

enum insn_kind {
	INSN_OTHER,
	INSN_MOVE,    /* to = from, all 64 bits, as in those that follow */
	INSN_LOAD,    /* to = what is at mem */
	INSN_ADDRESS, /* to = the address mem; memory is not accessed */
	INSN_ADD,     /* to += imm */
	INSN_STACK,   /* a push, pop, call or return: it is the stack that it accesses, whatever else */
};

enum insn_segment { INSN_SEGMENT_NONE, INSN_SEGMENT_FS, INSN_SEGMENT_GS };

struct insn_mem {
	signed char base, index; /* INSN_NO_REG: none */
	u8 scale;	/* of index */
	u8 segment;	/* what is added to it all */
	s64 disp;	/* with neither base nor index: the address */
};

struct insn {
	u64 addr;
	u8 size;
	u8 kind;
	bool has_mem;	   /* an operand in memory that is accessed, or INSN_ADDRESS */
	bool leaves;	   /* what follows is not what runs next: a jump, call, return, interrupt; also a conditional jump */
	bool is_cond_jump;
	bool is_indirect;  /* a jump to somewhere unknown */
	bool has_target;   /* of jumps and calls */
	bool may_fuse;	   /* with a conditional jump behind it, to one operation of the CPU: a comparison, addition ... */
	signed char to, from;
	u16 changes;	   /* registers, as bits; rather one too many */
	struct insn_mem mem;
	s64 imm;
	u64 target;
};

struct disasm;

bool disasm__available(void);
/* 0; -EOPNOTSUPP: not of this kind of ELF machine, or not at all; -ENOMEM. */
int disasm__new(u16 elf_machine, struct disasm **disasm);
void disasm__delete(struct disasm *disasm);

/* The instruction that the code begins with; false: it is none that is known. */
bool disasm__decode(struct disasm *disasm, const u8 *code, size_t size, u64 addr, struct insn *insn);
/* Its length alone, also of vector instructions that are newer than the disassembler; 0: it is none that is known. */
u32 disasm__length(struct disasm *disasm, const u8 *code, size_t size);

#endif
