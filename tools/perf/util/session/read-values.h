/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that carry the values of counters (PERF_SAMPLE_READ), such as those of a group in which only the leader samples: each
 * value becomes a sample of its event, with what the event counted since its last value as period.
 */
#ifndef PERF_SESSION_READ_VALUES_H
#define PERF_SESSION_READ_VALUES_H

#include <stdbool.h>
#include "util/perfdata/sample.h"

struct read_values { /* starts zeroed */
	struct read_value *by_key;
};

void read_values__exit(struct read_values *values);

/* Get a sample's value at index and the id of its event; false: there are no more, or they have no ids. */
bool sample__read_value(const struct perf_sample *sample, const struct perf_event_attr *attr, u64 index, u64 *id, u64 *value);

/* The difference to the last value of id. An inherited event counts in each task (tid) separately; 0 for others. 0 or -ENOMEM. */
int read_values__since_last(struct read_values *values, u64 id, u32 tid, u64 value, u64 *more);

#endif
