/* SPDX-License-Identifier: GPL-2.0 */
/* A sleep, or a sum of sleeps, as a PERF_RECORD_SAMPLE. */
#ifndef PERF_SOURCE_OFFCPU_RECORD_H
#define PERF_SOURCE_OFFCPU_RECORD_H

#include <linux/perf_event.h>
#include "util/bpf_skel/offcpu.h"
#include "util/lib/types.h"

/*
 * The time of a sample that stands for a sum of short sleeps: they were all along, and it says so by being later than all else, as in
 * perf. No clock comes to it.
 */
#define OFFCPU_SUM_TIME (~0ULL << 32)

/* What a sample of off-CPU time can hold; the weight is the number of sleeps, and raw data is the state, for wall-clock time: wall_state__name(). */
#define OFFCPU_SAMPLE_TYPES (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
			     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_RAW)

#define OFFCPU_MAX_CHAIN (2 * 2 * (1 + OFFCPU_MAX_FRAMES)) /* two stacks of two parts, each with its marker */

/* header, id, ip, pid and tid, time, id, cpu, period, nr, chain, raw data, weight */
#define OFFCPU_RECORD_MAX ((12 + OFFCPU_MAX_CHAIN) * sizeof(u64))

/*
 * Write the record of nr sleeps to buf, OFFCPU_RECORD_MAX bytes; attr->sample_type is a subset of OFFCPU_SAMPLE_TYPES. Returns its
 * size. Stacks may be NULL. The waker's stack follows the sleeper's as if it had called it; it begins with a second
 * PERF_CONTEXT_KERNEL.
 */
size_t offcpu_record__encode(void *buf, const struct perf_event_attr *attr, u64 id, const struct offcpu_sleep *sleep, u64 nr,
			     const struct offcpu_stack *stack, const struct offcpu_stack *waker);

#endif
