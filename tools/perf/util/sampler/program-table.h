/* SPDX-License-Identifier: GPL-2.0 */
/* What becomes of a filter table on its way into a BPF program. */
#ifndef PERF_SAMPLER_PROGRAM_TABLE_H
#define PERF_SAMPLER_PROGRAM_TABLE_H

#include <stdbool.h>
#include "util/filter/filter.h"

/* The specialised program trusts its table: out of these bounds it would read a wrong place or not end with a verdict. */
bool program_table__is_valid(const struct filter_table *table);

/* A table as programs get it: equal to table, but no field is fetched that is at hand. */
void program_table__prepare(const struct filter_table *table, struct filter_table *prepared);

#endif
