// SPDX-License-Identifier: GPL-2.0
#include "util/probe/name-filter.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NESTED 64
#define MAX_GLOB 512

struct evaluation {
	const char *pos, *name;
	unsigned int nested;
	const char *why; /* not NULL: the text is wrong at pos */
};

static bool evaluate_or(struct evaluation *e);

static bool fail(struct evaluation *e, const char *why)
{
	if (!e->why)
		e->why = why;
	return false;
}

static void skip_blanks(struct evaluation *e)
{
	while (isspace((unsigned char)*e->pos))
		e->pos++;
}

static bool take(struct evaluation *e, char c)
{
	skip_blanks(e);
	if (*e->pos != c)
		return false;
	e->pos++;
	return true;
}

static bool evaluate_glob(struct evaluation *e)
{
	char glob[MAX_GLOB];
	size_t len = 0;

	/* "[!A-Z]" has a "!" of its own */
	for (bool in_class = false; e->pos[len] && !isspace((unsigned char)e->pos[len]) && (in_class || !strchr("&|()!", e->pos[len])); len++) {
		if (e->pos[len] == '[' || e->pos[len] == ']')
			in_class = e->pos[len] == '[' && strchr(e->pos + len, ']');
	}
	if (!len || len >= sizeof(glob))
		return fail(e, len ? "this name is too long" : "a name is missing");
	memcpy(glob, e->pos, len);
	glob[len] = '\0';
	e->pos += len;
	return !fnmatch(glob, e->name, 0);
}

static bool evaluate_one(struct evaluation *e)
{
	bool value;

	if (e->why)
		return false;
	if (e->nested >= MAX_NESTED)
		return fail(e, "this is nested too deeply");
	if (take(e, '!')) {
		e->nested++;
		value = !evaluate_one(e);
		e->nested--;
		return value;
	}
	if (!take(e, '('))
		return evaluate_glob(e);
	e->nested++;
	value = evaluate_or(e);
	e->nested--;
	return take(e, ')') ? value : fail(e, "')' is missing");
}

static bool evaluate_and(struct evaluation *e)
{
	bool value = evaluate_one(e);

	while (!e->why && take(e, '&')) {
		const bool right = evaluate_one(e);

		value = value && right;
	}
	return value;
}

static bool evaluate_or(struct evaluation *e)
{
	bool value = evaluate_and(e);

	while (!e->why && take(e, '|')) {
		const bool right = evaluate_and(e);

		value = value || right;
	}
	return value;
}

static bool evaluate(struct evaluation *e)
{
	const bool value = evaluate_or(e);

	skip_blanks(e);
	if (!e->why && *e->pos)
		fail(e, "expected '&' or '|'");
	return value;
}

int name_filter__check(const char *filter, struct errmsg *err)
{
	struct evaluation e = { .pos = filter, .name = "" };

	evaluate(&e);
	if (!e.why)
		return 0;
	return errmsg__set(err, EINVAL, "Syntax error in filter '%s': %s at character %zu.", filter, e.why, (size_t)(e.pos - filter) + 1);
}

bool name_filter__fits(const char *filter, const char *name)
{
	struct evaluation e = { .pos = filter, .name = name };

	return evaluate(&e);
}
