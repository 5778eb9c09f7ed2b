// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"
#include "util/lib/advice.h"
#include "util/record/record-state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "util/judge/bpf-filter.h"
#include "util/lib/log.h"
#include "util/lib/text.h"
#include "util/perfdata/sample.h"
#include "util/perfdata/stacks-update.h"
#include "util/record/stack-ends.h"

#define MISSED_PERCENT 20 /* Report it if samples are missing for so many percent of the count, */
#define MISSED_SAMPLES 20 /* and at least so many samples: fewer may be chance. */
#define MISSED_COUNT 100 /* With a frequency, samples stand for different numbers of events: at least so many events */
#define CHECK_MS 1000 /* limits the unchecked end of a recording that is killed */

/* Write a record for one event: how many samples are not in the file, lost by the kernel (misc 0) or dropped by BPF. */
static int record__write_missing(struct record *rec, const struct evsel *evsel, u64 id, u64 nr, u16 misc)
{
	struct {
		struct record_lost_samples lost;
		char tail[64];
	} r = { .lost = { .header = { .type = PERF_RECORD_LOST_SAMPLES, .misc = misc }, .lost = nr } };
	const struct perf_sample tail = { .id = id };
	size_t tail_size = sample_id__size(&evsel->attr);

	if (!nr)
		return 0;
	if (tail_size > sizeof(r.tail))
		return errmsg__set(rec->err, EOVERFLOW, "event %s has an unknown sample_id", evsel->name);
	sample_id__encode(r.tail, &evsel->attr, &tail);
	r.lost.header.size = sizeof(r.lost) + tail_size;
	return record__write(rec, &r, r.lost.header.size);
}

/*
 * Write how many samples a filter dropped. Perf 6.1 and 6.12 would take LOST_SAMPLES for losses, whatever is in misc, and warn; so
 * write it only on request.
 */
static int record__write_dropped_nr(struct record *rec, const struct evsel *evsel, u64 id, u64 nr)
{
	const struct {
		struct record_event_update update;
		u64 nr;
	} r = {
		.update = {
			.header = { .type = PERF_RECORD_EVENT_UPDATE, .size = sizeof(r) }, .what = EVENT_UPDATE_DROPPED_, .id = id,
		},
		.nr = nr,
	};

	if (rec->opts->dropped_as_lost)
		return record__write_missing(rec, evsel, id, nr, PERF_RECORD_MISC_LOST_SAMPLES_BPF_);
	return nr ? record__write(rec, &r, sizeof(r)) : 0;
}

/* Samples that the event's filter has kept and that were to be written. */
static u64 record__kept(const struct record *rec, const struct sampler_counts *counts)
{
	return record__writes_each(rec) ? counts->seen - counts->dropped : 0;
}

/*
 * Records other than samples that the kernel counted as lost. The kernel writes a LOST record when the next record fits, so the last
 * losses have none.
 */
static void record__note_lost_side_band(struct record *rec, const struct evsel *evsel, u64 lost_samples)
{
	const struct sampler_counts *counts = &rec->result.counts[evsel->idx];

	if (counts->lost_known && !evsel__has_spans(evsel) && counts->lost > lost_samples)
		rec->result.nr_lost_side_band += counts->lost - lost_samples;
}

/*
 * A program counts a sample before it is written, so the file can never have more samples than the program has kept, if every
 * task has it. bpf/inherit-check.h makes sure of that; this check would show a mistake there.
 */
static int record__check_written(struct record *rec, unsigned int event, const struct sampler_counts *counts, u64 written)
{
	const u64 kept = record__kept(rec, counts);

	if (!counts->filtered || evsel__has_spans(rec->evlist->evsel[event]) || written <= kept)
		return 0;
	return errmsg__set(rec->err, EAGAIN, "%" PRIu64 " sample%s of %s %s written that its filter did not keep: do not use the file.\nIf the "
			   "target starts processes all the time, record with -a instead.%s", written - kept, plural(written - kept),
			   rec->evlist->evsel[event]->name, were(written - kept), *bpf_filter__missing_capabilities() ?
			   " A filter that root has prepared for a group can be changed by each of its members: see perf-privilege(7)." : "");
}

int record__check_filters_hold(struct record *rec)
{
	const u64 now = run_loop__now();
	int ret = 0;

	if (now < rec->next_check)
		return 0;
	rec->next_check = now + CHECK_MS;
	for (unsigned int i = 0; i < rec->evlist->nr && !ret; i++) {
		const u64 written = record__written(rec, i); /* first: readers go on writing what programs have kept since */
		struct sampler_counts counts = { 0 };

		/* Counts that cannot be read now are read at the end. */
		if (!sampler__filter_counts(rec->sampler, i, &counts, NULL))
			ret = record__check_written(rec, i, &counts, written);
	}
	return ret;
}

/* Is the difference more than what a sample stands for, or chance? On each CPU samples are a random choice: three standard deviations. */
static bool is_much(const struct sampler_counts *counts, u64 difference)
{
	const u64 nr = counts->each ? difference / counts->each : 0, due = counts->each ? counts->counted / counts->each : 0;

	if (difference * 100 < counts->counted * MISSED_PERCENT)
		return false;
	if (!counts->each)
		return difference >= MISSED_COUNT;
	return nr >= MISSED_SAMPLES && (!counts->on_cpus || nr * nr > 9 * due);
}

/* What the samples stand for, with those that were lost. With a frequency each has a period of its own, and a lost one is like the others. */
static u64 record__sampled(struct record *rec, unsigned int event, const struct sampler_counts *counts)
{
	const u64 written = record__written(rec, event);
	const u64 samples = counts->filtered ? counts->seen : written + counts->lost;

	if (counts->each)
		return samples * counts->each;
	if (counts->period)
		return counts->period;
	if (!written) /* what the lost ones stand for is unknown */
		return counts->lost ? counts->counted : 0;
	return record__written_period(rec, event) * ((double)samples / written);
}

/*
 * Did the event miss tasks that ended before their first period was over? What a late timer left out is no task's fault. With a frequency
 * samples may also stand for more than there was: the kernel guesses the next period of a task.
 */
static void record__find_missed(struct record *rec, unsigned int event)
{
	struct sampler_counts *counts = &rec->result.counts[event];
	const u64 sampled = record__sampled(rec, event, counts), stands = sampled + counts->late * counts->each;

	if (!counts->counted || counts->untimed)
		return;
	if (stands < counts->counted && is_much(counts, counts->counted - stands))
		counts->missed = counts->counted - stands;
	else if (!counts->each && sampled > counts->counted && is_much(counts, sampled - counts->counted))
		counts->excess = sampled - counts->counted;
	else
		return;
	counts->sampled = sampled;
}

/*
 * For an event with a filter, the number of samples that the file should have is known; 0 if they are counted. Missing ones were
 * lost.
 */
static int record__compare_counts(struct record *rec, unsigned int event)
{
	struct sampler_counts *counts = &rec->result.counts[event];
	const u64 written = record__written(rec, event), missing = record__kept(rec, counts) - written;
	int ret = record__check_written(rec, event, counts, written);

	if (record__writes_each(rec) || counts->filtered)
		record__find_missed(rec, event);
	if (counts->by_kernel)
		counts->written = record__written(rec, event);
	if (rec->evlist->evsel[event]->side_band)
		record__note_lost_side_band(rec, rec->evlist->evsel[event], 0);
	if (ret || !counts->filtered || evsel__has_spans(rec->evlist->evsel[event]))
		return ret;
	if (rec->evlist->evsel[event]->attr.write_backward) { /* the kernel counts them as lost */
		rec->result.nr_overwritten += missing - counts->unmended - (counts->lost_known ? counts->lost : 0);
		return 0;
	}
	record__note_lost_side_band(rec, rec->evlist->evsel[event], missing - counts->unmended);
	counts->lost = missing - counts->unmended;
	counts->lost_known = true;
	return 0;
}

/* Samples that were kept but not counted are reported as lost by the event of the counted samples. */
static int record__write_uncounted(struct record *rec, const struct evsel *evsel, u64 id)
{
	const struct tally_counts *counted = &rec->result.counted[evsel->idx];
	const u64 untaken = record__writes_each(rec) ? 0 : rec->result.counts[evsel->idx].untaken;
	int ret = record__write_missing(rec, evsel, id, counted->lost_keys + counted->lost_spill + untaken, 0);

	return ret ? ret : record__write_dropped_nr(rec, evsel, id, counted->dropped);
}

static int record__read_counts(struct record *rec, const struct evsel *evsel)
{
	struct sampler_counts *counts = &rec->result.counts[evsel->idx];
	struct tally_counts *counted;
	int ret = sampler__counts(rec->sampler, evsel->idx, counts, rec->err);

	if (copied_stacks__has_event(rec->copies, evsel->idx)) {
		counts->unwound = copied_stacks__totals(rec->copies, evsel->idx);
		counts->unwound_by_choice = true;
	}
	if (ret || !record__counts_event(rec, evsel))
		return ret;
	counted = &rec->result.counted[evsel->idx];
	ret = sampler__tally_counts(rec->sampler, evsel->idx, counted, rec->err);
	counts->filtered = true;
	counts->seen = counted->seen;
	counts->dropped = counted->dropped;
	return ret;
}

static int record__write_dropped_of(struct record *rec, const struct evsel *evsel, u64 dropped)
{
	u64 *told = &rec->nr_told[evsel->idx], nr = dropped - *told;
	u32 nr_ids;

	*told = dropped;
	return record__write_dropped_nr(rec, evsel, sampler__ids(rec->sampler, evsel->idx, &nr_ids)[0], nr);
}

int record__write_dropped(struct record *rec)
{
	struct sampler_counts counts;
	int ret = 0;

	for (unsigned int i = 0; i < rec->evlist->nr && !ret; i++) {
		const struct evsel *evsel = rec->evlist->evsel[i];

		ret = sampler__counts(rec->sampler, i, &counts, rec->err);
		if (!ret)
			ret = record__write_dropped_of(rec, evsel, counts.dropped);
	}
	return ret;
}

static int record__write_counts_of(struct record *rec, const struct evsel *evsel)
{
	const struct sampler_counts *counts = &rec->result.counts[evsel->idx];
	u32 nr_ids;
	u64 id = sampler__ids(rec->sampler, evsel->idx, &nr_ids)[0];
	int ret = record__read_counts(rec, evsel);

	if (!ret)
		ret = record__compare_counts(rec, evsel->idx);
	if (!ret && record__counts_event(rec, evsel))
		ret = record__write_uncounted(rec, evsel, record__writes_each(rec) ? COUNTED_ID(evsel->idx) : id);
	if (ret || !record__writes_each(rec))
		return ret;
	/* Lost side-band records are no samples. */
	ret = evsel->side_band ? 0 : record__write_missing(rec, evsel, id, counts->lost + counts->unmended + counts->untaken, 0);
	return ret ? ret : record__write_dropped_of(rec, evsel, counts->dropped);
}

static int record__write_counts(struct record *rec)
{
	unsigned int i;
	int ret = 0;

	rec->result.tables = sampler__unwind_tables(rec->sampler);
	for (i = 0; i < rec->evlist->nr && !ret; i++)
		ret = record__write_counts_of(rec, rec->evlist->evsel[i]);
	return ret;
}

/* Sets times and numbers of samples, for the header and the caller. */
static void record__total_counted(struct record *rec)
{
	const struct counted_totals *totals = counted_samples__totals(rec->counted);
	struct perfdata_features *f = &rec->features;

	rec->result.nr_counted = totals->nr_samples;
	rec->result.nr_keys = totals->nr_records;
	if (!totals->nr_records)
		return;
	if (!record__nr_samples(rec) || totals->first_time < f->sample_time_first)
		f->sample_time_first = totals->first_time;
	if (totals->last_time > f->sample_time_last)
		f->sample_time_last = totals->last_time;
}

/* Without memory the file goes without. */
static int record__describe_stacks_of(struct record *rec, const struct evsel *evsel, const struct stack_ends *ends)
{
	_Alignas(u64) char buf[UINT16_MAX + 1];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	u32 nr_ids;
	int ret = 0;

	if (!out)
		return 0;
	stack_ends__fprintf(out, ends, evsel->name);
	size = text__close_stream(out, &text) ? 0 :
	       stacks_update__encode((union perf_record *)buf, sampler__ids(rec->sampler, evsel->idx, &nr_ids)[0], text);
	if (size)
		ret = record__write_plain(rec, buf, size);
	free(text);
	return ret;
}

/* These are the last records of the last file, where readers look for them. */
static int record__describe_stacks(struct record *rec)
{
	int ret = 0;

	for (unsigned int i = 0; i < rec->evlist->nr && ret >= 0; i++) {
		const struct unwind_totals *totals = rec->result.counts[i].unwound;
		const struct stack_ends sum = totals ? stack_ends__sum(totals) : (struct stack_ends){ 0 };

		if (sum.all)
			ret = record__describe_stacks_of(rec, rec->evlist->evsel[i], &sum);
	}
	return ret;
}

static int record__write_rest(struct record *rec)
{
	int ret = record__drain(rec) ?: record__drain_readers(rec);

	if (!ret)
		ret = record__complete(rec) ?: record__release(rec);
	if (!ret && rec->counted)
		ret = record__end_round(rec);
	if (!ret)
		ret = record__write_counts(rec);
	return ret ?: record__describe_stacks(rec);
}

static void record__tell_kept(const struct record *rec)
{
	const struct sampler_kept kept = sampler__kept(rec->sampler);

	pr_debug("while perf was busy, nobody looked at the ring buffers for at most %.1f ms; %" PRIu64 " bytes were set aside meanwhile\n",
		 kept.longest_ns / 1e6, kept.bytes);
}

/* Write the header for what is in the file, whatever went wrong. After a failed write nothing more is written: it would follow a gap. */
int record__finish(struct record *rec)
{
	int ret, rest_ret, end_ret;

	sampler__end_work(rec->sampler);
	sampler__disable(rec->sampler);
	ret = record__stop_readers(rec);
	if (ret)
		rec->err = NULL;
	if (!record__has_failed(rec)) {
		rest_ret = record__write_rest(rec);
		ret = ret ?: rest_ret;
	}
	record__sum_up(rec);
	record__tell_kept(rec);
	if (rec->counted)
		record__total_counted(rec);
	if (ret)
		rec->err = NULL;
	if (rec->main.failed)
		rec->main.packing_size = 0;
	end_ret = record__end_file(rec);
	return ret ? ret : end_ret;
}
