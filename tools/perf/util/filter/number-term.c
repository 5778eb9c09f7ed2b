// SPDX-License-Identifier: GPL-2.0
/* Resolves names of the language as numbers to read, without a comparison. */
#include <errno.h>
#include <string.h>
#include "util/filter/check.h"
#include "util/filter/number.h"

static int no_number(struct check *c, const struct filter_test *test, const char *why)
{
	return word_error(c, &test->name, "is no number to make a histogram of: %s. Take a term or field that is a number", why);
}

/* Every time is different, and numbers that stand for texts or names have no order. */
static int check_kind(struct check *c, const struct filter_test *test)
{
	switch (test->term->kind) {
	case FILTER_KIND_NUMBER:
	case FILTER_KIND_CPU:
	case FILTER_KIND_USER:
	case FILTER_KIND_GROUP:
	case FILTER_KIND_CGROUP:
	case FILTER_KIND_SIGNED:
	case FILTER_KIND_FIELD:
		return 0;
	case FILTER_KIND_TIME:
		return no_number(c, test, "it is different in each sample; -I shows what is when");
	case FILTER_KIND_COMM:
		return no_number(c, test, "it is a text; --key comm makes a histogram for each");
	case FILTER_KIND_STRING:
		return no_number(c, test, "it is a text");
	case FILTER_KIND_SYMBOL:
	case FILTER_KIND_FILE:
		return no_number(c, test, "it is a place in code; count with --key sym instead");
	default:
		return no_number(c, test, "it is a test, or has names for values");
	}
}

static void fill(struct histogram_number *number, const struct filter_test *test)
{
	const struct filter_term_desc *term = test->term;

	*number = (struct histogram_number){
		.term = term->slot,
		.shift = term->shift,
		.bits = term->bits ?: 64,
		.is_signed = term->kind == FILTER_KIND_FIELD && test->field.is_signed,
		.offset = term->kind == FILTER_KIND_SIGNED ? term->min : 0,
	};
}

static int find(struct check *c, struct histogram_number *number, u64 *sample_type)
{
	struct filter_node *node = c->filter->root;
	int rc;

	if (node->kind != FILTER_TEST || node->test.op != FILTER_OP_NONE || node->test.values)
		return filter__error(c->filter, node->loc, c->err, EINVAL, "a histogram is of one number: name a term or a field");
	rc = check__find_term(c, &node->test);
	if (!rc)
		rc = check_kind(c, &node->test);
	if (rc)
		return rc;
	fill(number, &node->test);
	*sample_type = filter_slot__get(number->term)->need;
	return 0;
}

int filter__find_number(const char *domain, const char *text, const struct filter_env *env, struct histogram_number *number,
			u64 *sample_type, struct errmsg *err)
{
	struct check c = { .env = env, .err = err };
	int rc = filter__parse_as(domain, text, &c.filter, err);

	if (rc)
		return rc;
	rc = find(&c, number, sample_type);
	filter__delete(c.filter);
	return rc;
}

bool filter__parse_amount(const char *text, u64 *value)
{
	const struct filter_word word = { .text = text, .len = strlen(text) };

	return number__parse(&word, NUMBER_TIMES_AND_SIZES, value) == NUMBER_OK;
}

u32 histogram_number__record_len(const struct histogram_number *number)
{
	if (number->term < FILTER_TERM_RECORD || number->term > FILTER_TERM_RECORD_LAST)
		return 0;
	return (number->term - FILTER_TERM_RECORD + 1) * 8;
}
