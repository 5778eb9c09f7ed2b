// SPDX-License-Identifier: GPL-2.0
/*
 * Samples that the kernel skipped. While a CPU runs a BPF program of a probe, a tracepoint or a perf event, or is inside bpf(2) for
 * a map, the kernel runs no program for a sample there: it drops the sample, and counts that nowhere (kernel/events/core.c,
 * bpf_overflow_handler()). There are two ways to find such samples. Both find too few rather than too many.
 *
 * For whole CPUs: the program reads how many samples the kernel has made of its event (util/bpf_skel/filter-untaken.bpf.h). The
 * event's count is no help, as it includes time without samples, with or without a program: when the CPU sleeps through its timer,
 * and task switches while the event is throttled.
 *
 * For tasks, with a fixed period: the event goes on counting. Each sample stands for its period, so the event's count minus the
 * periods of the samples seen shows how many were skipped. With a frequency the period changes before the kernel says so. A clock also
 * lacks samples that the kernel never made: where a hypervisor takes the CPU away, the timer fires late, once for many periods. The
 * event counts that time, so the program counts those periods (util/bpf_skel/filter-late.bpf.h), and they are taken off.
 */
#include "util/sampler/sampler-state.h"

#define LEAST_TIMER_NS 10000 /* perf_swevent_hrtimer() */
#define LEAST_PERCENT 1	     /* percentage of the expected samples; do not report less, */
#define LEAST_NR 100	     /* or this many, if they were found one by one */
/* For timers: without other load, some 0.5 % of the samples are so late that they are dropped; and of few samples it is chance. */
#define LATE_PERCENT 2
#define LATE_SAMPLES 10

u64 clock__timer_ns(const struct perf_event_attr *attr)
{
	u64 period;

	if (!attr__is_clock(attr) || !attr->sample_period)
		return 0;
	period = attr->freq ? 1000000000 / attr->sample_freq : attr->sample_period;
	return period < LEAST_TIMER_NS ? LEAST_TIMER_NS : period;
}

/* Unknown for user space alone, as the clock counts the kernel's time, too. */
u64 clock__period(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_idle ? 0 : clock__timer_ns(attr);
}

static u64 square_root(u64 n)
{
	u64 root = 0;

	for (u64 bit = 1ULL << 31; bit; bit >>= 1) {
		if ((root + bit) * (root + bit) <= n)
			root += bit;
	}
	return root;
}

/* How many samples the time is worth. A clock of a CPU hits the target by chance: allow for three standard deviations. */
static u64 clock_due(const struct perf_event_attr *attr, u64 ns, bool by_chance)
{
	const u64 period = clock__period(attr);
	u64 due = period ? ns / period * (100 - LATE_PERCENT) / 100 : 0, late = LATE_SAMPLES;

	if (by_chance)
		late += 3 * square_root(due);
	return due > late ? due - late : 0;
}

/* Each copy of the event may have counted up to one period since its last sample, unless each count is a sample. */
static u64 sampler__copies(const struct sampler *s, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	if (!attr__is_clock(attr) && attr->sample_period == 1)
		return 0;
	if (s->event[evsel->idx].source->marks)
		return s->nr_rings;
	return s->event[evsel->idx].nr + (attr->inherit ? s->nr_forks * s->nr_rings : 0);
}

/* If a task's record was lost, its copy is not known. */
static bool sampler__knows_copies(const struct sampler *s, const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	return !s->lost_records || !attr->inherit || s->event[evsel->idx].source->marks || (!attr__is_clock(attr) && attr->sample_period == 1);
}

static bool sampler__is_of_tasks(const struct sampler *s)
{
	return s->nr_slots && s->slot[0].tid >= 0;
}

/* From the event's count. */
static u64 sampler__untaken_by_count(const struct sampler *s, const struct evsel *evsel, u64 counted, const struct filter_counts *seen)
{
	const struct perf_event_attr *attr = &evsel->attr;
	const u64 accounted = seen->seen + seen->late + sampler__copies(s, evsel);
	u64 due = 0;

	if (!attr->sample_period || !sampler__is_of_tasks(s) || !sampler__knows_copies(s, evsel) || s->throttled || seen->untimed)
		return 0;
	if (attr__is_clock(attr)) /* which has a fixed period with a frequency, too */
		due = clock_due(attr, counted, s->event[evsel->idx].source->marks);
	else if (!attr->freq && counted > seen->period)
		due = seen->seen + (counted - seen->period) / attr->sample_period;
	return due > accounted ? due - accounted : 0;
}

/* From the program's findings, which are valid for events that count one CPU. */
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
