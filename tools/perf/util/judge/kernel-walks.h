/* SPDX-License-Identifier: GPL-2.0 */
/* Walks through the kernel's data (util/types/walk.h) for filters. */
#ifndef PERF_JUDGE_KERNEL_WALKS_H
#define PERF_JUDGE_KERNEL_WALKS_H

#include "util/event/tracepoint.h"
#include "util/types/walk.h"

/*
 * As filter_env.find_walk and .walk_value. Walks begin with the current task and, if tp is a tracepoint of the kernel, with its arguments.
 * tp NULL: another kind of event. The kernel's types are read when the first walk is looked up (some 20 ms), and kept.
 */
int kernel_walks__find(const struct tracepoint *tp, const char *text, size_t len, struct type_walk *walk, struct walk_error *error);
int kernel_walks__value(const struct tracepoint *tp, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size);
/* The same for events that are no tracepoints, as members of filter_env; unused is not used. */
int kernel_walks__find_of_task(void *unused, const char *text, size_t len, struct type_walk *walk, struct walk_error *error);
int kernel_walks__value_of_task(void *unused, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size);

/* The types of the kernel that such walks have; NULL: there are none. */
const struct btf *kernel_walks__types(const struct tracepoint *tp);

#endif
