// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/lib/hash.h"
#include "util/source/tally-values.h"

struct key {
	u32 pid, tid, cpu, uid;
	u64 cgroup;
	char comm[16];
	u64 has, value[TALLY_VALUE_WORDS]; /* that users name */
};

struct entry {
	UT_hash_handle hh;
	struct key key;
	struct histogram histogram;
	u32 room;
};

struct histograms {
	struct entry *entries;
	const struct histogram_config *config;
	struct entry **sorted;
	u32 nr;
};

struct histograms *histograms__new(void)
{
	return calloc(1, sizeof(struct histograms));
}

const struct histogram_config *histograms__config(const struct histograms *set)
{
	return set->config;
}

static void free_entry(struct entry *entry)
{
	free(entry->histogram.bar);
	free(entry);
}

static struct entry *find_or_add(struct histograms *set, const struct tally_row *row)
{
	struct key key = { .pid = row->pid, .tid = row->tid, .cpu = row->cpu, .uid = row->uid, .cgroup = row->cgroup };
	struct entry *entry;

	memcpy(key.comm, row->comm, sizeof(key.comm));
	if (tally_values__nr(row->values)) {
		key.has = row->has;
		memcpy(key.value, row->value, sizeof(key.value));
	}
	HASH_FIND(hh, set->entries, &key, sizeof(key), entry);
	if (entry)
		return entry;
	if (array__extend(set->sorted, set->nr))
		return NULL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = key;
	entry->histogram.who = (struct tally_row){
		.pid = row->pid,
		.tid = row->tid,
		.cpu = row->cpu,
		.uid = row->uid,
		.cgroup = row->cgroup,
		.values = row->values,
		.has = entry->key.has,
		.value = entry->key.value,
	};
	memcpy(entry->histogram.who.comm, row->comm, sizeof(row->comm));
	entry->histogram.sum_known = true;
	HASH_ADD(hh, set->entries, key, sizeof(key), entry);
	if (!hash_added(entry)) {
		free_entry(entry);
		return NULL;
	}
	set->sorted[set->nr++] = entry;
	return entry;
}

/* The index of the bucket, or where to insert it. */
static u32 place_of(const struct histogram *h, s32 bucket)
{
	u32 begin = 0, end = h->nr_bars;

	while (begin < end) {
		u32 middle = begin + (end - begin) / 2;

		if (h->bar[middle].bucket < bucket)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static int add_bar(struct entry *entry, s32 bucket, u64 count)
{
	struct histogram *h = &entry->histogram;
	u32 at = place_of(h, bucket);

	if (at < h->nr_bars && h->bar[at].bucket == bucket) {
		h->bar[at].count += count;
		return 0;
	}
	if (array__grow(h->bar, h->nr_bars, entry->room))
		return -ENOMEM;
	memmove(&h->bar[at + 1], &h->bar[at], (h->nr_bars++ - at) * sizeof(*h->bar));
	h->bar[at] = (struct histogram_bar){ bucket, count };
	return 0;
}

static wide widen(const struct histogram_config *config, u64 value)
{
	return config->is_signed ? (wide)(s64)value : (wide)value;
}

static void add_sum(struct histogram *h, const struct tally_row *row, wide least, wide greatest)
{
	const wide max = row->histogram->is_signed ? INT64_MAX : (wide)UINT64_MAX;
	const wide amount = greatest > -least ? greatest : -least;

	if (amount > max / row->count)
		h->sum_known = false;
	h->sum += widen(row->histogram, row->period);
}

int histograms__add(struct histograms *set, const struct tally_row *row)
{
	const wide least = widen(row->histogram, row->least), greatest = widen(row->histogram, row->greatest);
	struct entry *entry;
	struct histogram *h;

	if (!row->count)
		return 0;
	set->config = row->histogram;
	entry = find_or_add(set, row);
	if (!entry || add_bar(entry, row->bucket, row->count))
		return -ENOMEM;
	h = &entry->histogram;
	if (!h->count || least < h->least)
		h->least = least;
	if (!h->count || greatest > h->greatest)
		h->greatest = greatest;
	add_sum(h, row, least, greatest);
	h->count += row->count;
	return 0;
}

/* Sort equal ones by their names, so that the order is repeatable. */
static int compare(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	if (x->histogram.count != y->histogram.count)
		return x->histogram.count < y->histogram.count ? 1 : -1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

void histograms__sort(struct histograms *set)
{
	if (set->nr)
		qsort(set->sorted, set->nr, sizeof(*set->sorted), compare);
}

const struct histogram *histograms__get(const struct histograms *set, u32 i)
{
	return i < set->nr ? &set->sorted[i]->histogram : NULL;
}

void histograms__clear(struct histograms *set)
{
	HASH_CLEAR(hh, set->entries);
	for (u32 i = 0; i < set->nr; i++)
		free_entry(set->sorted[i]);
	set->nr = 0;
}

void histograms__delete(struct histograms *set)
{
	if (!set)
		return;
	histograms__clear(set);
	free(set->sorted);
	free(set);
}

struct histograms **histograms__new_array(u32 nr)
{
	struct histograms **sets = calloc(nr, sizeof(*sets));

	for (u32 i = 0; sets && i < nr; i++) {
		sets[i] = histograms__new();
		if (!sets[i]) {
			histograms__delete_array(sets, nr);
			return NULL;
		}
	}
	return sets;
}

void histograms__delete_array(struct histograms **sets, u32 nr)
{
	for (u32 i = 0; sets && i < nr; i++)
		histograms__delete(sets[i]);
	free(sets);
}

static struct histogram_range log2_range(u64 step, s32 bucket)
{
	const int bits = bucket < 0 ? -bucket : bucket;
	const wide low = bits ? (wide)step << (bits - 1) : 0, high = ((wide)step << bits) - 1;

	/* Below 0 there are no steps other than 1. */
	return bucket < 0 ? (struct histogram_range){ -high, -low } : (struct histogram_range){ low, high };
}

static struct histogram_range linear_range(u64 step, s32 bucket)
{
	const wide end = (wide)step * HISTOGRAM_MAX_LINEAR;

	if (bucket == HISTOGRAM_OVER)
		return (struct histogram_range){ end, UINT64_MAX };
	if (bucket == HISTOGRAM_UNDER)
		return (struct histogram_range){ INT64_MIN, -end - 1 };
	return (struct histogram_range){ (wide)step * bucket, (wide)step * (bucket + 1) - 1 };
}

struct histogram_range histogram_range(const struct histogram_config *config, s32 bucket)
{
	const wide min = config->is_signed ? INT64_MIN : 0, max = config->is_signed ? INT64_MAX : (wide)UINT64_MAX;
	struct histogram_range range =
		config->kind == HISTOGRAM_LOG2 ? log2_range(config->step, bucket) : linear_range(config->step, bucket);

	if (range.low < min)
		range.low = min;
	if (range.high > max)
		range.high = max;
	return range;
}
