// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/instruction.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/types.h"

struct kind_row {
	const char *prefix;
	enum instruction_kind kind;
	bool whole; /* the name is this, else it begins so */
};

/* The first row that fits is taken. */
static const struct kind_row x86[] = {
	{ "j", INSTRUCTION_JUMP, false }, { "call", INSTRUCTION_CALL, false }, { "ret", INSTRUCTION_RETURN, false },
	{ "loop", INSTRUCTION_JUMP, false }, { "iret", INSTRUCTION_RETURN, false }, {},
};

static const struct kind_row arm64[] = {
	{ "b", INSTRUCTION_JUMP, true }, { "b.", INSTRUCTION_JUMP, false }, { "bc.", INSTRUCTION_JUMP, false },
	{ "br", INSTRUCTION_JUMP, true }, { "cbz", INSTRUCTION_JUMP, true }, { "cbnz", INSTRUCTION_JUMP, true },
	{ "tbz", INSTRUCTION_JUMP, true }, { "tbnz", INSTRUCTION_JUMP, true }, { "bl", INSTRUCTION_CALL, true },
	{ "blr", INSTRUCTION_CALL, false }, { "ret", INSTRUCTION_RETURN, false }, { "eret", INSTRUCTION_RETURN, false }, {},
};

static const struct kind_row riscv[] = {
	{ "beq", INSTRUCTION_JUMP, false }, { "bne", INSTRUCTION_JUMP, false }, { "bl", INSTRUCTION_JUMP, false },
	{ "bg", INSTRUCTION_JUMP, false }, { "jal", INSTRUCTION_CALL, false }, { "j", INSTRUCTION_JUMP, true },
	{ "jr", INSTRUCTION_JUMP, true }, { "ret", INSTRUCTION_RETURN, true }, {},
};

static const struct {
	u16 machine;
	const struct kind_row *rows;
} machines[] = {
	{ EM_X86_64, x86 }, { EM_386, x86 }, { EM_AARCH64, arm64 }, { EM_RISCV, riscv },
};

static enum instruction_kind kind_of(u16 machine, const char *name, int len)
{
	const struct kind_row *row = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(machines) && !row; i++)
		row = machines[i].machine == machine ? machines[i].rows : NULL;
	for (; row && row->prefix; row++) {
		int want = strlen(row->prefix);

		if (len >= want && !memcmp(name, row->prefix, want) && (!row->whole || len == want))
			return row->kind;
	}
	return INSTRUCTION_PLAIN;
}

static int word_length(const char *text)
{
	return strcspn(text, " ");
}

/* One byte, or a word of machines whose instructions are words */
static bool is_bytes(const char *word, int len)
{
	if (len != 2 && len != 4 && len != 8)
		return false;
	for (int i = 0; i < len; i++) {
		if (!isxdigit((unsigned char)word[i]))
			return false;
	}
	return true;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " ");
}

/* Words in front of the name that belong to the instruction */
static bool is_prefix(u16 machine, const char *word, int len)
{
	static const char *const prefixes[] = { "bnd", "notrack", "lock", "rep", "repz", "repnz", "data16", "cs", "ds", "addr32" };

	for (size_t i = 0; (machine == EM_X86_64 || machine == EM_386) && i < ARRAY_SIZE(prefixes); i++) {
		if ((int)strlen(prefixes[i]) == len && !memcmp(word, prefixes[i], len))
			return true;
	}
	return false;
}

/* "401136 <hot+0x21>" at the end, of a target or behind '#' or "//" */
static void find_symbol(struct instruction *insn)
{
	const char *open = strrchr(insn->operands, '<'), *close = strrchr(insn->operands, '>'), *digits = open;
	char *end;

	if (!open || !close || close < open)
		return;
	for (const char *at = strchr(insn->operands, '<'); at && at < open; at = strchr(at + 1, '<')) {
		if (at > insn->operands && at[-1] == ' ' && isxdigit((unsigned char)at[-2])) { /* "<f<int>(int)>" */
			digits = open = at;
			break;
		}
	}
	while (digits > insn->operands && digits[-1] == ' ')
		digits--;
	while (digits > insn->operands && isxdigit((unsigned char)digits[-1]))
		digits--;
	insn->target = strtoull(digits, &end, 16);
	if (end == digits)
		return;
	insn->has_target = true;
	insn->target_text = digits;
	insn->symbol = open + 1;
	insn->symbol_len = close - open - 1;
}

void instruction__parse(struct instruction *insn, u16 machine, const char *text, bool has_bytes)
{
	const char *name = skip_blanks(text), *word, *next;

	*insn = (struct instruction){};
	while (has_bytes && is_bytes(name, word_length(name)))
		name = skip_blanks(name + word_length(name));
	for (word = name; is_prefix(machine, word, word_length(word)); word = next) {
		next = skip_blanks(word + word_length(word));
		if (!*next)
			break;
	}
	insn->kind = kind_of(machine, word, word_length(word));
	if (insn->kind == INSTRUCTION_PLAIN)
		word = name;
	insn->name = word;
	insn->name_len = word_length(word);
	insn->operands = skip_blanks(word + insn->name_len);
	find_symbol(insn);
	if (insn->kind == INSTRUCTION_RETURN || (insn->kind != INSTRUCTION_PLAIN && strchr(insn->operands, '*'))) /* *0x2fe2(%rip) # 4000 <where>: data */
		insn->has_target = false;
}

static bool names_data(const struct instruction *insn)
{
	return insn->symbol && insn->kind == INSTRUCTION_PLAIN;
}

/* Length of the operands without the comment, and where the operand that it is about begins and ends; false: there is none. */
static bool find_commented(const struct instruction *insn, int *len, const char **from, const char **to)
{
	const char *comment = strstr(insn->operands, " # "), *rip = strstr(insn->operands, "(%rip)");

	if (!comment || !rip || rip > comment)
		return false;
	*len = comment - insn->operands;
	while (*len && insn->operands[*len - 1] == ' ')
		--*len;
	*to = rip + strlen("(%rip)");
	*from = rip;
	while (*from > insn->operands && (isxdigit((unsigned char)(*from)[-1]) || strchr("x-", (*from)[-1])))
		--*from;
	return true;
}

bool instruction__jumps_within(const struct instruction *insn, u64 start, u64 function_size)
{
	return insn->kind == INSTRUCTION_JUMP && insn->has_target && insn->target - start < function_size;
}

char *instruction__short_operands(const struct instruction *insn, u64 start, u64 function_size, char *buf, size_t size)
{
	const char *from, *to;
	int len;

	if (instruction__jumps_within(insn, start, function_size))
		snprintf(buf, size, "%.*s%" PRIx64, (int)(insn->target_text - insn->operands), insn->operands, (uint64_t)(insn->target - start));
	else if (insn->has_target && (insn->kind == INSTRUCTION_CALL || insn->kind == INSTRUCTION_JUMP))
		snprintf(buf, size, "%.*s%.*s", (int)(insn->target_text - insn->operands), insn->operands, insn->symbol_len, insn->symbol);
	else if (names_data(insn) && find_commented(insn, &len, &from, &to))
		snprintf(buf, size, "%.*s%.*s%.*s", (int)(from - insn->operands), insn->operands, insn->symbol_len, insn->symbol,
			 (int)(insn->operands + len - to), to);
	else
		snprintf(buf, size, "%s", insn->operands);
	return buf;
}
