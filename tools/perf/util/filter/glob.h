/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Patterns of '~': '*' any bytes, '?' one byte, [a-z] one of a class, [!a-z] or [^a-z] one that is not in it; a backslash makes the
 * next character literal. They match bytes, and the whole string. Private to util/filter.
 */
#ifndef PERF_FILTER_GLOB_H
#define PERF_FILTER_GLOB_H

#include <stdbool.h>
#include "util/bpf_skel/filter.h"
#include "util/filter/ast.h"
#include "util/lib/types.h"

#define GLOB_MAX_ELEMENTS 255 /* the limit of strings in the kernel's own filter */

struct glob_element {
	u64 set[4];   /* the matching bytes, never NUL */
	bool any;     /* every byte: '?' */
	bool literal; /* exactly one byte, c */
	u8 c;
};

struct glob {
	unsigned int nr; /* elements, not counting stars */
	struct glob_element element[GLOB_MAX_ELEMENTS];
	bool star[GLOB_MAX_ELEMENTS + 1]; /* star[i]: '*' precedes element i, star[nr]: '*' at the end */
};

bool glob_element__has(const struct glob_element *e, u8 c);

/* Returns 0, or -EINVAL with the reason in *why. */
int glob__parse(const struct filter_word *pattern, struct glob *glob, const char **why);

/* Does it consist of literal bytes and at most one '*' at the end? Then a masked compare suffices. */
bool glob__is_prefix(const struct glob *glob);

/* glob->nr must not exceed FILTER_GLOB_MAX_ELEMENTS. */
void glob__to_automaton(const struct glob *glob, struct filter_glob *automaton);

#endif
