/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of a tracepoint, as the language of filters looks names up. */
#ifndef PERF_JUDGE_TP_FIELDS_H
#define PERF_JUDGE_TP_FIELDS_H

#include "util/event/tracepoint.h"
#include "util/filter/filter.h"

/* texts: fields that point to text in the task's memory, which only programs on syscalls can read, are texts; else they are numbers. */
struct filter_env tp_fields__env(struct tracepoint *tp, bool texts);

#endif
