// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/sampler-state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct event_values { /* sums over all descriptors of an event */
	u64 counted;
	u64 lost; /* with PERF_FORMAT_LOST */
};

/*
 * read(2) of an event returns the members in read_format, in this order: times, value, id, lost; with GROUP the number of events,
 * times, and the other three for each event of the group, whichever of them is read.
 */
static int read_values(const struct evsel *evsel, int fd, struct event_values *sum)
{
	const u64 format = evsel->attr.read_format;
	const unsigned int nr_times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const bool group = format & PERF_FORMAT_GROUP, has_lost = format & PERF_FORMAT_LOST;
	const struct evsel *leader = evsel->leader ?: evsel;
	const unsigned int room = group ? leader->nr_members : 1, nr_each = 2 + has_lost, head = group + nr_times;
	u64 *values = calloc(head + nr_each * room, sizeof(*values)), id = 0;
	ssize_t n = values ? read(fd, values, (head + nr_each * room) * sizeof(*values)) : -1;
	/* An event whose CPU went offline is a group of its own. */
	const u64 nr = n > 0 && group ? values[0] : 1;
	int ret = n < 0 ? -errno : nr > room || (size_t)n != (head + nr_each * nr) * sizeof(*values) ? -EIO : 0;

	if (!ret && group && ioctl(fd, PERF_EVENT_IOC_ID, &id))
		ret = -errno;

	for (u64 i = 0; i < nr && !ret; i++) {
		/* A single event has its times after its value. */
		const u64 *of_event = values + head + nr_each * i;

		if (group && of_event[1] != id)
			continue;
		sum->counted += group ? of_event[0] : values[0];
		sum->lost += has_lost ? of_event[2] : 0;
	}
	free(values);
	return ret;
}

/* *known: the sum is valid. It is not if some tasks have only a part of the group. */
static int sampler__read_values(const struct sampler *s, const struct evsel *evsel, struct event_values *sum, bool *known,
				struct errmsg *err)
{
	const struct sampler_event *event = &s->event[evsel->idx];
	int ret = 0;

	*sum = (struct event_values){ 0 };
	for (u32 i = 0; i < s->nr_slots && !ret; i++)
		ret = event->fd[i] < 0 ? 0 : read_values(evsel, event->fd[i], sum);
	for (u32 i = 0; i < event->nr_dead && !ret; i++) {
		struct event_values of_dead = { 0 };

		ret = read_values(evsel, event->dead[i], &of_dead);
		sum->counted += event->cpu_fd ? 0 : of_dead.counted;
		sum->lost += of_dead.lost;
	}
	for (u32 i = 0; i < s->nr_rings && event->cpu_fd && !ret; i++) {
		struct event_values on_cpu = { 0 };

		ret = event->cpu_fd[i] < 0 ? 0 : read_values(evsel, event->cpu_fd[i], &on_cpu);
		sum->lost += on_cpu.lost; /* it counts the time of all tasks */
	}
	*known = !ret;
	if (ret == -ECHILD)
		return 0;
	return ret ? errmsg__set(err, -ret, "cannot read what %s has counted: %s", evsel->name, strerror(-ret)) : 0;
}

/* Add the samples that the program left to user space. */
static void add_judged(struct sampler_counts *counts, struct undecided_counts judged)
{
	counts->judged = judged.kept + judged.dropped;
	counts->dropped += judged.dropped;
	counts->undecided -= counts->judged;
}

/* Counts of the event's programs, and of the samples that they left to the sampler. */
static int sampler__read_source(struct sampler *s, struct sampler_event *event, struct sampler_counts *counts, struct errmsg *err)
{
	const struct event_filter *filter = &event->source->filter;
	int ret = event->source->ops->counts(event->source, counts, err);
	bool locked;

	counts->unwound_by_choice = event->source->tables_by_choice;
	if (ret || !counts->filtered)
		return ret;
	counts->unmended += __atomic_load_n(&event->nr_cut, __ATOMIC_RELAXED);
	locked = sampler__lock(s);
	if (s->undecided && filter->bpf)
		add_judged(counts, undecided__counts(s->undecided, filter->bpf, event_filter__mark(filter)));
	sampler__unlock(s, locked);
	return 0;
}

int sampler__filter_counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err)
{
	struct sampler_counts now = { 0 };
	int ret;

	counts->filtered = false;
	if (sampler__has_source(s, evsel_idx))
		return 0;
	ret = sampler__read_source(s, &s->event[evsel_idx], &now, err);
	if (ret || !now.filtered)
		return ret;
	counts->filtered = true;
	counts->seen = now.seen;
	counts->dropped = now.dropped;
	counts->judged = now.judged;
	counts->undecided = now.undecided;
	counts->unmended = now.unmended;
	return 0;
}

/*
 * May samples of what the target did be missing, of short tasks or because of other BPF programs? A throttled event misses some, too. For
 * programs that count the samples they see there is sampler__untaken().
 */
static bool sampler__may_miss_samples(const struct sampler *s, const struct evsel *evsel)
{
	const struct source *source = s->event[evsel->idx].source;

	return s->nr_slots && s->slot[0].tid >= 0 && evsel->attr.inherit && !evsel->attr.write_backward && /* which keeps the latest only */
	       !(source->marks && source->has_program) && !s->throttled;
}

/* Where each count is a sample none is missed. With a frequency periods differ: whoever sees the samples adds them up. */
static void note_counted(struct sampler_counts *counts, const struct perf_event_attr *attr, u64 counted)
{
	if (attr__is_clock(attr))
		counts->each = clock__period(attr);
	else if (!attr->freq && attr->sample_period > 1)
		counts->each = attr->sample_period;
	if (counts->each || (attr->freq && !attr__is_clock(attr)))
		counts->counted = counted;
}

/* The program that knows the target only counts for all clocks together how late they are: for each of them, at most so late. */
static void note_marks(const struct sampler *s, const struct source *source, struct sampler_counts *counts)
{
	counts->on_cpus = true;
	counts->untracked = task_marks__untracked(s->marks);
	if (!source->has_program && counts->each && attr__is_clock(&source->evsel->attr))
		counts->late = task_marks__late_ns(s->marks) / counts->each;
}

int sampler__counts(struct sampler *s, unsigned int evsel_idx, struct sampler_counts *counts, struct errmsg *err)
{
	const struct evsel *evsel = s->evlist->evsel[evsel_idx];
	struct sampler_event *event = &s->event[evsel_idx];
	struct filter_counts seen;
	struct event_values values;
	bool known;
	int ret;

	*counts = (struct sampler_counts){ 0 };
	if (event->source->ops->stand_in)
		return sampler__read_source(s, event, counts, err);
	ret = sampler__read_values(s, evsel, &values, &known, err);
	counts->lost = values.lost;
	if (values.lost)
		sampler__note_loss(s);
	counts->lost_known = known && evsel->attr.read_format & PERF_FORMAT_LOST;
	if (!ret)
		ret = sampler__read_source(s, event, counts, err);
	if (ret)
		return ret;
	if (known && sampler__may_miss_samples(s, evsel))
		note_counted(counts, &evsel->attr, values.counted);
	if (event->source->marks)
		note_marks(s, event->source, counts);
	seen = (struct filter_counts){
		.seen = counts->seen,
		.period = counts->period,
		.untaken = counts->untaken,
		.late = counts->late,
		.untimed = counts->untimed,
	};
	if (!event->source->has_program)
		counts->unmended = __atomic_load_n(&event->nr_cut, __ATOMIC_RELAXED);
	else
		counts->untaken = sampler__untaken(s, evsel, known ? &values.counted : NULL, &seen);
	return 0;
}

const struct unwind_feeder_counts *sampler__unwind_tables(struct sampler *s)
{
	return s->tables ? unwind_tables__counts(s->tables) : NULL;
}

bool sampler__unwinds(const struct sampler *s)
{
	return s->tables;
}

const char *sampler__no_unwinding(const struct sampler *s, unsigned int event)
{
	const char *why = s->event[event].source->no_tables;

	return *why ? why : NULL;
}

const struct unwind_files *sampler__unwind_files(const struct sampler *s)
{
	return s->tables ? unwind_tables__files(s->tables) : NULL;
}

static int sampler__check_tallied(const struct sampler *s, unsigned int evsel_idx, struct errmsg *err)
{
	const struct source *source = s->event[evsel_idx].source;

	return source->tallied ? 0 : errmsg__set(err, EINVAL, "samples of %s are not counted", source->evsel->name);
}

int sampler__collect(struct sampler *s, unsigned int evsel_idx, source_row_cb cb, void *data, struct errmsg *err)
{
	struct source *source = s->event[evsel_idx].source;

	return sampler__check_tallied(s, evsel_idx, err) ?: source->ops->collect(source, cb, data, err);
}

int sampler__tally_counts(struct sampler *s, unsigned int evsel_idx, struct tally_counts *counts, struct errmsg *err)
{
	struct source *source = s->event[evsel_idx].source;

	return sampler__check_tallied(s, evsel_idx, err) ?: source->ops->tally_counts(source, counts, err);
}
