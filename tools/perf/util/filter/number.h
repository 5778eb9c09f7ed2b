/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers as a filter spells them. Private to util/filter. */
#ifndef PERF_FILTER_NUMBER_H
#define PERF_FILTER_NUMBER_H

#include "util/filter/ast.h"

enum number_units {
	NUMBER_PLAIN,
	NUMBER_SIZES, /* K, M, G: times 1024, since they are for addresses and pages; -c uses 1000 */
	NUMBER_TIMES, /* ns, us, ms, s; then a fraction is allowed, e.g. 1.5s */
	NUMBER_TIMES_AND_SIZES, /* either */
};

enum number_result {
	NUMBER_OK,
	NUMBER_NONE,	 /* not a number; it may be a name */
	NUMBER_NEGATIVE, /* a number after '-'; *value is its amount */
	NUMBER_TOO_BIG,	 /* for 64 bits */
	NUMBER_TOO_FINE, /* a fraction of a nanosecond */
};

/* Parse "12.5%" as a part of 2^32. NUMBER_TOO_BIG: more than 100%; NUMBER_TOO_FINE: more than nine decimals. */
enum number_result number__parse_percent(const struct filter_word *word, u64 *value);

enum number_result number__parse(const struct filter_word *word, enum number_units units, u64 *value);

#endif
