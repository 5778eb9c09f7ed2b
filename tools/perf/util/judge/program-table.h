/* SPDX-License-Identifier: GPL-2.0 */
/* What becomes of a filter table on its way into a BPF program. */
#ifndef PERF_JUDGE_PROGRAM_TABLE_H
#define PERF_JUDGE_PROGRAM_TABLE_H

#include <stdbool.h>
#include "util/bpf/programs.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

/* The specialised program trusts its table: out of these bounds it would read a wrong place or not end with a verdict. */
bool program_table__is_valid(const struct filter_table *table);

/* A table as programs get it: equal to table, but no field is fetched that is at hand, or that may be another event's. */
void program_table__prepare(const struct filter_table *table, struct filter_table *prepared);
/* The same of one that need not be valid, in memory to be freed. */
int program_table__new(const struct filter_table *table, struct filter_table **prepared, struct errmsg *err);

/* Before the load: put a prepared table into the programs' read-only data. NULL: none. */
void program_table__put(const struct filter_table *table, struct bpf_programs *programs);

/*
 * What of a sample user space must be told so that it can judge in a program's place by filter_table__eval(), apart from the file:
 * terms, bits by enum filter_term, those by which it finds the sample included, and cgroups, bits by level. Both 0: the table
 * does not ask for files; or user space cannot, as it has not seen what the program drew or counted (rand, every) before it came to the
 * file, or is not told of cgroups as deep.
 */
void program_table__needs(const struct filter_table *table, __u64 *terms, __u32 *cgroups);

#endif
