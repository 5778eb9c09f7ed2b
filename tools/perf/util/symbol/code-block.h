/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions of a function, and which of them run only after the one before. */
#ifndef PERF_SYMBOL_CODE_BLOCK_H
#define PERF_SYMBOL_CODE_BLOCK_H

#include "util/symbol/dwarf-vars.h"
#include "util/symbol/elf-file.h"
#include "util/symbol/insn.h"

struct code_functions; /* of one object */

struct code_function {
	const struct insn *insn; /* of the range that holds the requested address */
	const bool *is_target;	 /* for each instruction: something jumps to it */
	u32 nr;
	bool jumps_anywhere;	 /* a jump has an unknown target: is_target is incomplete */
};

/* disasm and file must outlive them; file is open. NULL: -ENOMEM. */
struct code_functions *code_functions__new(struct disasm *disasm, const struct elf_file *file);
void code_functions__delete(struct code_functions *functions);

/* Read the code at vaddr, at most size bytes; returns the number of bytes. */
size_t elf_file__read_code(const struct elf_file *file, u64 vaddr, u8 *code, size_t size);

/*
 * Get the function that consists of these ranges. Valid until the next call. 0; -ENOENT: vaddr is in none of them, or the bytes are
 * no instruction; -EFBIG; -ENOMEM.
 */
int code_functions__find(struct code_functions *functions, const struct dwarf_code *range, u32 nr, u64 vaddr,
			 struct code_function *function);

/* Index of the instruction at vaddr; -1: none begins there. */
int code_function__at(const struct code_function *function, u64 vaddr);

#endif
