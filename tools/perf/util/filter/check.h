/* SPDX-License-Identifier: GPL-2.0 */
/* What the check's files share. Private to util/filter. */
#ifndef PERF_FILTER_CHECK_H
#define PERF_FILTER_CHECK_H

#include "util/filter/terms.h"

struct check {
	struct filter *filter;
	const struct filter_env *env; /* may be NULL */
	struct errmsg *err;
};

/* "'x' is no ..." at a word */
#define word_error(check, word, fmt, ...) \
	filter__error((check)->filter, (word)->loc, (check)->err, EINVAL, "'%.*s' " fmt, WORD_ARGS(word), ##__VA_ARGS__)

/* check-word.c: a word's text with its backslashes resolved, NUL-terminated; malloc'ed. */
char *filter_word__unescape(const struct filter_word *word);

/* Is word a valid pattern with at most max elements? too_long is the message for a longer one. */
int check__pattern(struct check *c, const struct filter_word *word, unsigned int max, const char *too_long);
/* Refuse a word that looks like a pattern where only a name is valid. */
int check__literal(struct check *c, const struct filter_word *word);

/*
 * Set test->term by test->name. For a tracepoint, a field takes precedence over a term with the same name, as in the kernel's own
 * filter.
 */
int check__find_term(struct check *c, struct filter_test *test);

/* check-field.c: with the fields of a tracepoint */
bool check__is_tracepoint(const struct check *c);
/* Set test->term to the field with its name if there is one, otherwise leave it NULL. */
int check__field(struct check *c, struct filter_test *test);
int check__field_number(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value);
int check__field_string(struct check *c, const struct filter_test *test, struct filter_value *value);
/* Explain that the name is neither a field nor a term that tracepoints have. */
int check__unknown_field(struct check *c, const struct filter_test *test);

/* check-walk.c: set test->term if its name is a walk, otherwise leave it NULL. */
int check__walk(struct check *c, struct filter_test *test);
/* The value of a name in the type of the walk: an enum's. */
int check__walk_name(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value);

/* check-place.c: values of sym and dso */
int check__symbol(struct check *c, struct filter_test *test, struct filter_value *value);
int check__file(struct check *c, struct filter_test *test, struct filter_value *value);

#endif
