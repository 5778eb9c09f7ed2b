// SPDX-License-Identifier: GPL-2.0
/* Resolves names of the language as numbers and texts to read, without a comparison. */
#include <errno.h>
#include <string.h>
#include "util/filter/check.h"
#include "util/filter/number.h"

static int no_number(struct check *c, const struct filter_test *test, const char *why)
{
	return word_error(c, &test->name, "is no number here: %s. Take a term or field that is a number", why);
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

/* The test that the text consists of, without operator and value, and with its term. */
static int find_test(struct check *c, struct filter_test **test)
{
	struct filter_node *node = c->filter->root;

	if (node->kind != FILTER_TEST || node->test.op != FILTER_OP_NONE || node->test.values)
		return filter__error(c->filter, node->loc, c->err, EINVAL, "expected the name of a term or a field, without a comparison");
	*test = &node->test;
	return check__find_term(c, *test);
}

static int find(struct check *c, struct histogram_number *number, u64 *sample_type)
{
	struct filter_test *test;
	int rc = find_test(c, &test);

	if (!rc && test->is_walk && test->term->kind != FILTER_KIND_STRING)
		rc = no_number(c, test, "it is data of the kernel, which cannot be read here");
	if (!rc)
		rc = check_kind(c, test);
	if (rc)
		return rc;
	fill(number, test);
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

/* A field that points to a text is that text where programs can read it. */
static bool points_to_text(const struct check *c, const struct filter_test *test)
{
	return !test->is_walk && test->field.kind == FILTER_FIELD_NUMBER && test->field.size == 8 && c->env->points_to_user_text &&
	       c->env->points_to_user_text(c->env->data, test->term->name);
}

static int fill_value(struct check *c, const struct filter_test *test, bool texts, struct filter_reading *reading)
{
	int rc;

	reading->field = test->field;
	reading->walk = test->walk;
	reading->is_field = test->term->kind == FILTER_KIND_FIELD || test->term->kind == FILTER_KIND_STRING;
	if (texts && test->is_walk && test->term->kind == FILTER_KIND_STRING) {
		reading->value.kind = TALLY_VALUE_WALK_TEXT;
		return 0;
	}
	if (texts && reading->is_field && points_to_text(c, test))
		reading->field.kind = FILTER_FIELD_USER_TEXT;
	if (texts && reading->is_field && reading->field.kind != FILTER_FIELD_NUMBER) {
		reading->value.kind = TALLY_VALUE_FIELD_TEXT;
		return 0;
	}
	rc = check_kind(c, test);
	if (rc)
		return rc;
	fill(&reading->value.number, test);
	reading->value.kind = test->is_walk ? TALLY_VALUE_WALK_NUMBER : TALLY_VALUE_TERM;
	if (!test->is_walk)
		reading->sample_type = filter_slot__get(reading->value.number.term)->need;
	return 0;
}

int filter__find_value(const char *domain, const char *text, const struct filter_env *env, bool texts, struct filter_reading *reading,
		       struct errmsg *err)
{
	struct check c = { .env = env, .err = err };
	struct filter_test *test;
	int rc = filter__parse_as(domain, text, &c.filter, err);

	memset(reading, 0, sizeof(*reading));
	if (rc)
		return rc;
	rc = find_test(&c, &test) ?: fill_value(&c, test, texts, reading);
	reading->is_field = reading->is_field && !test->is_walk;
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
