// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/annotate/instruction.h"

static const struct {
	u16 machine;
	const char *text, *name, *operands; /* operands: in short, in a function of 0x80 bytes from 0x1150 on */
	enum instruction_kind kind;
	bool within;
} rows[] = {
	{ EM_X86_64, "   jne    1176 <warm+0x21>", "jne", "26", INSTRUCTION_JUMP, true },
	{ EM_X86_64, "   bnd jmp 1160 <warm+0xb>", "jmp", "10", INSTRUCTION_JUMP, true },
	{ EM_X86_64, "   jmp    1129 <hot>", "jmp", "hot", INSTRUCTION_JUMP, false },
	{ EM_X86_64, "   jmp    *%rax", "jmp", "*%rax", INSTRUCTION_JUMP, false },
	{ EM_X86_64, "   notrack jmp *%rax", "jmp", "*%rax", INSTRUCTION_JUMP, false },
	{ EM_X86_64, "   call   1129 <hot>", "call", "hot", INSTRUCTION_CALL, false },
	{ EM_X86_64, "   call   1129 <f<int>(std::vector<int> const&)>", "call", "f<int>(std::vector<int> const&)", INSTRUCTION_CALL, false },
	{ EM_X86_64, "   call   1129 <operator->(int)>", "call", "operator->(int)", INSTRUCTION_CALL, false },
	{ EM_X86_64, "   call   *0x2fe2(%rip)        # 4018 <where>", "call", "*0x2fe2(%rip)        # 4018 <where>", INSTRUCTION_CALL, false },
	{ EM_X86_64, "   ret", "ret", "", INSTRUCTION_RETURN, false },
	{ EM_X86_64, "   mov    0x2e96(%rip),%rax        # 4018 <sum>", "mov", "sum,%rax", INSTRUCTION_PLAIN, false },
	{ EM_X86_64, "   mov    %rax,-0x10(%rip)        # 4018 <sum+0x8>", "mov", "%rax,sum+0x8", INSTRUCTION_PLAIN, false },
	{ EM_X86_64, "   lock xadd %eax,(%rdx)", "lock", "xadd %eax,(%rdx)", INSTRUCTION_PLAIN, false },
	{ EM_X86_64, "   (bad)", "(bad)", "", INSTRUCTION_PLAIN, false },
	{ EM_X86_64, "", "", "", INSTRUCTION_PLAIN, false },
	{ EM_AARCH64, "   b.ne    1160 <warm+0x10>", "b.ne", "10", INSTRUCTION_JUMP, true },
	{ EM_AARCH64, "   cbz     x0, 1160 <warm+0x10>", "cbz", "x0, 10", INSTRUCTION_JUMP, true },
	{ EM_AARCH64, "   bl      900 <puts@plt>", "bl", "puts@plt", INSTRUCTION_CALL, false },
	{ EM_AARCH64, "   bic     x0, x1, x2", "bic", "x0, x1, x2", INSTRUCTION_PLAIN, false },
	{ EM_S390, "   jne    1176 <warm+0x21>", "jne", "1176 <warm+0x21>", INSTRUCTION_PLAIN, false },
};

static void texts_are_understood(void **state)
{
	struct instruction insn;
	char name[64], operands[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		instruction__parse(&insn, rows[i].machine, rows[i].text, false);
		snprintf(name, sizeof(name), "%.*s", insn.name_len, insn.name);
		assert_string_equal(name, rows[i].name);
		assert_string_equal(instruction__short_operands(&insn, 0x1150, 0x80, operands, sizeof(operands)), rows[i].operands);
		assert_int_equal(insn.kind, rows[i].kind);
		assert_int_equal(instruction__jumps_within(&insn, 0x1150, 0x80), rows[i].within);
	}
}

static void bytes_are_skipped(void **state)
{
	struct instruction insn;

	instruction__parse(&insn, EM_X86_64, "   74 22                   je     1154 <hot+0x2b>", true);
	assert_int_equal(insn.kind, INSTRUCTION_JUMP);
	assert_int_equal(insn.target, 0x1154);
	instruction__parse(&insn, EM_AARCH64, "   54000061        b.ne    1154 <hot+0x2b>", true);
	assert_int_equal(insn.kind, INSTRUCTION_JUMP);
	instruction__parse(&insn, EM_X86_64, "   00 00", true); /* bytes alone: a zero that objdump has put into several lines */
	assert_int_equal(insn.name_len, 0);
}

static void long_operands_are_cut(void **state)
{
	struct instruction insn;
	char operands[4];

	instruction__parse(&insn, EM_X86_64, "   call   1129 <a_long_name>", false);
	assert_string_equal(instruction__short_operands(&insn, 0x1150, 0x80, operands, sizeof(operands)), "a_l");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_understood),
		cmocka_unit_test(bytes_are_skipped),
		cmocka_unit_test(long_operands_are_cut),
	};

	return cmocka_run_group_tests_name("instruction", tests, NULL, NULL);
}
