/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of system calls, in the layout of other perfs. */
#ifndef PERF_UI_TRACE_SUMS_H
#define PERF_UI_TRACE_SUMS_H

#include <stdbool.h>
#include <stdio.h>
#include "util/source/syscall-formats.h"

struct trace_sums; /* rows by call, and thread, cgroup or all together */

/* max_rows: of each table; 0: all. NULL: no memory */
struct trace_sums *trace_sums__new(enum trace_sums_by by, unsigned int max_rows);
void trace_sums__delete(struct trace_sums *sums); /* NULL is fine */
int trace_sums__add(struct trace_sums *sums, const struct trace_sum_key *key, const struct trace_sum *sum); /* 0 or -ENOMEM */
int trace_sums__add_error(struct trace_sums *sums, const struct trace_error_key *key, u64 nr);	 /* the same */
/* A page fault of a thread, for the titles of tables by thread and in total. 0 or -ENOMEM */
int trace_sums__add_fault(struct trace_sums *sums, u32 tid, const char *comm, bool major);
void trace_sums__print(struct trace_sums *sums, const struct syscall_formats *formats, FILE *fp);

#endif
