// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <string.h>
#include <sys/epoll.h>

int sampler__epoll_fd(const struct sampler *s)
{
	return s->epfd;
}

/* A hang-up stays and would wake us forever: remove the descriptor when it is noted. */
bool sampler__all_hung_up(struct sampler *s)
{
	struct epoll_event ev[64];
	int i, nr;

	do {
		nr = epoll_wait(s->epfd, ev, ARRAY_SIZE(ev), 0);
		for (i = 0; i < nr; i++) {
			struct slot *slot;

			if (ev[i].data.u32 == WATCH_SOURCE || !(ev[i].events & (EPOLLHUP | EPOLLERR)))
				continue;
			slot = &s->slot[ev[i].data.u32];
			slot->ended = true;
			epoll_ctl(s->epfd, EPOLL_CTL_DEL, slot->watched_fd, NULL);
		}
	} while (nr == ARRAY_SIZE(ev));
	return sampler__all_ended(s);
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

static int sampler__drain_rings(struct sampler *s, ring_cb cb, void *data, u64 *nr_bytes)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->nr_sets * s->nr_rings && !ret; i++) {
		if (s->ring[i].control && !s->ring[i].overwrite)
			ret = sampler__take_ring(s, i, cb, data, nr_bytes);
	}
	return ret;
}

int sampler__drain(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes)
{
	struct sifting sifting = { s->undecided, cb, data };
	unsigned int i;
	int ret;

	ret = s->mends ? mends__take(s->mends) : 0; /* if all rings are overwritten, no other code reads the corrections */
	if (!ret && s->undecided)
		ret = undecided__judge(s->undecided) ?: sampler__drain_rings(s, sift, &sifting, nr_bytes);
	else if (!ret)
		ret = sampler__drain_rings(s, cb, data, nr_bytes);
	for (i = 0; i < s->evlist->nr && !ret; i++) {
		struct source *source = s->event[i].source;

		if (source->ops->drain)
			ret = source->ops->drain(source, cb, data, nr_bytes);
	}
	return ret;
}

void sampler__note_fork(struct sampler *s)
{
	s->nr_forks++;
}

void sampler__note_loss(struct sampler *s)
{
	s->lost_records = true;
}

void sampler__note_throttling(struct sampler *s)
{
	s->throttled = true;
}

int sampler__snapshot(struct sampler *s, int (*cb)(void *data, const void *records, size_t size), void *data)
{
	struct sifting sifting = { s->undecided, cb, data };
	int ret = s->undecided ? undecided__judge(s->undecided) : 0;

	for (unsigned int i = 0; i < s->nr_sets * s->nr_rings && !ret; i++) {
		if (s->ring[i].control && s->ring[i].overwrite)
			ret = sampler__take_ring(s, i, s->undecided ? sift : cb, s->undecided ? &sifting : data, NULL);
	}
	return ret;
}

const u64 *sampler__ids(const struct sampler *s, unsigned int evsel_idx, u32 *nr)
{
	*nr = s->event[evsel_idx].nr;
	return s->event[evsel_idx].id;
}
