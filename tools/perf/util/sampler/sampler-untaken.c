// SPDX-License-Identifier: GPL-2.0
/*
 * Samples that the kernel did not take. While a CPU runs a BPF program of a probe, a tracepoint or a perf event, or is inside bpf(2) for a
 * map, the kernel runs no program for a sample there: it drops the sample, and counts that nowhere (kernel/events/core.c,
 * bpf_overflow_handler()). There are two ways to find such samples. Both find too few rather than too many.
 *
 * Of whole CPUs: the program looks at how many samples the kernel has made of its event (util/bpf_skel/filter-untaken.bpf.h). What the event
 * has counted is no help, as it also counts what nobody samples, program or not: time in which the CPU sleeps through its timer, and switches
 * of tasks while the event is throttled.
 *
 * Of tasks, with a fixed period: the event goes on counting. Each sample stands for its period, so what the event has counted beyond the
 * periods of the samples seen tells how many were not taken. With a frequency the period changes before the kernel says so.
 */
#include "util/sampler/sampler-state.h"

#define LEAST_TIMER_NS 10000 /* perf_swevent_hrtimer() */
#define LEAST_PERCENT 1	     /* of what is due: less is not worth a word, */
#define LEAST_NR 100	     /* but where they were found one by one, so many are */
/* Of a timer: where nothing else runs, some 0.5 % of its samples are so late that they are left out; and where little is due, it is chance. */
#define LATE_PERCENT 2
#define LATE_SAMPLES 10

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* How many samples time is good for: those of user space alone cannot be told, as the clock counts the kernel's time, too. */
static u64 clock_due(const struct perf_event_attr *attr, u64 ns)
{
	u64 period = attr->freq ? 1000000000 / attr->sample_freq : attr->sample_period, due;

	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_idle)
		return 0;
	if (period < LEAST_TIMER_NS)
		period = LEAST_TIMER_NS;
	due = ns / period * (100 - LATE_PERCENT) / 100;
	return due > LATE_SAMPLES ? due - LATE_SAMPLES : 0;
}

/* Each copy of the event may have counted up to one period since its last sample, unless each count is a sample. */
static u64 sampler__copies(const struct sampler *s, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	if (!is_clock(attr) && attr->sample_period == 1)
		return 0;
	return s->event[evsel->idx].nr + (attr->inherit ? s->nr_forks * s->nr_rings : 0);
}

/* Of a task whose record was lost it is not known that it has a copy. */
static bool sampler__knows_copies(const struct sampler *s, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	return !s->lost_records || !attr->inherit || (!is_clock(attr) && attr->sample_period == 1);
}

static bool sampler__is_of_tasks(const struct sampler *s)
{
	return s->nr_slots && s->slot[0].tid >= 0;
}

/* By what the event has counted. */
static u64 sampler__untaken_by_count(const struct sampler *s, const struct evsel *evsel, u64 counted, const struct filter_counts *seen)
{
	const struct perf_event_attr *attr = &evsel->attr;
	const u64 accounted = seen->seen + sampler__copies(s, evsel);
	u64 due = 0;

	if (!attr->sample_period || !sampler__is_of_tasks(s) || !sampler__knows_copies(s, evsel) || s->throttled)
		return 0;
	if (is_clock(attr)) /* which has a fixed period with a frequency, too */
		due = clock_due(attr, counted);
	else if (!attr->freq && counted > seen->period)
		due = seen->seen + (counted - seen->period) / attr->sample_period;
	return due > accounted ? due - accounted : 0;
}

/* By what the program found, which is right of events that have a CPU for themselves. */
static u64 sampler__untaken_by_program(const struct sampler *s, const struct filter_counts *seen)
{
	return sampler__is_of_tasks(s) ? 0 : seen->untaken;
}

u64 sampler__untaken(const struct sampler *s, const struct evsel *evsel, const u64 *counted, const struct filter_counts *seen)
{
	const u64 by_count = counted ? sampler__untaken_by_count(s, evsel, *counted, seen) : 0;
	const u64 untaken = by_count + sampler__untaken_by_program(s, seen); /* one of them is 0 */

	if (untaken * 100 < (seen->seen + untaken) * LEAST_PERCENT && (by_count || untaken < LEAST_NR))
		return 0;
	return untaken;
}
