/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much CPU time perf spends on unwinding tables for each user. Anybody may run programs whose tables are large, and new ones as often as he
 * likes: at perf's priority, however low his own is. So the files of a user's processes get some time at once, and from then on a part of the time
 * that passes: for root and who runs perf 2 s and a quarter, for another user 1 s and a tenth, for all other users together 3 s and a quarter.
 * Of that, files that were written to, and what is mapped besides what was asked for, get 100 ms and a twentieth.
 */
#ifndef PERF_SOURCE_UNWIND_BUDGET_H
#define PERF_SOURCE_UNWIND_BUDGET_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/types.h"

struct unwind_budget;

enum unwind_budget_kind {
	UNWIND_BUDGET_NEW,  /* a file that is not known */
	UNWIND_BUDGET_MORE, /* another version of one that is, or a look at what else is mapped */
};

struct unwind_budget *unwind_budget__new(void); /* NULL: no memory */
void unwind_budget__delete(struct unwind_budget *budget); /* NULL is fine */

/* Times are of CLOCK_MONOTONIC, in ns. uid: of the file's process, in the initial user namespace. */
void unwind_budget__begin(struct unwind_budget *budget, u64 now);
bool unwind_budget__has_time(const struct unwind_budget *budget, uid_t uid, enum unwind_budget_kind kind, u64 now);
/* Of a user that there is no memory for only the sum of all is known. */
void unwind_budget__charge(struct unwind_budget *budget, uid_t uid, enum unwind_budget_kind kind, u64 ns);

#endif
