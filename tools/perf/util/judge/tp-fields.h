/* SPDX-License-Identifier: GPL-2.0 */
/* Looks up the fields of a tracepoint by name, for filters. */
#ifndef PERF_JUDGE_TP_FIELDS_H
#define PERF_JUDGE_TP_FIELDS_H

#include "util/event/tracepoint.h"
#include "util/filter/filter.h"

/*
 * texts: treat fields that point to text in the task's memory as texts, which only programs on syscalls can read; otherwise they are
 * numbers.
 */
struct filter_env tp_fields__env(struct tracepoint *tp, bool texts);

#endif
