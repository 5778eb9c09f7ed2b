// SPDX-License-Identifier: GPL-2.0
/* What the streams of a recording have together. Readers may be running. */
#include "util/record/record-state.h"

u64 record__nr_samples(struct record *rec)
{
	const struct record_stream *stream;
	u64 nr = 0;

	for (unsigned int i = 0; (stream = record__stream(rec, i)); i++)
		nr += __atomic_load_n(&stream->nr_samples, __ATOMIC_RELAXED);
	return nr;
}

u64 record__written(struct record *rec, unsigned int event)
{
	const struct record_stream *stream;
	u64 nr = 0;

	if (!rec->main.samples)
		return record__nr_samples(rec);
	for (unsigned int i = 0; (stream = record__stream(rec, i)); i++)
		nr += sample_counts__of(stream->samples, event);
	return nr;
}

u64 record__written_period(struct record *rec, unsigned int event)
{
	const struct record_stream *stream;
	u64 sum = 0;

	for (unsigned int i = 0; rec->main.samples && (stream = record__stream(rec, i)); i++)
		sum += sample_counts__period(stream->samples, event);
	return sum;
}

bool record__has_failed(struct record *rec)
{
	const struct record_stream *stream;

	for (unsigned int i = 0; (stream = record__stream(rec, i)); i++) {
		if (stream->failed)
			return true;
	}
	return false;
}

static void features__add_times(struct perfdata_features *f, const struct record_stream *stream, bool first)
{
	if (first || stream->first_time < f->sample_time_first)
		f->sample_time_first = stream->first_time;
	if (first || stream->last_time > f->sample_time_last)
		f->sample_time_last = stream->last_time;
}

void record__sum_up(struct record *rec)
{
	struct record_result *result = &rec->result;
	const struct record_stream *stream;
	bool first = true;

	result->nr_samples = record__nr_samples(rec);
	result->nr_lost = result->wakeups = 0;
	result->user_stacks = rec->main.user_stacks;
	for (unsigned int i = 0; (stream = record__stream(rec, i)); i++) {
		result->nr_lost += stream->nr_lost;
		result->wakeups += stream->wakeups;
		if (i)
			user_stacks__add(&result->user_stacks, &stream->user_stacks);
		if (stream->has_samples)
			features__add_times(&rec->features, stream, first);
		first &= !stream->has_samples;
	}
}
