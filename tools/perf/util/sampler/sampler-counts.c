// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct event_values { /* over all descriptors of an event */
	u64 counted;
	u64 lost; /* with PERF_FORMAT_LOST */
};

/*
 * read(2) of an event gives the members that read_format names, in this order: times, value, id, lost; with GROUP the number of
 * events, times, and the other three of each event of the group, whichever of them is read.
 */
static int read_values(const struct evsel *evsel, int fd, u64 id, struct event_values *sum)
{
	const u64 format = evsel->attr.read_format;
	const unsigned int nr_times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const bool group = format & PERF_FORMAT_GROUP, has_lost = format & PERF_FORMAT_LOST;
	const struct evsel *leader = evsel->leader ?: evsel;
	const unsigned int nr = group ? leader->nr_members : 1, nr_each = 2 + has_lost;
	const size_t size = (group + nr_times + nr_each * nr) * sizeof(u64);
	u64 *values = malloc(size);
	ssize_t n = values ? read(fd, values, size) : -1;
	int ret = n < 0 ? -errno : (size_t)n != size ? -EIO : 0;

	for (unsigned int i = 0; i < nr && !ret; i++) {
		/* One event has its times behind its value. */
		const u64 *of_event = values + group + nr_times + nr_each * i;

		if (of_event[1] != id)
			continue;
		sum->counted += group ? of_event[0] : values[0];
		sum->lost += has_lost ? of_event[2] : 0;
	}
	free(values);
	return ret;
}

/* *known: there is a sum. Of a group that not all tasks have as a whole there is none. */
static int sampler__read_values(const struct sampler *s, const struct evsel *evsel, struct event_values *sum, bool *known,
				struct errmsg *err)
{
	const struct sampler_event *event = &s->event[evsel->idx];
	int ret = 0;

	*sum = (struct event_values){ 0 };
	for (u32 i = 0, nr = 0; i < s->nr_slots && !ret; i++)
		ret = event->fd[i] < 0 ? 0 : read_values(evsel, event->fd[i], event->id[nr++], sum);
	*known = !ret;
	if (ret == -ECHILD)
		return 0;
	return ret ? errmsg__set(err, -ret, "cannot read what %s has counted: %s", evsel->name, strerror(-ret)) : 0;
}

static int read_counted(struct tally *tally, struct filter_counts *counts, struct errmsg *err)
{
	struct tally_counts counted;
	int ret = tally__counts(tally, &counted, err);

	*counts = (struct filter_counts){
		.seen = counted.seen,
		.dropped = counted.dropped,
		.unmended = counted.unmended,
		.undecided = counted.undecided,
		.period = counted.period,
	};
	return ret;
}

/* What the program has left to us. */
static void add_judged(struct sampler_counts *counts, struct undecided_counts judged)
{
	counts->judged = judged.kept + judged.dropped;
	counts->dropped += judged.dropped;
	counts->undecided -= counts->judged;
}

static bool has_program(const struct sampler_event *event)
{
	return !event->source && (event->filter.bpf || event->tally);
}

static int read_program(struct sampler_event *event, struct filter_counts *counts, struct errmsg *err)
{
	return event->tally ? read_counted(event->tally, counts, err) : event_filter__counts(&event->filter, counts, err);
}

static void sampler__set_judged(const struct sampler *s, const struct sampler_event *event, const struct filter_counts *judged,
				struct sampler_counts *counts)
{
	counts->filtered = true;
	counts->seen = judged->seen;
	counts->dropped = judged->dropped;
	counts->unmended = judged->unmended + event->nr_cut;
	counts->undecided = judged->undecided;
	if (s->undecided && event->filter.bpf)
		add_judged(counts, undecided__counts(s->undecided, event->filter.bpf, event_filter__mark(&event->filter)));
}

int sampler__filter_counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err)
{
	struct sampler_event *event = &s->event[evsel_idx];
	struct filter_counts judged;
	int ret;

	counts->filtered = false;
	if (!has_program(event))
		return 0;
	ret = read_program(event, &judged, err);
	if (!ret)
		sampler__set_judged(s, event, &judged, counts);
	return ret;
}

int sampler__counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err)
{
	const struct evsel *evsel = s->evlist->evsel[evsel_idx];
	struct sampler_event *event = &s->event[evsel_idx];
	struct event_values values;
	struct filter_counts judged;
	bool known;
	int ret;

	*counts = (struct sampler_counts){ .unmended = event->nr_cut };
	if (event->source)
		return event->source->ops->counts(event->source, counts, err);
	ret = sampler__read_values(s, evsel, &values, &known, err);
	counts->lost = values.lost;
	s->lost_records |= values.lost > 0;
	counts->lost_known = known && evsel->attr.read_format & PERF_FORMAT_LOST;
	if (ret || !has_program(event))
		return ret;
	ret = read_program(event, &judged, err);
	if (ret)
		return ret;
	sampler__set_judged(s, event, &judged, counts);
	if (known)
		counts->untaken = sampler__untaken(s, evsel, values.counted, &judged);
	return 0;
}

/* A source counts all that it has seen and not dropped or lost. */
static int read_source_counted(struct sample_source *source, struct tally_counts *counted, struct errmsg *err)
{
	struct sampler_counts counts = { 0 };
	int ret;

	if (source->ops->tally_counts)
		return source->ops->tally_counts(source, counted, err);
	ret = source->ops->counts(source, &counts, err);
	*counted = (struct tally_counts){
		.seen = counts.seen,
		.dropped = counts.dropped,
		.counted = counts.seen - counts.dropped - counts.lost,
		.lost_spill = counts.lost,
	};
	return ret;
}

int sampler__collect(struct sampler *s, unsigned int evsel_idx, int (*cb)(void *data, const struct tally_row *row), void *data,
		     struct errmsg *err)
{
	struct sample_source *source = s->event[evsel_idx].source;

	if (source && source->ops->collect)
		return source->ops->collect(source, cb, data, err);
	if (!s->event[evsel_idx].tally)
		return errmsg__set(err, EINVAL, "samples of %s are not counted", s->evlist->evsel[evsel_idx]->name);
	return tally__collect(s->event[evsel_idx].tally, cb, data, err);
}

int sampler__tally_counts(struct sampler *s, unsigned int evsel_idx, struct tally_counts *counts, struct errmsg *err)
{
	struct sample_source *source = s->event[evsel_idx].source;

	if (source && source->ops->collect)
		return read_source_counted(source, counts, err);
	if (!s->event[evsel_idx].tally)
		return errmsg__set(err, EINVAL, "samples of %s are not counted", s->evlist->evsel[evsel_idx]->name);
	return tally__counts(s->event[evsel_idx].tally, counts, err);
}
