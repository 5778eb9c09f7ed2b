// SPDX-License-Identifier: GPL-2.0
#include "util/session/read-values.h"

#include <errno.h>
#include <stdlib.h>

#include "util/lib/hash.h"

struct read_value {
	struct read_key {
		u64 id, tid;
	} key;
	u64 last;
	UT_hash_handle hh;
};

void read_values__exit(struct read_values *values)
{
	struct read_value *value, *next;

	HASH_ITER(hh, values->by_key, value, next) {
		HASH_DEL(values->by_key, value);
		free(value);
	}
}

/* Layout: perf_event_open(2), "Reading results". perf_sample__decode() has checked that no word is missing. */
bool sample__read_value(const struct perf_sample *sample, const struct perf_event_attr *attr, u64 index, u64 *id, u64 *value)
{
	u64 format = attr->read_format;
	u64 times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	u64 each = 2 + !!(format & PERF_FORMAT_LOST);
	const u64 *word = sample->read;

	if (!word || !(format & PERF_FORMAT_ID))
		return false;
	if (!(format & PERF_FORMAT_GROUP)) {
		*value = word[0];
		*id = word[1 + times];
		return index == 0;
	}
	if (index >= word[0])
		return false;
	word += 1 + times + index * each;
	*value = word[0];
	*id = word[1];
	return true;
}

int read_values__since_last(struct read_values *values, u64 id, u32 tid, u64 now, u64 *more)
{
	const struct read_key key = { id, tid };
	struct read_value *value;

	HASH_FIND(hh, values->by_key, &key, sizeof(key), value);
	if (!value) {
		value = calloc(1, sizeof(*value));
		if (!value)
			return -ENOMEM;
		value->key = key;
		HASH_ADD(hh, values->by_key, key, sizeof(value->key), value);
		if (!hash_added(value)) {
			free(value);
			return -ENOMEM;
		}
	}
	*more = now - value->last;
	value->last = now;
	return 0;
}
