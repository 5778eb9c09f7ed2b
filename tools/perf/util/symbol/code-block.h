/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions of a function, and which of them are reached only from the one before. */
#ifndef PERF_SYMBOL_CODE_BLOCK_H
#define PERF_SYMBOL_CODE_BLOCK_H

#include "util/symbol/dwarf-vars.h"
#include "util/symbol/elf-file.h"
#include "util/symbol/insn.h"

struct code_functions; /* of one object */

struct code_function {
	const struct insn *insn; /* of the range that holds the address that was asked for */
	const bool *is_target;	 /* of each: something jumps there */
	u32 nr;
	bool jumps_anywhere;	 /* there is a jump of which it is not known where it goes: is_target is not all */
};

/* disasm and file, which is open, must outlive them. NULL: -ENOMEM. */
struct code_functions *code_functions__new(struct disasm *disasm, const struct elf_file *file);
void code_functions__delete(struct code_functions *functions);

/* The bytes of code at vaddr, at most size; returns how many there are. */
size_t elf_file__read_code(const struct elf_file *file, u64 vaddr, u8 *code, size_t size);

/*
 * The function that consists of these ranges. Valid until the next call. 0; -ENOENT: vaddr is in none of them, or something there is no
 * instruction; -EFBIG; -ENOMEM.
 */
int code_functions__find(struct code_functions *functions, const struct dwarf_code *range, u32 nr, u64 vaddr,
			 struct code_function *function);

/* Which instruction is at vaddr; -1: none begins there. */
int code_function__at(const struct code_function *function, u64 vaddr);

#endif
