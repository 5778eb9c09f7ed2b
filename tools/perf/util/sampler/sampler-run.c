// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <string.h>
#include <sys/epoll.h>
#include "util/lib/clock.h"

int sampler__epoll_fd(const struct sampler *s)
{
	return s->reader[0].epfd;
}

int sampler__reader_fd(const struct sampler *s, unsigned int reader)
{
	return s->reader[reader].epfd;
}

/* A hang-up stays and would wake us forever: remove the descriptor when it is noted. */
static void sampler__note_hang_ups(struct sampler *s, unsigned int reader)
{
	const int epfd = s->reader[reader].epfd;
	struct epoll_event ev[64];
	int i, nr;

	do {
		nr = epoll_wait(epfd, ev, ARRAY_SIZE(ev), 0);
		for (i = 0; i < nr; i++) {
			struct slot *slot;

			if (ev[i].data.u32 == WATCH_SOURCE || !(ev[i].events & (EPOLLHUP | EPOLLERR)))
				continue;
			slot = &s->slot[ev[i].data.u32];
			__atomic_store_n(&slot->ended, true, __ATOMIC_RELAXED);
			epoll_ctl(epfd, EPOLL_CTL_DEL, slot->watched_fd, NULL);
		}
	} while (nr == ARRAY_SIZE(ev));
}

bool sampler__all_hung_up(struct sampler *s)
{
	sampler__note_hang_ups(s, 0);
	return sampler__all_ended(s);
}

bool sampler__reader_hung_up(struct sampler *s, unsigned int reader)
{
	sampler__note_hang_ups(s, reader);
	for (unsigned int i = 0; i < s->nr_slots; i++) {
		if (s->reader_of[s->slot[i].ring] == reader && !s->slot[i].ended)
			return false;
	}
	return s->reader[reader].nr_slots;
}

struct sifting {
	struct undecided *undecided;
	int (*cb)(void *data, const void *records, size_t size);
	void *data;
};

static int sift(void *data, const void *records, size_t size)
{
	const struct sifting *sifting = data;

	return undecided__sift(sifting->undecided, records, size, sifting->cb, sifting->data);
}

static bool is_of(const struct sampler *s, unsigned int ring, unsigned int reader, bool overwritten)
{
	return s->ring[ring].control && s->ring[ring].overwrite == overwritten && (overwritten || s->reader_of[ring % s->nr_rings] == reader);
}

/* From the rings of one reader; or from all that are overwritten. */
static int sampler__take_rings(struct sampler *s, unsigned int reader, bool overwritten, ring_cb cb, void *data, u64 *nr_bytes)
{
	struct sifting sifting = { s->undecided, cb, data };
	int ret = 0;

	for (unsigned int i = 0; i < s->nr_sets * s->nr_rings && !ret; i++) {
		bool locked;

		if (!is_of(s, i, reader, overwritten))
			continue;
		locked = sampler__lock(s);
		ret = sampler__take_ring(s, i, s->undecided ? sift : cb, s->undecided ? &sifting : data, nr_bytes);
		sampler__unlock(s, locked);
	}
	if (!reader && !overwritten && !ret)
		sampler__note_look(s, RINGS_OF_KERNEL);
	return ret;
}

/* What programs have sent beside samples. If all rings are overwritten, no other code reads it. */
static int sampler__take_sent(struct sampler *s)
{
	const bool locked = sampler__lock(s);
	int ret = s->mends ? mends__take(s->mends) : 0;

	if (!ret && s->undecided)
		ret = undecided__judge(s->undecided);
	sampler__unlock(s, locked);
	return ret;
}

static int sampler__drain_sources(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++) {
		struct source *source = s->event[i].source;

		if (source->ops->drain)
			ret = source->ops->drain(source, cb, data, nr_bytes);
	}
	if (!ret)
		sampler__note_look(s, RINGS_OF_PROGRAMS);
	return ret;
}

#define MAX_MAKING_NS 100000000ULL

/* cb, or one that passes records on to it with ids that the recording has. r is the caller's, and *data is changed. */
static ring_cb sampler__with_known_ids(const struct sampler *s, struct renamed *r, ring_cb cb, void **data)
{
	if (!sampler__renames(s))
		return cb;
	*r = (struct renamed){ s, cb, *data };
	*data = r;
	return sampler__rename;
}

/*
 * Tables for unwinding are made between drains: each can take longer than a ring has room for. If programs ask for more all the time, the
 * caller has other things to do meanwhile; then their next sample brings us back.
 */
int sampler__drain(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes)
{
	const u64 end = clock__ns(CLOCK_MONOTONIC) + MAX_MAKING_NS;
	struct renamed renamed;
	int ret, more;

	cb = sampler__with_known_ids(s, &renamed, cb, &data);
	do {
		more = 0;
		ret = sampler__take_sent(s) ?: sampler__take_rings(s, 0, false, cb, data, nr_bytes);
		if (!ret && s->tables)
			ret = unwind_tables__take(s->tables);
		if (!ret)
			ret = sampler__drain_sources(s, cb, data, nr_bytes);
		if (!ret && s->tables)
			more = unwind_tables__make_next(s->tables);
	} while (more > 0 && clock__ns(CLOCK_MONOTONIC) < end);
	return ret ?: more < 0 ? more : 0;
}

int sampler__drain_reader(struct sampler *s, unsigned int reader, int (*cb)(void *data, const void *records, size_t size), void *data,
			  u64 *nr_bytes)
{
	struct renamed renamed;

	cb = sampler__with_known_ids(s, &renamed, cb, &data);
	return sampler__take_rings(s, reader, false, cb, data, nr_bytes);
}

int sampler__snapshot(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data)
{
	struct renamed renamed;

	cb = sampler__with_known_ids(s, &renamed, cb, &data);
	return sampler__take_sent(s) ?: sampler__take_rings(s, 0, true, cb, data, NULL);
}

void sampler__note_fork(struct sampler *s)
{
	__atomic_add_fetch(&s->nr_forks, 1, __ATOMIC_RELAXED);
}

void sampler__note_loss(struct sampler *s)
{
	__atomic_store_n(&s->lost_records, true, __ATOMIC_RELAXED);
}

void sampler__note_throttling(struct sampler *s)
{
	__atomic_store_n(&s->throttled, true, __ATOMIC_RELAXED);
}

const u64 *sampler__ids(const struct sampler *s, unsigned int evsel_idx, u32 *nr)
{
	*nr = s->event[evsel_idx].nr;
	return s->event[evsel_idx].id;
}
