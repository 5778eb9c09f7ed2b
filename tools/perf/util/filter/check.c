// SPDX-License-Identifier: GPL-2.0
/* Gives names and values their meaning as terms of a sample. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/ast.h"
#include "util/filter/cgroup.h"
#include "util/filter/glob.h"
#include "util/filter/number.h"
#include "util/filter/terms.h"

#define COMM_MAX (FILTER_COMM_LEN - 1) /* without the NUL */

struct check {
	const struct filter *filter;
	struct errmsg *err;
};

/* "'x' is no ..." at a word */
#define word_error(check, word, fmt, ...) \
	filter__error((check)->filter, (word)->loc, (check)->err, EINVAL, "'%.*s' " fmt, WORD_ARGS(word), ##__VA_ARGS__)

static int unknown_term(struct check *c, const struct filter_word *name)
{
	const struct filter_term_desc *near = filter_term__nearest(name);
	char list[256];

	filter_term__list(list, sizeof(list));
	if (near)
		return word_error(c, name, "is not a term; did you mean '%s'? The terms are: %s", near->name, list);
	return word_error(c, name, "is not a term; the terms are: %s", list);
}

static int check_op(struct check *c, const struct filter_test *test)
{
	char ops[64] = "";
	unsigned int i, n = 0;

	if (test->term->ops & 1u << test->op)
		return 0;
	for (i = 0; i < FILTER_OP_MAX; i++) {
		if (test->term->ops & 1u << i)
			n += snprintf(ops + n, sizeof(ops) - n, " %s", filter_op__text(i));
	}
	return filter__error(c->filter, test->op_loc, c->err, EINVAL, "'%s' cannot be used with %s; it takes:%s",
			     filter_op__text(test->op), test->term->name, ops);
}

/* Read a number; *is_number is false for what may be a name. */
static int check_number(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value,
			bool *is_number)
{
	static const enum number_units units[FILTER_KIND_MAX] = {
		[FILTER_KIND_NUMBER] = NUMBER_SIZES,
		[FILTER_KIND_TIME] = NUMBER_TIMES,
	};

	*is_number = true;
	switch (number__parse(word, units[test->term->kind], value)) {
	case NUMBER_OK:
		return 0;
	case NUMBER_NEGATIVE:
		return word_error(c, word, "is negative; %s is compared as a number that is 0 or more",
				  test->term->name);
	case NUMBER_TOO_BIG:
		return word_error(c, word, "does not fit in 64 bits");
	case NUMBER_TOO_FINE:
		return word_error(c, word, "is finer than a nanosecond");
	case NUMBER_NONE:
		break;
	}
	*is_number = false;
	return 0;
}

/* A word's text with its backslashes resolved, NUL-terminated; malloc'ed. */
static char *unescape(const struct filter_word *word)
{
	char *text = malloc(word->len + 1), *out = text;
	unsigned int i;

	if (!text)
		return NULL;
	for (i = 0; i < word->len; i++) {
		if (word->text[i] == '\\' && i + 1 < word->len)
			i++;
		*out++ = word->text[i];
	}
	*out = '\0';
	return text;
}

static int check_user(struct check *c, const struct filter_word *word, const char *name, u64 *value)
{
	const struct passwd *pw = getpwnam(name);

	if (!pw)
		return word_error(c, word, "is not a user of this system (getent passwd lists them)");
	*value = pw->pw_uid;
	return 0;
}

static int check_group(struct check *c, const struct filter_word *word, const char *name, u64 *value)
{
	const struct group *gr = getgrnam(name);

	if (!gr)
		return word_error(c, word, "is not a group of this system (getent group lists them)");
	*value = gr->gr_gid;
	return 0;
}

static int check_cgroup(struct check *c, const struct filter_word *word, const char *name, u64 *value)
{
	char why[256];

	if (cgroup__id(name, value, why, sizeof(why)))
		return word_error(c, word, "cannot be used as a cgroup: %s", why);
	return 0;
}

static int check_constant(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	const struct filter_constant *constant;
	char names[128] = "";
	unsigned int n = 0;

	for (constant = test->term->constants; constant->name; constant++) {
		if (filter_word__is(word, constant->name)) {
			*value = constant->value;
			return 0;
		}
		if (n < sizeof(names))
			n += snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", constant->name);
	}
	return word_error(c, word, "is no value of %s; it takes: %s", test->term->name, names);
}

/* A name as a value of a term whose values have names. */
static int check_name(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	char *name = unescape(word);
	int rc;

	if (!name)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	switch (test->term->kind) {
	case FILTER_KIND_USER:
		rc = check_user(c, word, name, value);
		break;
	case FILTER_KIND_GROUP:
		rc = check_group(c, word, name, value);
		break;
	case FILTER_KIND_CGROUP:
		rc = check_cgroup(c, word, name, value);
		break;
	default:
		rc = filter__error(c->filter, word->loc, c->err, EINVAL, "%s takes %s, not '%.*s'", test->term->name,
				   filter_term__values(test->term), WORD_ARGS(word));
		break;
	}
	free(name);
	return rc;
}

static int check_scalar(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	bool is_number;
	int rc;

	if (test->term->kind == FILTER_KIND_CONSTANT)
		return check_constant(c, test, word, value);
	rc = check_number(c, test, word, value, &is_number);
	if (rc || is_number)
		return rc;
	return check_name(c, test, word, value);
}

static int check_numeric_value(struct check *c, const struct filter_test *test, struct filter_value *value)
{
	int rc;

	if (test->term->kind == FILTER_KIND_CPU && test->op == FILTER_OP_IN)
		filter_value__split_cpu_list(c->filter, value);
	rc = check_scalar(c, test, &value->lo, &value->first);
	if (rc)
		return rc;
	value->last = value->first;
	if (!value->range)
		return 0;
	if (test->term->kind == FILTER_KIND_CONSTANT || test->term->kind == FILTER_KIND_CGROUP)
		return filter__error(c->filter, value->loc, c->err, EINVAL,
				     "values of %s have no order, so there are no ranges of them", test->term->name);
	rc = check_scalar(c, test, &value->hi, &value->last);
	if (rc)
		return rc;
	if (value->first > value->last)
		return filter__error(c->filter, value->loc, c->err, EINVAL,
				     "this range is empty: its first value is greater than its last");
	return 0;
}

static int comm_too_long(struct check *c, const struct filter_word *word)
{
	return word_error(c, word, "can never match: comm is at most %d bytes (the kernel cuts longer names)",
			  COMM_MAX);
}

static int check_pattern(struct check *c, const struct filter_word *word)
{
	struct glob glob;
	const char *why;

	if (glob__parse(word, &glob, &why))
		return filter__error(c->filter, word->loc, c->err, EINVAL, "%s", why);
	if (glob.nr > COMM_MAX)
		return comm_too_long(c, word);
	return 0;
}

static int check_comm(struct check *c, const struct filter_test *test, struct filter_value *value)
{
	char *name;
	int rc = 0;

	if (value->range)
		return filter__error(c->filter, value->loc, c->err, EINVAL,
				     "there are no ranges of command names; '~' takes a pattern");
	if (test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB)
		return check_pattern(c, &value->lo);
	if (!value->lo.quoted &&
	    (memchr(value->lo.text, '*', value->lo.len) || memchr(value->lo.text, '?', value->lo.len)))
		return word_error(c, &value->lo,
				  "is a pattern, which goes after '~'; a literal '*' or '?' goes in quotes");
	name = unescape(&value->lo);
	if (!name)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	if (strlen(name) > COMM_MAX)
		rc = comm_too_long(c, &value->lo);
	else
		memcpy(value->comm, name, strlen(name)); /* the rest is 0 already */
	free(name);
	return rc;
}

static int check_test(struct check *c, struct filter_test *test)
{
	struct filter_value *value;
	int rc;

	test->term = filter_term__find(&test->name);
	if (!test->term)
		return unknown_term(c, &test->name);
	if (test->term->kind == FILTER_KIND_LATER)
		return word_error(c, &test->name, "is a term of upstream perf that this version does not have yet");
	rc = check_op(c, test);
	if (rc)
		return rc;
	if (test->term->kind == FILTER_KIND_CGROUP && test->op == FILTER_OP_IN && !test->braces)
		return filter__error(c->filter, test->values->loc, c->err, EINVAL,
				     "'cgroup in PATH' (a whole subtree) is not there yet; "
				     "'cgroup == PATH' or 'cgroup in {PATH,...}' take single cgroups");
	DL_FOREACH(test->values, value) {
		rc = test->term->kind == FILTER_KIND_COMM ? check_comm(c, test, value)
							  : check_numeric_value(c, test, value);
		if (rc)
			return rc;
	}
	return 0;
}

static int check_node(struct check *c, struct filter_node *node)
{
	struct filter_node *child;
	int rc;

	if (node->kind == FILTER_TEST)
		return check_test(c, &node->test);
	DL_FOREACH(node->children, child) {
		rc = check_node(c, child);
		if (rc)
			return rc;
	}
	return 0;
}

int filter__check(struct filter *filter, struct errmsg *err)
{
	struct check c = { .filter = filter, .err = err };
	int rc = check_node(&c, filter->root);

	filter->checked = !rc;
	return rc;
}
