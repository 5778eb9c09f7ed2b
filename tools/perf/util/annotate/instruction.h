/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an instruction that objdump printed does with the flow of control. Its text is read, not its bytes: it is the same for all
 * disassemblers. Machines that are not known have neither jumps nor calls.
 */
#ifndef PERF_ANNOTATE_INSTRUCTION_H
#define PERF_ANNOTATE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

enum instruction_kind { INSTRUCTION_PLAIN, INSTRUCTION_JUMP, INSTRUCTION_CALL, INSTRUCTION_RETURN };

struct instruction {
	enum instruction_kind kind;
	const char *name; /* parts of the text: not terminated */
	int name_len;
	const char *operands; /* "": none */
	bool has_target;
	u64 target; /* address that it jumps to or calls, or of its data */
	const char *target_text; /* in the operands */
	const char *symbol; /* of the target, or of the data at an address that objdump knows: "hot", "sum+0x10"; NULL: none */
	int symbol_len;
};

/* text: as objdump prints it behind the address, with the bytes of the instruction if they were asked for; it must outlive insn. */
void instruction__parse(struct instruction *insn, u16 machine, const char *text, bool has_bytes);
/*
 * The operands in short: names in place of addresses of data and of other code, offsets for jumps in the function, which is size bytes long
 * from start on. Into buf; returns buf.
 */
char *instruction__short_operands(const struct instruction *insn, u64 start, u64 function_size, char *buf, size_t size);
/* Is it a jump to an instruction of that function? */
bool instruction__jumps_within(const struct instruction *insn, u64 start, u64 function_size);

#endif
