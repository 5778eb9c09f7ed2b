/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an instruction does to memory and registers: as much disassembly as following pointers needs. x86-64 only, by libcapstone,
 * which is loaded at the first use; a perf that was built without that library, or does not find it, has no disassembler.
 */
#ifndef PERF_SYMBOL_INSN_H
#define PERF_SYMBOL_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

#define INSN_NO_REG (-1)
#define INSN_REGS 16	/* general registers, by DWARF number */
#define INSN_ALL_REGS ((1U << INSN_REGS) - 1)
#define INSN_MAX_SIZE 15

enum insn_kind {
	INSN_OTHER,
	INSN_MOVE,    /* to = from, all 64 bits, also in the following ones */
	INSN_LOAD,    /* to = what is at mem */
	INSN_ADDRESS, /* to = the address mem; memory is not accessed */
	INSN_ADD,     /* to += imm */
	INSN_STACK,   /* a push, pop, call or return: it accesses the stack, whatever its operands */
};

enum insn_segment { INSN_SEGMENT_NONE, INSN_SEGMENT_FS, INSN_SEGMENT_GS };

struct insn_mem {
	signed char base, index; /* INSN_NO_REG: none */
	u8 scale;	/* of index */
	u8 segment;	/* added to the address */
	s64 disp;	/* without base and index: the address itself */
};

struct insn {
	u64 addr;
	u8 size;
	u8 kind;
	bool has_mem;	   /* accesses memory at mem, or is INSN_ADDRESS */
	bool leaves;	   /* another instruction than the next may follow: a jump, call, return, interrupt; also a conditional jump */
	bool is_cond_jump;
	bool is_indirect;  /* a jump with an unknown target */
	bool has_target;   /* for jumps and calls */
	bool may_fuse;	   /* the CPU may fuse it with a conditional jump after it: a comparison, addition ... */
	signed char to, from;
	u16 changes;	   /* changed registers, as bits; may include unchanged ones */
	struct insn_mem mem;
	s64 imm;
	u64 target;
};

struct disasm;

bool disasm__available(void);
const char *disasm__remedy(void); /* what to do if it is not available; static */
/* 0; -EOPNOTSUPP: other ELF machine, or no disassembler; -ENOMEM. */
int disasm__new(u16 elf_machine, struct disasm **disasm);
void disasm__delete(struct disasm *disasm);

/* Decode the first instruction of code; false: unknown instruction. */
bool disasm__decode(struct disasm *disasm, const u8 *code, size_t size, u64 addr, struct insn *insn);
/* Length only, also for vector instructions that are newer than the disassembler; 0: unknown instruction. */
u32 disasm__length(struct disasm *disasm, const u8 *code, size_t size);

#endif
