// SPDX-License-Identifier: GPL-2.0
#include "util/probe/operand.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"

#define MAX_NAME 63 /* the kernel's limit for names of events, groups and arguments, without the NUL */

bool probe_name__is_valid(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > MAX_NAME || isdigit((unsigned char)*name))
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

/* The kernel's own language: each function goes over a part and returns what is behind it, NULL: it is none. */

#define MAX_NESTED 16

static const char *skip_word(const char *p)
{
	const char *begin = p;

	while (isalnum((unsigned char)*p) || *p == '_' || *p == '.')
		p++;
	return p > begin ? p : NULL;
}

static const char *skip_number(const char *p)
{
	char *end;

	if (!isdigit((unsigned char)*p))
		return NULL;
	errno = 0;
	strtoull(p, &end, 0);
	return errno ? NULL : end;
}

/* @0x1234, @+0x10, @symbol, @symbol+8 */
static const char *skip_address(const char *p)
{
	const char *end = skip_number(*p == '+' ? p + 1 : p);

	if (end || *p == '+')
		return end;
	end = skip_word(p);
	return end && (*end == '+' || *end == '-') ? skip_number(end + 1) : end;
}

static const char *skip_special(const char *p)
{
	static const char *const words[] = { "retval", "comm", "arg", "stack" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t len = strlen(words[i]);
		const bool is_arg = !strcmp(words[i], "arg"), may_number = is_arg || !strcmp(words[i], "stack");

		if (strncmp(p, words[i], len))
			continue;
		p += len;
		return may_number && isdigit((unsigned char)*p) ? skip_number(p) : is_arg ? NULL : p;
	}
	return NULL;
}

static const char *skip_immediate(const char *p)
{
	if (*p == '"') {
		const char *end = strchr(p + 1, '"');

		return end && end > p + 1 ? end + 1 : NULL;
	}
	return skip_number(*p == '-' ? p + 1 : p);
}

static const char *skip_simple(const char *p)
{
	switch (*p) {
	case '%': return skip_word(p + 1);
	case '@': return skip_address(p + 1);
	case '$': return skip_special(p + 1);
	case '\\': return skip_immediate(p + 1);
	}
	return NULL;
}

/* +8(-u0(%sp)) */
static const char *skip_fetch(const char *p)
{
	unsigned int nested = 0;

	while (p && (*p == '+' || *p == '-') && nested++ < MAX_NESTED) {
		p = skip_number(p + 1 + (p[1] == 'u'));
		p = p && *p == '(' ? p + 1 : NULL;
	}
	p = p ? skip_simple(p) : NULL;
	for (; p && nested && *p == ')'; nested--)
		p++;
	return nested ? NULL : p;
}

static bool is_word_of(const char *type, size_t len, const char *const *words)
{
	for (; *words; words++) {
		if (strlen(*words) == len && !strncmp(type, *words, len))
			return true;
	}
	return false;
}

/* b3@2/32 */
static bool is_bits(const char *type)
{
	unsigned int width, offset, size;
	int len = 0;

	return sscanf(type, "b%2u@%2u/%2u%n", &width, &offset, &size, &len) == 3 && !type[len] && width && width + offset <= size &&
	       (size == 8 || size == 16 || size == 32 || size == 64);
}

static bool is_type(const char *type)
{
	static const char *const types[] = {
		"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16", "x32", "x64", "char", "string", "ustring", "symbol", "symstr",
		"u", "s", "x", "%pd", "%pD", NULL,
	};
	const size_t len = strcspn(type, "[");
	const char *end;

	if (is_bits(type))
		return true;
	if (!is_word_of(type, len, types))
		return false;
	end = type[len] ? skip_number(type + len + 1) : type + len;
	return end && (!type[len] || (*end == ']' && !end[1]));
}

static int parse_raw(struct probe_operand *o, struct errmsg *err)
{
	const char *end = skip_fetch(o->variable);

	if (o->type && strcspn(o->type, "[") == 1)
		return errmsg__set(err, EINVAL, "'%s' takes its size from a variable, and %s is none: take %c8, %c16, %c32 or %c64", o->type,
				   o->variable, *o->type, *o->type, *o->type, *o->type);
	if (end && !*end)
		return 0;
	return errmsg__set(err, EINVAL, "'%s' is no argument: write the name of a variable, %%REGISTER, $retval, $argN, $stackN, @SYMBOL, "
			   "\\NUMBER or +OFFSET(ARGUMENT)", o->text);
}

/* Variables */

static struct probe_member *add_member(struct probe_operand *o)
{
	if (array__extend(o->member, o->nr_members))
		return NULL;
	o->member[o->nr_members] = (struct probe_member){ 0 };
	return &o->member[o->nr_members++];
}

static int parse_index(struct probe_member *member, const char **pos)
{
	const char *end = skip_number(*pos + 1);

	if (!end || *end != ']')
		return -EINVAL;
	member->index = strtoull(*pos + 1, NULL, 0);
	if (member->index > INT32_MAX)
		return -EINVAL;
	*pos = end + 1;
	return 0;
}

static int parse_name(struct probe_member *member, const char **pos)
{
	const char *name, *end;

	member->by_pointer = **pos == '-';
	name = *pos + 1 + member->by_pointer;
	for (end = name; isalnum((unsigned char)*end) || *end == '_'; end++)
		;
	if ((member->by_pointer && (*pos)[1] != '>') || end == name || isdigit((unsigned char)*name))
		return -EINVAL;
	*pos = end;
	member->name = strndup(name, end - name);
	return member->name ? 0 : -ENOMEM;
}

static int parse_members(struct probe_operand *o, const char *pos, struct errmsg *err)
{
	while (*pos) {
		struct probe_member *member = add_member(o);
		int ret = member ? *pos == '[' ? parse_index(member, &pos) : *pos == '.' || *pos == '-' ? parse_name(member, &pos) : -EINVAL : -ENOMEM;

		if (ret == -EINVAL)
			return errmsg__set(err, EINVAL, "'%s': at '%s' expected .FIELD, ->FIELD or [NUMBER]", o->text, pos);
		if (ret)
			return ret;
	}
	return 0;
}

static int parse_variable(struct probe_operand *o, struct errmsg *err)
{
	char *end = o->variable;
	int ret;

	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	ret = parse_members(o, end, err);
	*end = '\0';
	return ret;
}

/* The parts of one argument */

static int take_name(struct probe_operand *o, const char **rest, struct errmsg *err)
{
	const char *equals = strchr(*rest, '=');

	if (!equals)
		return 0;
	o->name = strndup(*rest, equals - *rest);
	if (!o->name)
		return -ENOMEM;
	*rest = equals + 1;
	if (!probe_name__is_valid(o->name))
		return errmsg__set(err, EINVAL, "'%s' is no name for an argument: take letters, digits and _, and at most 63 of them", o->name);
	if (!**rest)
		return errmsg__set(err, EINVAL, "'%s': the argument is missing behind '='", o->text);
	return 0;
}

static int take_type(struct probe_operand *o, struct errmsg *err)
{
	char *end = o->variable + strlen(o->variable), *colon;

	if (end - o->variable > 5 && !strcmp(end - 5, "@user")) {
		o->is_user = true;
		end[-5] = '\0';
	}
	colon = *o->variable == '\\' && o->variable[1] == '"' ? strrchr(strrchr(o->variable, '"'), ':') : strrchr(o->variable, ':');
	if (!colon)
		return 0;
	*colon = '\0';
	o->type = strdup(colon + 1);
	if (!o->type)
		return -ENOMEM;
	if (!is_type(o->type))
		return errmsg__set(err, EINVAL, "'%s' is no type: take u8 to u64, s8 to s64, x8 to x64, char, string, ustring, symbol, symstr, "
				   "bWIDTH@OFFSET/SIZE, or an array of them, as u32[4]",
				   o->type);
	return 0;
}

static bool is_variable(const char *text)
{
	return isalpha((unsigned char)*text) || *text == '_';
}

static int parse_value(struct probe_operand *o, struct errmsg *err)
{
	int ret;

	if (!strcmp(o->variable, "$vars") || !strcmp(o->variable, "$params")) {
		o->kind = o->variable[1] == 'v' ? OPERAND_VARS : OPERAND_PARAMS;
		return o->name ? errmsg__set(err, EINVAL, "%s stands for several arguments, which cannot have one name", o->variable) : 0;
	}
	ret = take_type(o, err);
	if (ret)
		return ret;
	if (is_variable(o->variable))
		return parse_variable(o, err);
	o->kind = OPERAND_RAW;
	return parse_raw(o, err);
}

int probe_operand__parse(struct probe_operand *operand, const char *word, struct errmsg *err)
{
	int ret;

	*operand = (struct probe_operand){ .text = strdup(word) };
	if (!operand->text)
		return -ENOMEM;
	ret = take_name(operand, &word, err);
	if (ret)
		return ret;
	operand->variable = strdup(word);
	return operand->variable ? parse_value(operand, err) : -ENOMEM;
}

void probe_operand__exit(struct probe_operand *operand)
{
	for (unsigned int i = 0; i < operand->nr_members; i++)
		free(operand->member[i].name);
	free(operand->member);
	free(operand->text);
	free(operand->name);
	free(operand->variable);
	free(operand->type);
}
