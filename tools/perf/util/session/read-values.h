/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that carry the values of counters (PERF_SAMPLE_READ), such as those of a group of which only the leader samples: each
 * value stands for a sample of its event, whose period is what the event counted since its last value.
 */
#ifndef PERF_SESSION_READ_VALUES_H
#define PERF_SESSION_READ_VALUES_H

#include <stdbool.h>
#include "util/perfdata/sample.h"

struct read_values { /* starts zeroed */
	struct read_value *by_key;
};

void read_values__exit(struct read_values *values);

/* The value number index of a sample and the id of its event; false: it has no more, or they have no ids. */
bool sample__read_value(const struct perf_sample *sample, const struct perf_event_attr *attr, u64 index, u64 *id, u64 *value);

/*
 * How much more this is than the last value of id. An event that is inherited counts in each task (tid) by itself; 0 for others.
 * 0 or -ENOMEM.
 */
int read_values__since_last(struct read_values *values, u64 id, u32 tid, u64 value, u64 *more);

#endif
