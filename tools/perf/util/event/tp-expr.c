// SPDX-License-Identifier: GPL-2.0
/* Types of C, by their names and by fields. */
#include "util/event/tp-expr.h"

#include <ctype.h>
#include <string.h>
#include <traceevent/event-parse.h>

bool tp_name__has(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool tp_name__is(struct tp_name name, const char *s)
{
	return !strncmp(s, name.at, name.len) && !s[name.len];
}

static const struct known_type {
	const char *name;
	u8 size; /* 0: of a long */
	bool is_signed;
} known_types[] = {
	{ "char", 1, true }, { "short", 2, true }, { "int", 4, true }, { "long", 0, true }, { "bool", 1, false }, { "_Bool", 1, false },
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false }, { "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true },
	{ "s64", 8, true }, { "x8", 1, false }, { "x16", 2, false }, { "x32", 4, false }, { "x64", 8, false },
	{ "uint8_t", 1, false }, { "uint16_t", 2, false }, { "uint32_t", 4, false }, { "uint64_t", 8, false },
	{ "int8_t", 1, true }, { "int16_t", 2, true }, { "int32_t", 4, true }, { "int64_t", 8, true },
	{ "size_t", 0, false }, { "ssize_t", 0, true }, { "uintptr_t", 0, false }, { "loff_t", 8, true }, { "dev_t", 4, false }, { "gfp_t", 4, false },
	{ "pid_t", 4, true }, { "uid_t", 4, false }, { "gid_t", 4, false }, { "umode_t", 2, false }, { "ino_t", 0, false }, { "sector_t", 8, false },
	{ "uint", 4, false }, { "ulong", 0, false }, { "ushort", 2, false },
	{ "__le16", 2, false }, { "__le32", 4, false }, { "__le64", 8, false }, { "__be16", 2, false }, { "__be32", 4, false }, { "__be64", 8, false },
};

static const struct known_type *find_type(struct tp_name name)
{
	if (name.len > 3 && !strncmp(name.at, "__u", 3)) /* __u8 */
		name = (struct tp_name){ name.at + 2, name.len - 2 };
	else if (name.len > 3 && !strncmp(name.at, "__s", 3))
		name = (struct tp_name){ name.at + 2, name.len - 2 };
	for (size_t i = 0; i < ARRAY_SIZE(known_types); i++) {
		if (tp_name__is(name, known_types[i].name))
			return &known_types[i];
	}
	return NULL;
}

bool tp_name__is_type(struct tp_name name)
{
	return find_type(name);
}

bool tp_name__qualifies(struct tp_name name)
{
	static const char *const words[] = { "const", "volatile", "unsigned", "signed", "struct", "union", "enum", "__force", "static" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (tp_name__is(name, words[i]))
			return true;
	}
	return false;
}

void tp_type_words__add(struct tp_type_words *words, struct tp_name name, int long_size)
{
	const struct known_type *known = find_type(name);

	words->some = true;
	words->is_unsigned |= tp_name__is(name, "unsigned");
	words->is_enum |= tp_name__is(name, "enum");
	words->longs += tp_name__is(name, "long");
	words->last = name;
	if (!known)
		return;
	if (words->longs == 2)
		words->size = 8;
	else if (!words->size || !tp_name__is(name, "int")) /* "long int", "short int" */
		words->size = known->size ?: long_size;
	words->is_signed = known->is_signed;
}

struct tp_type tp_type_words__type(const struct tp_type_words *words)
{
	if (!words->size && (words->is_unsigned || words->is_enum))
		return (struct tp_type){ .size = 4 };
	return (struct tp_type){ .size = words->size, .is_signed = words->is_signed && !words->is_unsigned };
}

static struct tp_type type_by_text(const char *text)
{
	struct tp_type_words words = {};

	while (*text) {
		struct tp_name name = { text, 0 };

		while (tp_name__has(text[name.len]))
			name.len++;
		if (name.len)
			tp_type_words__add(&words, name, 8);
		text += name.len ?: 1;
	}
	return tp_type_words__type(&words);
}

struct tp_type tp_type__of_field(const struct tep_format_field *field)
{
	struct tp_type type = { .size = field->size <= 8 ? field->size : 0, .is_signed = field->flags & TEP_FIELD_IS_SIGNED };
	u8 size;

	if (!(field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)))
		return type;
	type.size = field->elementsize;
	/* "u16 a[]" of a probe has its size from all elements, and "char[]" its sign from the kernel's compiler. */
	size = type_by_text(field->type).size;
	if (size)
		type.size = size;
	return type;
}

u64 tp_type__fit(struct tp_type type, u64 number)
{
	const unsigned int spare = type.size && type.size < 8 ? 64 - 8 * type.size : 0;

	if (type.is_signed)
		return (u64)((s64)(number << spare) >> spare);
	return number << spare >> spare;
}
