/* SPDX-License-Identifier: GPL-2.0 */
/* Prepares a filter table for a BPF program. */
#ifndef PERF_JUDGE_PROGRAM_TABLE_H
#define PERF_JUDGE_PROGRAM_TABLE_H

#include <stdbool.h>
#include "util/bpf/programs.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

/* Is the table safe? The specialised program trusts it: outside of these bounds it would read a wrong address or end without a verdict. */
bool program_table__is_valid(const struct filter_table *table);

/*
 * Make the programs' copy of a table: equal to table, but fetches no field that was just fetched, or that may hold another event's
 * value.
 */
void program_table__prepare(const struct filter_table *table, struct filter_table *prepared);
/* The same for a table that need not be valid; the caller frees the result. */
int program_table__new(const struct filter_table *table, struct filter_table **prepared, struct errmsg *err);

/* Bits of a tracepoint's arguments that the table's walks begin with. table NULL: 0 */
u32 program_table__arguments(const struct filter_table *table);

/*
 * Can these programs read all that a prepared table tests? What they read is in their variable filter_reads. -EDOM, which no load returns, with a
 * message: they lack a term. table NULL: 0
 */
int program_table__check(const struct filter_table *table, struct bpf_programs *programs, struct errmsg *err);
/* Before the load: check it, and copy a prepared table into the programs' read-only data. NULL: none. 0 or -EDOM */
int program_table__put(const struct filter_table *table, struct bpf_programs *programs, struct errmsg *err);

/*
 * Find out which terms (bits by enum filter_term) and cgroups (bits by level) user space needs from a sample so that it can judge by
 * filter_table__eval() instead of a program, besides the file; includes the terms that identify the sample. Both 0: the table does
 * not test files, or user space cannot judge, as it does not know what the program drew or counted (rand, every) before it tested
 * the file, or does not get cgroups that deep.
 */
void program_table__needs(const struct filter_table *table, __u64 *terms, __u32 *cgroups);

#endif
