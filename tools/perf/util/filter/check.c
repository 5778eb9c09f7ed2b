// SPDX-License-Identifier: GPL-2.0
/* Resolves names and values as terms of a sample. */
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/ast.h"
#include "util/lib/cgroup.h"
#include "util/filter/check.h"
#include "util/filter/glob.h"
#include "util/filter/number.h"
#include "util/filter/terms.h"

#define COMM_MAX (FILTER_COMM_LEN - 1) /* without the NUL */

static int unknown_term(struct check *c, const struct filter_word *name)
{
	struct filter_near near = { .word = name };
	char list[320];

	if (isdigit((unsigned char)name->text[0]))
		return word_error(c, name, "is not a term; several values go in braces, as in: cpu in {0-3,6}");
	filter_near__try_terms(&near, false);
	filter_term__list(list, sizeof(list), false);
	if (near.name)
		return word_error(c, name, "is not a term; did you mean '%s'? The terms are: %s", near.name, list);
	return word_error(c, name, "is not a term; the terms are: %s", list);
}

static int check_op(struct check *c, const struct filter_test *test)
{
	const struct filter_term_desc *term = test->term;
	struct filter_loc at = test->op_loc;
	char ops[64] = "";
	unsigned int i, n = 0;

	if (term->ops & 1u << test->op)
		return 0;
	if (term->kind == FILTER_KIND_FLAG)
		return filter__error(c->filter, at, c->err, EINVAL, "%s takes no operator, it stands alone: %s, !%s", term->name,
				     term->name, term->name);
	if (term->kind == FILTER_KIND_EVERY)
		return filter__error(c->filter, at, c->err, EINVAL, "%s takes no operator: %s 100", term->name, term->name);
	for (i = 0; i < FILTER_OP_MAX; i++) {
		if (term->ops & 1u << i)
			n += snprintf(ops + n, sizeof(ops) - n, " %s", filter_op__text(i));
	}
	if (test->op != FILTER_OP_NONE)
		return filter__error(c->filter, at, c->err, EINVAL, "'%s' cannot be used with %s; it takes:%s",
				     filter_op__text(test->op), term->name, ops);
	if (!test->values)
		at.begin = at.end;
	return filter__error(c->filter, at, c->err, EINVAL, "expected an operator (%s) after '%.*s'", ops + 1,
			     WORD_ARGS(&test->name));
}

static int check_signed(struct check *c, const struct filter_test *test, const struct filter_word *word, s64 number, u64 *value)
{
	const struct filter_term_desc *term = test->term;

	if (number < term->min || number > term->max)
		return word_error(c, word, "is no value of %s, which is from %d to %d", term->name, term->min, term->max);
	*value = number - term->min;
	return 0;
}

static bool is_period_of_time(const struct check *c, const struct filter_test *test)
{
	return c->env && c->env->period_is_time && test->term->slot == FILTER_TERM_PERIOD;
}

static enum number_units units_of(const struct check *c, const struct filter_test *test)
{
	static const enum number_units units[FILTER_KIND_MAX] = {
		[FILTER_KIND_NUMBER] = NUMBER_SIZES,
		[FILTER_KIND_TIME] = NUMBER_TIMES,
		[FILTER_KIND_EVERY] = NUMBER_SIZES,
	};

	return is_period_of_time(c, test) ? NUMBER_TIMES_AND_SIZES : units[test->term->kind];
}

static const char *values_of(const struct check *c, const struct filter_test *test)
{
	return is_period_of_time(c, test) ? FILTER_TIME_VALUES : filter_term__values(test->term);
}

/* Read a number; *is_number is false if it may be a name. */
static int check_number(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value,
			bool *is_number)
{
	bool negative = test->term->kind == FILTER_KIND_SIGNED;

	*is_number = true;
	switch (number__parse(word, units_of(c, test), value)) {
	case NUMBER_OK:
		return negative ? check_signed(c, test, word, *value > INT_MAX ? INT_MAX : (s64)*value, value) : 0;
	case NUMBER_NEGATIVE:
		if (negative)
			return check_signed(c, test, word, *value > INT_MAX ? INT_MIN : -(s64)*value, value);
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

/* A constant that is a part of a field may also be written as a number. */
static int check_constant(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	const struct filter_term_desc *term = test->term;
	const struct filter_constant *constant;
	bool is_number = false;
	char names[128] = "";
	unsigned int n = 0;
	int rc = term->bits ? check_number(c, test, word, value, &is_number) : 0;

	if (rc)
		return rc;
	if (is_number && *value > filter_term__max(term))
		return word_error(c, word, "is no value of %s, which is at most %" PRIu64, term->name, filter_term__max(term));
	if (is_number) {
		*value = filter_term__spread(term, *value);
		return 0;
	}
	for (constant = term->constants; constant->name; constant++) {
		if (filter_word__is(word, constant->name)) {
			*value = filter_term__spread(term, constant->value);
			return 0;
		}
		if (n < sizeof(names))
			n += snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", constant->name);
	}
	return word_error(c, word, "is no value of %s; it takes: %s", test->term->name, names);
}

/* Resolve a name as value of a term whose values have names. */
static int check_name(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	char *name = filter_word__unescape(word);
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
				   values_of(c, test), WORD_ARGS(word));
		break;
	}
	free(name);
	return rc;
}

static int check_percent(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	enum number_result result = number__parse_percent(word, value);

	if (result == NUMBER_TOO_FINE)
		return word_error(c, word, "has more than nine digits after the point");
	if (result != NUMBER_OK)
		return filter__error(c->filter, word->loc, c->err, EINVAL, "%s takes %s, not '%.*s'", test->term->name,
				     filter_term__values(test->term), WORD_ARGS(word));
	return 0;
}

static int check_scalar(struct check *c, const struct filter_test *test, const struct filter_word *word, u64 *value)
{
	bool is_number;
	int rc;

	if (test->is_walk && test->term->kind == FILTER_KIND_FIELD)
		return check__walk_name(c, test, word, value);
	if (test->term->kind == FILTER_KIND_FIELD)
		return check__field_number(c, test, word, value);
	if (test->term->kind == FILTER_KIND_CONSTANT)
		return check_constant(c, test, word, value);
	if (test->term->kind == FILTER_KIND_PERCENT)
		return check_percent(c, test, word, value);
	rc = check_number(c, test, word, value, &is_number);
	if (rc || is_number)
		return rc;
	return check_name(c, test, word, value);
}

/* The level of the cgroup with id value->first. */
static int check_cgroup_level(struct check *c, struct filter_value *value)
{
	char why[256], *path;
	u64 id;
	int rc;

	if (number__parse(&value->lo, NUMBER_PLAIN, &id) == NUMBER_OK) {
		rc = cgroup__level_of_id(value->first, &value->level, why, sizeof(why));
	} else {
		path = filter_word__unescape(&value->lo);
		if (!path)
			return errmsg__set(c->err, ENOMEM, "filter: out of memory");
		rc = cgroup__level(path, &value->level, why, sizeof(why));
		free(path);
	}
	return rc ? word_error(c, &value->lo, "cannot be used as a cgroup: %s", why) : 0;
}

static int check_range(struct check *c, const struct filter_test *test, struct filter_value *value)
{
	int rc;

	if ((test->term->kind == FILTER_KIND_CONSTANT && !test->term->bits) || test->term->kind == FILTER_KIND_CGROUP)
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

static int check_numeric_value(struct check *c, const struct filter_test *test, struct filter_value *value)
{
	int rc;

	if (test->term->kind == FILTER_KIND_CPU && test->op == FILTER_OP_IN)
		filter_value__split_cpu_list(c->filter, value);
	rc = check_scalar(c, test, &value->lo, &value->first);
	if (rc)
		return rc;
	value->last = value->first;
	if (value->range)
		return check_range(c, test, value);
	if (test->term->kind == FILTER_KIND_CGROUP && test->op == FILTER_OP_IN)
		return check_cgroup_level(c, value);
	return 0;
}

#define COMM_TOO_LONG "can never match: comm is at most 15 bytes (the kernel cuts longer names)"

static int check_comm(struct check *c, const struct filter_test *test, struct filter_value *value)
{
	char *name;
	int rc;

	if (value->range)
		return filter__error(c->filter, value->loc, c->err, EINVAL,
				     "there are no ranges of command names; '~' takes a pattern");
	if (test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB)
		return check__pattern(c, &value->lo, COMM_MAX, COMM_TOO_LONG);
	rc = check__literal(c, &value->lo);
	if (rc)
		return rc;
	name = filter_word__unescape(&value->lo);
	if (!name)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	if (strlen(name) > COMM_MAX)
		rc = word_error(c, &value->lo, COMM_TOO_LONG);
	else
		memcpy(value->text, name, strlen(name)); /* the rest is already 0 */
	free(name);
	return rc;
}

static int check_flag(struct check *c, const struct filter_test *test)
{
	struct filter_value *value = test->values;
	bool is_number;
	int rc;

	if (test->term->kind == FILTER_KIND_FLAG)
		return value ? word_error(c, &value->lo, "stands behind %s, which takes no value", test->term->name) : 0;
	if (!value)
		return filter__error(c->filter, (struct filter_loc){ test->name.loc.end, test->name.loc.end }, c->err, EINVAL,
				     "%s takes %s, as in: %s 100", test->term->name, filter_term__values(test->term),
				     test->term->name);
	rc = check_number(c, test, &value->lo, &value->first, &is_number);
	if (!rc && (!is_number || !value->first || value->first > UINT32_MAX))
		rc = filter__error(c->filter, value->loc, c->err, EINVAL, "%s takes %s, not '%.*s'", test->term->name,
				   filter_term__values(test->term), WORD_ARGS(&value->lo));
	return rc;
}

static int check_value(struct check *c, struct filter_test *test, struct filter_value *value)
{
	switch (test->term->kind) {
	case FILTER_KIND_COMM:
		return check_comm(c, test, value);
	case FILTER_KIND_SYMBOL:
		return check__symbol(c, test, value);
	case FILTER_KIND_FILE:
		return check__file(c, test, value);
	case FILTER_KIND_STRING:
		return check__field_string(c, test, value);
	default:
		return check_numeric_value(c, test, value);
	}
}

int check__find_term(struct check *c, struct filter_test *test)
{
	bool tracepoint = check__is_tracepoint(c);
	int rc = tracepoint ? check__field(c, test) : 0;

	if (rc || test->term)
		return rc;
	test->term = filter_term__find(&test->name);
	if (!test->term) {
		rc = check__walk(c, test);
		if (rc || test->term)
			return rc;
	}
	if (tracepoint && (!test->term || !filter_term__has_tracepoint(test->term)))
		return check__unknown_field(c, test);
	return test->term ? 0 : unknown_term(c, &test->name);
}

static int check_test(struct check *c, struct filter_test *test)
{
	struct filter_value *value;
	int rc;

	test->is_walk = false;
	test->term = NULL; /* a tree may be checked again, in another environment */
	rc = check__find_term(c, test);
	if (!rc)
		rc = check_op(c, test);
	if (rc)
		return rc;
	if (test->op == FILTER_OP_NONE)
		return check_flag(c, test);
	DL_FOREACH(test->values, value) {
		rc = check_value(c, test, value);
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

int filter__check(struct filter *filter, const struct filter_env *env, struct errmsg *err)
{
	struct check c = { .filter = filter, .env = env, .err = err };
	int rc = check_node(&c, filter->root);

	filter->checked = !rc;
	return rc;
}
