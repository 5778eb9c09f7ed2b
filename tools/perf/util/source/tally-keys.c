// SPDX-License-Identifier: GPL-2.0
#include "util/source/tally-keys.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/lib/hash.h"

struct element {
	UT_hash_handle hh;
	u64 count, period, first_time, last_time;
	u64 least, greatest; /* ranks, see histogram__rank() */
	u32 nr_kernel, nr_user; /* without the markers in the record */
	struct tally_record record; /* as many frames as it has */
};

/* A key may have several slots: if two CPUs insert it at the same time one gives up its slot, and others may have gone past that slot. */
struct taken_slot {
	u32 slot;
	struct element *elt;
};

struct tally_keys {
	struct element *elements;
	struct taken_slot *taken;
	size_t nr_taken, room;
	struct histogram_config histogram;
	struct tally_values *values;
};

#define HEAD_SIZE offsetof(struct tally_record, frame)

struct tally_keys *tally_keys__new(const struct histogram_config *histogram, struct tally_values *values)
{
	struct tally_keys *keys = calloc(1, sizeof(*keys));

	if (!keys)
		return NULL;
	keys->histogram = *histogram;
	keys->values = values;
	return keys;
}

static bool is_valid(const struct tally_record *r)
{
	unsigned int nr = r->key.nr_kernel + r->key.nr_user;

	return r->size >= HEAD_SIZE && nr <= 2 * TALLY_MAX_STACK && r->size == HEAD_SIZE + nr * sizeof(r->frame[0]);
}

/* Where the kernel had already taken the callchain for the sample, markers separate kernel and user frames. */
static u32 copy_frames(__u64 *to, const __u64 *from, u32 nr)
{
	u32 kept = 0;

	for (u32 i = 0; i < nr; i++) {
		if (from[i] < (__u64)PERF_CONTEXT_MAX)
			to[kept++] = from[i];
	}
	return kept;
}

static struct element *new_element(const struct tally_record *r)
{
	struct element *elt = malloc(offsetof(struct element, record) + r->size);

	if (!elt)
		return NULL;
	memset(elt, 0, offsetof(struct element, record));
	memcpy(&elt->record, r, HEAD_SIZE);
	elt->nr_kernel = copy_frames(elt->record.frame, r->frame, r->key.nr_kernel);
	elt->nr_user = copy_frames(elt->record.frame + elt->nr_kernel, r->frame + r->key.nr_kernel, r->key.nr_user);
	return elt;
}

static struct element *find_or_add(struct tally_keys *keys, const struct tally_record *r)
{
	const size_t len = sizeof(r->digest);
	unsigned int hash = r->digest[1] >> 32; /* the digest is the best hash */
	struct element *elt;

	HASH_FIND_BYHASHVALUE(hh, keys->elements, r->digest, len, hash, elt);
	if (elt)
		return elt;
	elt = new_element(r);
	if (!elt)
		return NULL;
	HASH_ADD_BYHASHVALUE(hh, keys->elements, record.digest, len, hash, elt);
	if (hash_added(elt))
		return elt;
	free(elt);
	return NULL;
}

/* A slot may have been given up before anything was counted in it. */
static void add_sums(struct element *elt, const struct tally_slot *slot)
{
	if (!slot->count)
		return;
	if (!elt->count || slot->first_time < elt->first_time)
		elt->first_time = slot->first_time;
	if (!elt->count || slot->least < elt->least)
		elt->least = slot->least;
	if (slot->last_time > elt->last_time)
		elt->last_time = slot->last_time;
	if (slot->greatest > elt->greatest)
		elt->greatest = slot->greatest;
	elt->count += slot->count;
	elt->period += slot->period;
}

static int add_slot(struct tally_keys *keys, u32 slot, struct element *elt)
{
	if (array__grow(keys->taken, keys->nr_taken, keys->room))
		return -ENOMEM;
	keys->taken[keys->nr_taken++] = (struct taken_slot){ slot, elt };
	return 0;
}

int tally_keys__add(struct tally_keys *keys, const struct tally_record *record)
{
	const struct tally_slot alone = {
		.count = 1,
		.period = record->period,
		.first_time = record->time,
		.last_time = record->time,
		.least = record->rank,
		.greatest = record->rank,
	};
	struct element *elt;

	if (!is_valid(record))
		return -EIO;
	elt = find_or_add(keys, record);
	if (!elt)
		return -ENOMEM;
	if (record->slot != TALLY_NO_SLOT)
		return add_slot(keys, record->slot, elt);
	add_sums(elt, &alone);
	return 0;
}

void tally_keys__take_slots(struct tally_keys *keys, struct tally_slot *slots, u32 nr)
{
	for (size_t i = 0; i < keys->nr_taken; i++) {
		struct tally_slot *slot;

		if (keys->taken[i].slot >= nr)
			continue;
		slot = &slots[keys->taken[i].slot];
		add_sums(keys->taken[i].elt, slot);
		memset(slot, 0, sizeof(*slot));
	}
	keys->nr_taken = 0;
}

static void fill_row(struct tally_row *row, const struct tally_keys *keys, const struct element *elt)
{
	const struct tally_key *key = &elt->record.key;
	const u64 zero_rank = keys->histogram.is_signed ? 1ULL << 63 : 0; /* rank of the value 0 */

	*row = (struct tally_row){
		.pid = key->pid,
		.tid = key->tid,
		.cpu = key->cpu,
		.uid = key->uid,
		.cgroup = key->cgroup,
		.ip = key->ip,
		.cpumode = key->cpumode,
		.lock = key->lock,
		.lock_type = key->lock_type,
		.lock_name = &elt->record.lock,
		.values = keys->values,
		.has = elt->record.has,
		.value = (const u64 *)elt->record.value,
		.kstack = (const u64 *)elt->record.frame,
		.ustack = (const u64 *)elt->record.frame + elt->nr_kernel,
		.nr_kstack = elt->nr_kernel,
		.nr_ustack = elt->nr_user,
		.count = elt->count,
		.period = elt->period,
		.histogram = keys->histogram.kind == HISTOGRAM_NONE ? NULL : &keys->histogram,
		.bucket = key->bucket,
		.least = elt->least ^ zero_rank,
		.greatest = elt->greatest ^ zero_rank,
		.first_time = elt->first_time,
		.last_time = elt->last_time,
	};
	memcpy(row->comm, key->comm, sizeof(row->comm));
}

int tally_keys__for_each(const struct tally_keys *keys, int (*cb)(void *data, const struct tally_row *row), void *data)
{
	const struct element *elt;
	struct tally_row row;
	int ret;

	for (elt = keys->elements; elt; elt = elt->hh.next) {
		fill_row(&row, keys, elt);
		ret = cb(data, &row);
		if (ret < 0)
			return ret;
	}
	return 0;
}

void tally_keys__clear(struct tally_keys *keys)
{
	struct element *elt = keys->elements, *next;

	HASH_CLEAR(hh, keys->elements);
	for (; elt; elt = next) {
		next = elt->hh.next;
		free(elt);
	}
}

void tally_keys__delete(struct tally_keys *keys)
{
	if (!keys)
		return;
	tally_keys__clear(keys);
	free(keys->taken);
	free(keys);
}
