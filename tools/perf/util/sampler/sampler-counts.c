// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * read(2) of an event gives the members that read_format names, in this order: times, value, id, lost; with GROUP the number of
 * events, times, and the other three of each event of the group, whichever of them is read.
 */
static int read_lost(const struct evsel *evsel, int fd, u64 id, u64 *lost)
{
	const u64 format = evsel->attr.read_format;
	const unsigned int nr_times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const struct evsel *leader = evsel->leader ?: evsel;
	const bool group = format & PERF_FORMAT_GROUP;
	const unsigned int nr = group ? leader->nr_members : 1;
	const size_t size = (group + nr_times + 3 * nr) * sizeof(u64);
	u64 *values = malloc(size);
	ssize_t n = values ? read(fd, values, size) : -1;
	int ret = n < 0 ? -errno : (size_t)n != size ? -EIO : 0;

	for (unsigned int i = 0; i < nr && !ret; i++) {
		/* One event has its times behind its value. */
		const u64 *of_event = values + group + nr_times + 3 * i;

		if (of_event[1] == id)
			*lost += of_event[2];
	}
	free(values);
	return ret;
}

static int read_judged(struct counter *counter, struct sampler_counts *counts, struct errmsg *err)
{
	struct counter_counts counted;
	int ret = counter__counts(counter, &counted, err);

	if (ret)
		return ret;
	counts->filtered = true;
	counts->seen = counted.seen;
	counts->dropped = counted.dropped;
	counts->undecided = counted.undecided;
	return 0;
}

/* What the program has left to us. */
static void add_judged(struct sampler_counts *counts, struct undecided_counts judged)
{
	counts->judged = judged.kept + judged.dropped;
	counts->dropped += judged.dropped;
	counts->undecided -= counts->judged;
}

int sampler__counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err)
{
	const struct evsel *evsel = s->evlist->evsel[evsel_idx];
	struct sampler_event *event = &s->event[evsel_idx];
	struct filter_counts filter_counts;
	u32 i, nr = 0;
	int ret;

	if (event->source) {
		*counts = (struct sampler_counts){ 0 };
		return event->source->ops->counts(event->source, counts, err);
	}
	*counts = (struct sampler_counts){
		.filtered = event->filter.bpf,
		.lost_known = evsel->attr.read_format & PERF_FORMAT_LOST,
	};
	for (i = 0; i < s->nr_slots && counts->lost_known; i++) {
		ret = event->fd[i] < 0 ? 0 : read_lost(evsel, event->fd[i], event->id[nr++], &counts->lost);
		if (ret)
			return errmsg__set(err, -ret, "cannot read how many samples of %s were lost: %s", evsel->name, strerror(-ret));
	}
	if (event->counter)
		return read_judged(event->counter, counts, err);
	if (!counts->filtered)
		return 0;
	ret = event_filter__counts(&event->filter, &filter_counts, err);
	if (ret)
		return ret;
	counts->seen = filter_counts.seen;
	counts->dropped = filter_counts.dropped;
	counts->undecided = filter_counts.undecided;
	if (s->undecided)
		add_judged(counts, undecided__counts(s->undecided, event->filter.bpf, event_filter__mark(&event->filter)));
	return 0;
}

/* A source counts all that it has seen and not dropped or lost. */
static int read_source_counted(struct sample_source *source, struct counter_counts *counted, struct errmsg *err)
{
	struct sampler_counts counts = { 0 };
	int ret;

	if (source->ops->counter_counts)
		return source->ops->counter_counts(source, counted, err);
	ret = source->ops->counts(source, &counts, err);
	*counted = (struct counter_counts){
		.seen = counts.seen,
		.dropped = counts.dropped,
		.counted = counts.seen - counts.dropped - counts.lost,
		.lost_spill = counts.lost,
	};
	return ret;
}

int sampler__collect(struct sampler *s, unsigned int evsel_idx, int (*cb)(void *data, const struct counter_row *row), void *data,
		     struct errmsg *err)
{
	struct sample_source *source = s->event[evsel_idx].source;

	if (source && source->ops->collect)
		return source->ops->collect(source, cb, data, err);
	if (!s->event[evsel_idx].counter)
		return errmsg__set(err, EINVAL, "samples of %s are not counted", s->evlist->evsel[evsel_idx]->name);
	return counter__collect(s->event[evsel_idx].counter, cb, data, err);
}

int sampler__counter_counts(struct sampler *s, unsigned int evsel_idx, struct counter_counts *counts, struct errmsg *err)
{
	struct sample_source *source = s->event[evsel_idx].source;

	if (source && source->ops->collect)
		return read_source_counted(source, counts, err);
	if (!s->event[evsel_idx].counter)
		return errmsg__set(err, EINVAL, "samples of %s are not counted", s->evlist->evsel[evsel_idx]->name);
	return counter__counts(s->event[evsel_idx].counter, counts, err);
}
