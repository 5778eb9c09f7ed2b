/* SPDX-License-Identifier: GPL-2.0 */
/* The meaning of numbers for a field, for both judges: BPF and the kernel's own filter. Private to util/filter. */
#ifndef PERF_FILTER_FIELD_NUMBER_H
#define PERF_FILTER_FIELD_NUMBER_H

#include "util/filter/number.h"

/*
 * The bits in the field for a word of the test, from the result of number__parse() (NUMBER_OK, NUMBER_NEGATIVE or NUMBER_TOO_BIG).
 * In an unsigned field of 8 bytes a negative number means its 64 bits, unless the test compares order. -EINVAL: the field cannot
 * have this value.
 */
int field_number__bits(const struct filter *filter, const struct filter_test *test, const struct filter_field_desc *field,
		       const struct filter_word *word, enum number_result result, u64 *value, struct errmsg *err);

/*
 * A negative number of 32 bits may be in a register in two forms: sign-extended, or with zeros above. true: the upper half of the
 * field is ignored; *other is the form with zeros above.
 */
bool field_number__other_form(const struct filter_field_desc *field, u64 bits, u64 *other);

#endif
