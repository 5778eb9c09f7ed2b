// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

static int sampler__ioctl(struct sampler *s, unsigned int event, unsigned long request)
{
	int ret = 0;

	for (unsigned int j = 0; j < s->nr_slots; j++) {
		if (s->event[event].fd[j] >= 0 && ioctl(s->event[event].fd[j], request, 0) && !ret)
			ret = -errno;
	}
	return ret;
}

int sampler__stop(struct sampler *s, unsigned int event)
{
	struct sample_source *source = s->event[event].source;

	return source ? source->ops->stop(source) : 0;
}

static int sampler__start_event(struct sampler *s, unsigned int event, struct errmsg *err)
{
	int ret = sampler__ioctl(s, event, PERF_EVENT_IOC_ENABLE);

	return ret ? errmsg__set(err, -ret, "cannot enable event %s: %s", s->evlist->evsel[event]->name, strerror(-ret)) : 0;
}

static int sampler__start_source(struct sampler *s, unsigned int event, struct errmsg *err)
{
	struct sample_source *source = s->event[event].source;

	return source ? source->ops->start(source, err) : 0;
}

int sampler__enable_event(struct sampler *s, unsigned int event, struct errmsg *err)
{
	return sampler__start_event(s, event, err) ?: sampler__start_source(s, event, err);
}

int sampler__disable_event(struct sampler *s, unsigned int event)
{
	int ret = sampler__stop(s, event);

	return sampler__ioctl(s, event, PERF_EVENT_IOC_DISABLE) ?: ret;
}

/* The side-band comes first: it names the tasks and the code of samples. */
int sampler__enable(struct sampler *s, struct errmsg *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr && !ret; i++)
		ret = sampler__start_event(s, i, err);
	for (i = 0; i < s->evlist->nr && !ret; i++)
		ret = sampler__start_source(s, i, err);
	return ret;
}

int sampler__enable_side_band(struct sampler *s, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr && !ret; i++) {
		if (s->evlist->evsel[i]->side_band)
			ret = sampler__start_event(s, i, err);
	}
	return ret;
}

int sampler__pause(struct sampler *s)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		int error = s->evlist->evsel[i]->side_band ? 0 : sampler__disable_event(s, i);

		ret = ret ?: error;
	}
	return ret;
}

/* And it ends last. */
int sampler__disable(struct sampler *s)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->evlist->nr; i++)
		ret = sampler__stop(s, i) ?: ret;
	for (i = 0; i < s->evlist->nr; i++)
		ret = sampler__ioctl(s, i, PERF_EVENT_IOC_DISABLE) ?: ret;
	return ret;
}

int sampler__epoll_fd(const struct sampler *s)
{
	return s->epfd;
}

/* What has hung up stays so and would wake us for ever: it is taken out as it is noted. */
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

	if (s->undecided)
		ret = undecided__judge(s->undecided) ?: sampler__drain_rings(s, sift, &sifting, nr_bytes);
	else
		ret = sampler__drain_rings(s, cb, data, nr_bytes);
	for (i = 0; i < s->evlist->nr && !ret; i++) {
		if (s->event[i].source)
			ret = s->event[i].source->ops->drain(s->event[i].source, cb, data, nr_bytes);
		else if (s->event[i].counter)
			ret = counter__drain(s->event[i].counter); /* kept until it is collected */
	}
	return ret;
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
