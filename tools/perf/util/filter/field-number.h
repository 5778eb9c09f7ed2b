/* SPDX-License-Identifier: GPL-2.0 */
/* What numbers mean to a field, for both judges: BPF and the kernel's own filter. Private to util/filter. */
#ifndef PERF_FILTER_FIELD_NUMBER_H
#define PERF_FILTER_FIELD_NUMBER_H

#include "util/filter/number.h"

/*
 * The bits in the field that a word of the test means, from what number__parse() made of it (NUMBER_OK, NUMBER_NEGATIVE or
 * NUMBER_TOO_BIG). A negative number in a field of 8 bytes without sign means the bits of its 64 bits, where it is not put in order.
 * -EINVAL: the field cannot have this value.
 */
int field_number__bits(const struct filter *filter, const struct filter_test *test, const struct filter_field_desc *field,
		       const struct filter_word *word, enum number_result result, u64 *value, struct errmsg *err);

/*
 * A negative number of 32 bits may fill a register in two ways: with ones above it, as bits are, or with zeros. True: the field is one
 * whose upper half does not count; *other are the bits with zeros above.
 */
bool field_number__other_form(const struct filter_field_desc *field, u64 bits, u64 *other);

#endif
