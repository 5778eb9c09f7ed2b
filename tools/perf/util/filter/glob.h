/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Patterns of '~': '*' any bytes, '?' one byte, [a-z] one of a class, [!a-z] or [^a-z] one that is not in it; a
 * backslash makes the next character literal. They match bytes, and the whole string. Private to util/filter.
 */
#ifndef PERF_FILTER_GLOB_H
#define PERF_FILTER_GLOB_H

#include <stdbool.h>
#include "util/bpf_skel/filter.h"
#include "util/filter/ast.h"
#include "util/lib/types.h"

#define GLOB_MAX_ELEMENTS 255 /* as long as the strings that the kernel's own filter takes */

struct glob_element {
	u64 set[4];   /* the bytes that match, never NUL */
	bool any;     /* every byte: '?' */
	bool literal; /* exactly one byte, c */
	u8 c;
};

struct glob {
	unsigned int nr; /* elements, stars left out */
	struct glob_element element[GLOB_MAX_ELEMENTS];
	bool star[GLOB_MAX_ELEMENTS + 1]; /* star[i]: a '*' stands before element i, star[nr]: at the end */
};

bool glob_element__has(const struct glob_element *e, u8 c);

/* Returns 0, or -EINVAL with a text that says what is wrong in *why. */
int glob__parse(const struct filter_word *pattern, struct glob *glob, const char **why);

/* Is it literal bytes, then perhaps one '*'? Then a masked compare does. */
bool glob__is_prefix(const struct glob *glob);

/* glob->nr is FILTER_GLOB_MAX_ELEMENTS at most. */
void glob__to_automaton(const struct glob *glob, struct filter_glob *automaton);

#endif
