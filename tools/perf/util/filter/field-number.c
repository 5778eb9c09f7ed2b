// SPDX-License-Identifier: GPL-2.0
#include "util/filter/field-number.h"

#include <errno.h>
#include <inttypes.h>
#include <utlist.h>

static u64 all_bits(const struct filter_field_desc *field)
{
	return field->size < 8 ? (1ULL << field->size * 8) - 1 : ~0ULL;
}

/* System calls have 8 unsigned bytes for each argument, even a signed one. */
static bool takes_negative_bits(const struct filter_field_desc *field)
{
	return !field->is_signed && field->size == 8;
}

/* With '&' the bits of a signed field may also be an unsigned number. */
static bool fits(const struct filter_field_desc *field, enum filter_op op, bool negative, u64 amount)
{
	u64 max = all_bits(field);

	if (negative && takes_negative_bits(field))
		return amount <= max / 2 + 1;
	if (!field->is_signed)
		return negative ? !amount : amount <= max;
	if (negative)
		return amount <= max / 2 + 1;
	return amount <= (op == FILTER_OP_ANY ? max : max / 2);
}

static bool is_put_in_order(const struct filter_test *test, const struct filter_word *word)
{
	const struct filter_value *value;

	if (test->op == FILTER_OP_LT || test->op == FILTER_OP_LE || test->op == FILTER_OP_GT || test->op == FILTER_OP_GE)
		return true;
	DL_FOREACH(test->values, value) {
		if (value->range && word->loc.begin >= value->loc.begin && word->loc.end <= value->loc.end)
			return true;
	}
	return false;
}

/* Where it is said that a number has no sign; walks go by the kernel's types. */
static const char *type_of(const struct filter_test *test)
{
	return test->is_walk ? "" : " in the format of the tracepoint";
}

#define REFUSE(fmt, ...) filter__error(filter, word->loc, err, EINVAL, "'%.*s' " fmt, WORD_ARGS(word), ##__VA_ARGS__)

int field_number__bits(const struct filter *filter, const struct filter_test *test, const struct filter_field_desc *field,
		       const struct filter_word *word, enum number_result result, u64 *value, struct errmsg *err)
{
	bool negative = result == NUMBER_NEGATIVE && *value;
	u64 max = all_bits(field);

	if (result == NUMBER_TOO_BIG || !fits(field, test->op, negative, *value)) {
		if (field->is_signed)
			return REFUSE("is no value of %.*s, which is from -%" PRIu64 " to %" PRIu64, WORD_ARGS(&test->name), max / 2 + 1,
				      max / 2);
		return REFUSE("is no value of %.*s, which is from 0 to %" PRIu64, WORD_ARGS(&test->name), max);
	}
	if (negative && takes_negative_bits(field) && is_put_in_order(test, word))
		return REFUSE("has no place in the order of %.*s, which has no sign%s: compare a "
			      "negative number by ==, != or in, without ranges", WORD_ARGS(&test->name), type_of(test));
	if (takes_negative_bits(field) && !*value && test->op == FILTER_OP_LT)
		return REFUSE("has nothing below it: %.*s has no sign%s. Compare a negative number by ==, != or in",
			      WORD_ARGS(&test->name), type_of(test));
	if (negative)
		*value = -*value & max;
	return 0;
}

bool field_number__other_form(const struct filter_field_desc *field, u64 bits, u64 *other)
{
	*other = bits & UINT32_MAX;
	return field->is_narrow && bits >= (u64)INT32_MIN;
}
