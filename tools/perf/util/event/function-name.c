// SPDX-License-Identifier: GPL-2.0
#include "util/event/function-name.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NESTED 256 /* limit of brackets inside each other */

/* Each of these functions skips one thing and returns the next character. NULL: that thing is not at p. */

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *skip_word(const char *p)
{
	while (is_word_char(*p))
		p++;
	return p;
}

static const char *skip_text(const char *p, const char *text)
{
	const size_t len = strlen(text);

	return strncmp(p, text, len) ? NULL : p + len;
}

/* The longest of the texts; the next character is none of a word. */
static const char *skip_longest(const char *p, const char *const *texts, size_t nr)
{
	const char *longest = NULL;

	for (size_t i = 0; i < nr; i++) {
		const char *end = skip_text(p, texts[i]);

		if (end && !is_word_char(*end) && (!longest || end > longest))
			longest = end;
	}
	return longest;
}

static const char *skip_brackets(const char *p, unsigned int nested);

/* What may follow the parameters: " const", " &&", " [clone .cold]" */
static const char *skip_qualifiers(const char *p)
{
	static const char *const qualifiers[] = { " const", " volatile", " restrict", " noexcept", " &", " &&" };
	const char *end;

	while ((end = skip_longest(p, qualifiers, ARRAY_SIZE(qualifiers))))
		p = end;
	while (skip_text(p, " [clone ") && (end = skip_brackets(p + 1, 0)))
		p = end;
	return p;
}

/* "ns::A<int>", "(anonymous namespace)::A", "unsigned long" */
static const char *skip_type_name(const char *p)
{
	static const char *const first[] = { "unsigned ", "signed ", "long " };
	static const char *const next[] = { "char", "short", "int", "long", "double", "__int128" };
	const char *end, *begin = p;

	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		end = skip_text(p, first[i]);
		if (!end)
			continue;
		if (!skip_longest(end, next, ARRAY_SIZE(next)))
			return end - 1;
		p = end;
		i = -1;
	}
	while (is_word_char(*p) || (end = skip_text(p, "::")) || (end = skip_brackets(p, 0)))
		p = is_word_char(*p) ? skip_word(p) : end;
	return p > begin ? p : NULL;
}

/* " ns::A::*" of a pointer to a member */
static const char *skip_member_pointer(const char *p)
{
	const char *end = *p == ' ' ? skip_type_name(p + 1) : NULL;

	return end && *end == '*' && end[-1] == ':' ? end + 1 : NULL;
}

/* The type that an operator converts to: "char const*", "int (*)(int)", "B<int>::C&", "bool() const" */
static const char *skip_type(const char *p)
{
	const char *end;

	p = skip_type_name(p);
	while (p) {
		if (*p == '*' || *p == '&')
			end = p + 1;
		else if (skip_text(p, " (") || skip_text(p, " ["))
			end = skip_brackets(p + 1, 0);
		else
			end = skip_brackets(p, 0);
		if (!end)
			end = skip_member_pointer(p);
		if (!end)
			end = skip_qualifiers(p);
		if (end == p)
			break;
		p = end;
	}
	return p;
}

/* The operator after the word "operator". Only members of a class convert to a type. */
static const char *skip_operator(const char *p, bool in_class)
{
	static const char *const operators[] = {
		"()", "[]", "->", "->*", "<=>", "<", ">", "<=", ">=", "<<", ">>", "<<=", ">>=", "=", "==", "!", "!=",
		"+", "-", "*", "/", "%", "^", "&", "|", "~", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "&&", "||",
		"++", "--", ",", " new", " new[]", " delete", " delete[]", " co_await",
	};
	const char *end = skip_longest(p, operators, ARRAY_SIZE(operators)), *template;

	if (end && end[-1] == '<' && *end == ' ') { /* "operator< <int>" */
		template = skip_brackets(end + 1, 0);
		return template ? template : end;
	}
	if (end)
		return end;
	end = skip_text(p, "\"\""); /* "operator"" _km" */
	if (end)
		return skip_word(end + (*end == ' '));
	return in_class && *p == ' ' ? skip_type(p + 1) : NULL;
}

static const char *skip_word_or_operator(const char *begin, const char *p)
{
	const char *end = skip_word(p), *behind = NULL;

	if (end - p == strlen("operator") && !strncmp(p, "operator", end - p))
		behind = skip_operator(end, p - begin >= 2 && p[-1] == ':' && p[-2] == ':');
	return behind ? behind : end;
}

/* Between < and > these two are brackets; in others they are operators, too, and say nothing. */
static const char *skip_angle(const char *begin, unsigned int nested)
{
	const char *p = begin + 1, *end;

	while (*p && *p != '>') {
		if (skip_text(p, "->")) {
			p += 2;
		} else if (is_word_char(*p)) {
			p = skip_word_or_operator(begin, p);
		} else if (strchr("<([{", *p)) {
			end = skip_brackets(p, nested + 1);
			if (!end)
				return NULL;
			p = end;
		} else if (strchr(")]}", *p)) {
			return NULL;
		} else {
			p++;
		}
	}
	return *p ? p + 1 : NULL;
}

static const char *skip_others(const char *begin, unsigned int nested)
{
	const char close = *begin == '(' ? ')' : *begin == '[' ? ']' : '}', *p = begin + 1;

	while (*p && *p != close) {
		if (strchr("([{", *p)) {
			p = skip_brackets(p, nested + 1);
			if (!p)
				return NULL;
		} else if (strchr(")]}", *p)) {
			return NULL;
		} else {
			p++;
		}
	}
	return *p ? p + 1 : NULL;
}

static const char *skip_brackets(const char *p, unsigned int nested)
{
	if (!*p || !strchr("<([{", *p) || nested == MAX_NESTED)
		return NULL;
	return *p == '<' ? skip_angle(p, nested) : skip_others(p, nested);
}

static const char *skip_quoted(const char *p)
{
	const char quote = *p++;

	while (*p && *p != quote)
		p += 1 + (*p == '\\' && p[1]);
	return *p ? p + 1 : NULL;
}

/* What demanglers write before the name of a function that the compiler has made of another one */
static const char *skip_origin(const char *p)
{
	static const char *const origins[] = {
		"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ", "transaction clone for ",
		"non-transaction clone for ", "TLS init function for ", "TLS wrapper function for ",
		"global constructors keyed to ", "global destructors keyed to ", "hidden alias for ",
	};
	const char *end;

	for (size_t i = 0; i < ARRAY_SIZE(origins); i++) {
		end = skip_text(p, origins[i]);
		if (end)
			return end;
	}
	return NULL;
}

/* A part of a name that is looked at as a whole; NULL: the next character stands for itself. */
static const char *skip_part(const char *text, const char *p)
{
	const bool is_first = p == text || strchr("=@:", p[-1]);
	const char *end = NULL;

	if (*p == '\\')
		return p[1] ? p + 2 : NULL;
	if (is_first && (*p == '"' || *p == '\''))
		return skip_quoted(p);
	if (is_first)
		end = skip_origin(p);
	if (end)
		return end;
	if (is_word_char(*p))
		return skip_word_or_operator(text, p);
	if (*p == ' ' && p > text && p[-1] == ')')
		return skip_qualifiers(p) > p ? skip_qualifiers(p) : NULL;
	return *p == ':' ? skip_text(p, "::") : skip_brackets(p, 0);
}

/* Names */

const char *function_name__find(const char *text, const char *ends)
{
	const char *p = text, *end;

	while (*p) {
		end = skip_part(text, p);
		if (!end && strchr(ends, *p))
			return p;
		p = end ? end : p + 1;
	}
	return NULL;
}

char *function_name__copy(const char *begin, const char *end)
{
	const char *quoted = *begin == '"' || *begin == '\'' ? skip_quoted(begin) : NULL;
	char *copy = malloc(end - begin + 1), *to = copy;

	if (!copy)
		return NULL;
	for (const char *p = begin; p < end; p++) {
		if (quoted && (p == begin || p == quoted - 1))
			continue;
		if (*p == '\\' && p + 1 < end && (!quoted || p >= quoted || strchr("\\\"'", p[1])))
			p++;
		*to++ = *p;
	}
	*to = '\0';
	return copy;
}

bool function_name__parse_offset(const char *begin, const char *end, u64 *offset)
{
	char *behind;

	if (!isdigit((unsigned char)*begin))
		return false;
	errno = 0;
	*offset = strtoull(begin, &behind, 0);
	return !errno && behind == end;
}

bool function_name__is_glob(const char *name)
{
	return name[strcspn(name, "*?[")];
}

bool function_name__is_demangled(const char *name)
{
	return name[strcspn(name, ":<({ \"")] || strstr(name, "operator");
}
