// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/mends.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include "util/bpf/ring.h"
#include "util/lib/array.h"
#include "util/lib/hash.h"

/* Size of a program's ring. */
#define RING_MENDS (FILTER_MENDS_RING / (sizeof(struct filter_mend) + 8))

struct mend_values { /* as in records */
	u64 ip;
	u32 pid, tid;
	u64 time;
};

struct mend_key { /* without padding */
	struct mend_values seen;
	u64 event;
};

struct mend {
	struct mend_key key;
	struct { /* the right values */
		u64 id;
		u32 pid, tid;
		u64 time;
	} own;
	UT_hash_handle hh;
};

struct mends {
	bool has_id;
	unsigned int (*event_of)(const void *data, u64 id);
	const void *data;
	struct bpf_ring *ring; /* of the programs */
	unsigned int nr_rings;
	struct mend *waiting; /* oldest first; records of some may have been lost, ... */
	size_t max_waiting;   /* ... so drop the oldest when there are more than records in the rings */
};

struct mends *mends__new(bool has_id, size_t nr_samples, unsigned int (*event_of)(const void *data, u64 id), const void *data)
{
	struct mends *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->has_id = has_id;
	m->event_of = event_of;
	m->data = data;
	m->max_waiting = nr_samples;
	return m;
}

int mends__add(struct mends *m, const struct bpf_filter *filter, struct errmsg *err)
{
	int ret;

	if (array__extend(m->ring, m->nr_rings))
		return errmsg__set(err, ENOMEM, "out of memory for samples that other recordings share");
	m->ring[m->nr_rings] = (struct bpf_ring){ 0 };
	ret = bpf_ring__map(&m->ring[m->nr_rings], bpf_filter__mends_fd(filter), FILTER_MENDS_RING, err);
	m->nr_rings += !ret;
	m->max_waiting += 2 * RING_MENDS;
	return ret;
}

static void mends__drop(struct mends *m, struct mend *mend)
{
	HASH_DEL(m->waiting, mend);
	free(mend);
}

static int take_mend(struct mends *m, const struct filter_mend *sent)
{
	struct mend *mend = calloc(1, sizeof(*mend));

	if (!mend)
		return -ENOMEM;
	mend->key.seen = (struct mend_values){ sent->ip, sent->seen_pid, sent->seen_tid, sent->seen_time };
	mend->key.event = m->event_of(m->data, sent->id);
	mend->own.id = sent->id;
	mend->own.pid = sent->pid;
	mend->own.tid = sent->tid;
	mend->own.time = sent->time;
	HASH_ADD(hh, m->waiting, key, sizeof(mend->key), mend);
	if (!hash_added(mend)) {
		free(mend);
		return -ENOMEM;
	}
	if (HASH_COUNT(m->waiting) > m->max_waiting)
		mends__drop(m, m->waiting);
	return 0;
}

static int take_sent(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	int ret = 0;

	for (; at < end && !ret; at += ((const struct perf_event_header *)at)->size) {
		const struct filter_mend *sent = (const void *)at;

		ret = sent->size == sizeof(*sent) ? take_mend(data, sent) : -EIO;
	}
	return ret;
}

int mends__take(struct mends *m)
{
	int ret = 0;

	for (unsigned int i = 0; i < m->nr_rings && !ret; i++)
		ret = bpf_ring__drain_all(&m->ring[i], take_sent, m);
	return ret;
}

bool mends__are_left(const struct mends *m)
{
	return m->waiting;
}

static struct mend *mends__find(const struct mends *m, const struct perf_event_header *record, unsigned int event)
{
	const size_t begin = sizeof(*record) + m->has_id * sizeof(u64);
	struct mend_key key = { .event = event };
	struct mend *mend;

	if (record->type != PERF_RECORD_SAMPLE || record->size < begin + sizeof(key.seen))
		return NULL;
	memcpy(&key.seen, (const char *)record + begin, sizeof(key.seen));
	HASH_FIND(hh, m->waiting, &key, sizeof(key), mend);
	return mend;
}

bool mends__has(const struct mends *m, const struct perf_event_header *record, unsigned int event)
{
	return mends__find(m, record, event);
}

bool mends__apply(struct mends *m, struct perf_event_header *record, unsigned int event)
{
	struct mend *mend = mends__find(m, record, event);
	char *at = (char *)(record + 1);
	struct mend_values own;

	if (!mend)
		return false;
	if (m->has_id) {
		memcpy(at, &mend->own.id, sizeof(mend->own.id));
		at += sizeof(mend->own.id);
	}
	own = (struct mend_values){ mend->key.seen.ip, mend->own.pid, mend->own.tid, mend->own.time };
	memcpy(at, &own, sizeof(own));
	mends__drop(m, mend);
	return true;
}

void mends__delete(struct mends *m)
{
	struct mend *mend, *tmp;

	if (!m)
		return;
	HASH_ITER(hh, m->waiting, mend, tmp)
		mends__drop(m, mend);
	for (unsigned int i = 0; i < m->nr_rings; i++)
		bpf_ring__unmap(&m->ring[i]);
	free(m->ring);
	free(m);
}
