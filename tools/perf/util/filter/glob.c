// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include "util/filter/glob.h"

bool glob_element__has(const struct glob_element *e, u8 c)
{
	return e->set[c / 64] >> (c % 64) & 1;
}

static void add_range(struct glob_element *e, unsigned int first, unsigned int last)
{
	for (; first <= last; first++)
		e->set[first / 64] |= 1ULL << (first % 64);
}

static void invert(struct glob_element *e)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(e->set); i++)
		e->set[i] = ~e->set[i];
	e->set[0] &= ~1ULL; /* NUL ends the string and matches nothing */
}

static bool single_byte(const struct glob_element *e)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(e->set); i++)
		n += __builtin_popcountll(e->set[i]);
	return n == 1;
}

/* Read one byte of a class at s, resolving a backslash; returns the position after it, or NULL at the end. */
static const char *class_byte(const char *s, const char *end, u8 *c)
{
	if (s < end && *s == '\\')
		s++;
	if (s >= end)
		return NULL;
	*c = *s;
	return s + 1;
}

/* s is after the '['; returns the position after the ']', or NULL. */
static const char *parse_class(const char *s, const char *end, struct glob_element *e, const char **why)
{
	bool inverted = s < end && (*s == '!' || *s == '^');
	const char *start;
	u8 first, last = 0;

	s += inverted;
	*why = "'[' without its ']'; a literal '[' is written \"\\[\"";
	for (start = s; s < end && (*s != ']' || s == start);) {
		if (*s == '[' && end - s > 1 && s[1] == ':') {
			*why = "classes with a name ([:alpha:]) are not known; write the characters, as in [a-zA-Z]";
			return NULL;
		}
		s = class_byte(s, end, &first);
		if (!s)
			return NULL;
		last = first;
		if (end - s > 1 && s[0] == '-' && s[1] != ']')
			s = class_byte(s + 1, end, &last);
		if (!s)
			return NULL;
		if ((first | last) & 0x80) {
			*why = "a class holds ASCII characters only, since patterns match bytes";
			return NULL;
		}
		if (first > last) {
			*why = "a class with a range that runs backwards";
			return NULL;
		}
		add_range(e, first, last);
	}
	if (s >= end)
		return NULL;
	if (inverted)
		invert(e);
	e->literal = !inverted && single_byte(e);
	e->c = last;
	return s + 1;
}

static const char *parse_element(const char *s, const char *end, struct glob_element *e, const char **why)
{
	memset(e, 0, sizeof(*e));
	if (*s == '[')
		return parse_class(s + 1, end, e, why);
	if (*s == '?') {
		add_range(e, 1, 255);
		e->any = true;
		return s + 1;
	}
	if (*s == '\\') /* the lexer guarantees that a character follows */
		s++;
	e->literal = true;
	e->c = *s;
	add_range(e, e->c, e->c);
	return s + 1;
}

int glob__parse(const struct filter_word *pattern, struct glob *glob, const char **why)
{
	const char *s = pattern->text, *end = s + pattern->len;

	glob->nr = 0;
	memset(glob->star, 0, sizeof(glob->star));
	while (s < end) {
		if (*s == '*') {
			glob->star[glob->nr] = true;
			s++;
			continue;
		}
		if (glob->nr == GLOB_MAX_ELEMENTS) {
			*why = "the pattern is too long";
			return -EINVAL;
		}
		s = parse_element(s, end, &glob->element[glob->nr], why);
		if (!s)
			return -EINVAL;
		glob->nr++;
	}
	return 0;
}

bool glob__is_prefix(const struct glob *glob)
{
	unsigned int i;

	for (i = 0; i < glob->nr; i++) {
		if (glob->star[i] || !glob->element[i].literal)
			return false;
	}
	return true;
}

void glob__to_automaton(const struct glob *glob, struct filter_glob *automaton)
{
	unsigned int i, c;

	memset(automaton, 0, sizeof(*automaton));
	for (i = 0; i < glob->nr; i++) {
		for (c = 1; c < 256; c++) {
			if (glob_element__has(&glob->element[i], c))
				automaton->step[c] |= 1u << i;
		}
	}
	for (i = 0; i <= glob->nr; i++) {
		if (glob->star[i])
			automaton->loop |= 1u << i;
	}
	automaton->final = 1u << glob->nr;
}
