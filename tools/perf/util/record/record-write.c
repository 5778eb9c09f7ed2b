// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <errno.h>
#include <string.h>
#include "util/perfdata/compress.h"
#include "util/record/attrs.h"
#include "util/synth/synth.h"

static int record__write_file(void *data, const void *records, size_t size)
{
	struct record *rec = data;
	int ret = rec->writer ? perfdata_writer__write(rec->writer, records, size, rec->err) : 0;

	rec->failed |= ret < 0;
	return ret;
}

static int record__write_sink(struct record *rec, const void *records, size_t size)
{
	const struct record_sink *sink = rec->opts->sink;
	int ret = sink ? sink->records(sink->data, records, size, rec->err) : 0;

	rec->failed |= ret < 0;
	return ret;
}

int record__write(void *data, const void *records, size_t size)
{
	int ret = record__write_file(data, records, size);

	return ret < 0 ? ret : record__write_sink(data, records, size);
}

/* What was counted comes in large runs, which are worth packing. */
int record__write_counted(void *data, const void *records, size_t size)
{
	struct record *rec = data;
	u64 before;
	int ret;

	if (!rec->opts->compression_level || !rec->writer)
		return record__write(rec, records, size);
	before = perfdata_writer__bytes(rec->writer);
	ret = records__compress(records, size, rec->opts->compression_level, record__write_file, rec);
	rec->nr_packed += perfdata_writer__bytes(rec->writer) - before;
	rec->nr_unpacked += size;
	rec->features.compressed = (struct perfdata_compressed){
		.type = 1,
		.level = rec->opts->compression_level,
		.ratio = rec->nr_unpacked / (rec->nr_packed ?: 1),
		.room = COMPRESS_ROOM,
	};
	if (ret == -ENOMEM && !rec->failed)
		return errmsg__set(rec->err, ENOMEM, "out of memory for compressing");
	return ret < 0 ? ret : record__write_sink(rec, records, size);
}

static void record__count_sample(struct record *rec, const union perf_record *record)
{
	struct perfdata_features *f = &rec->features;
	const u64 *values = (const u64 *)(&record->header + 1);
	u64 time = values[rec->time_pos];

	if (rec->samples)
		sample_counts__count(rec->samples, values[0]); /* PERF_SAMPLE_IDENTIFIER */
	if (!rec->result.nr_samples++ || time < f->sample_time_first)
		f->sample_time_first = time;
	if (time > f->sample_time_last)
		f->sample_time_last = time;
}

/* The kernel's records in rings may not be changed: a map gets its build-id in a copy. */
static int record__write_map(struct record *rec, const union perf_record *record)
{
	_Alignas(u64) char copy[UINT16_MAX + 1];
	struct record_mmap2 *mmap = memcpy(copy, record, record->header.size);

	build_ids__clear(mmap);
	if (!record__check((union perf_record *)mmap) && build_ids__fill(rec->build_ids, mmap))
		return errmsg__set(rec->err, ENOMEM, "out of memory for build-ids");
	return record__write(rec, mmap, mmap->header.size);
}

static void record__note(struct record *rec, const union perf_record *record)
{
	if (record->header.type == PERF_RECORD_SAMPLE && record->header.size > (1 + rec->time_pos) * sizeof(u64))
		record__count_sample(rec, record);
	else if (record->header.type == PERF_RECORD_LOST && !record__check(record))
		rec->result.nr_lost += record->lost.lost;
}

static int record__take_run(void *data, const void *records, size_t size)
{
	const size_t whole = records__whole(records, size);
	const char *at = records, *end = at + whole, *written = at;
	struct record *rec = data;
	int ret = 0;

	while (at < end && ret >= 0) {
		const union perf_record *record = (const void *)at;

		record__note(rec, record);
		at += record->header.size;
		if (record->header.type != PERF_RECORD_MMAP2 || rec->opts->rows)
			continue;
		ret = record__write(rec, written, (const char *)record - written);
		if (ret >= 0)
			ret = record__write_map(rec, record);
		written = at;
	}
	if (ret >= 0)
		ret = record__write(rec, written, end - written);
	return ret >= 0 && whole < size ? -EIO : ret;
}

int record__write_marker(struct record *rec, u32 type)
{
	const struct perf_event_header marker = { .type = type, .size = sizeof(marker) };

	return record__write(rec, &marker, sizeof(marker));
}

static int record__explain_drain(struct record *rec, int ret)
{
	if (ret < 0 && !rec->failed)
		errmsg__set(rec->err, -ret, "a ring buffer holds what cannot be a record: the recording was stopped");
	return ret;
}

int record__drain(struct record *rec)
{
	u64 bytes = 0;
	int ret = sampler__drain(rec->sampler, record__take_run, rec, &bytes);

	if (ret < 0)
		return record__explain_drain(rec, ret);
	if (!bytes)
		return 0;
	rec->result.wakeups++;
	/*
	 * What a later pass brings is not older than what the pass before this one brought: the reader may sort up to there. But
	 * what was counted is as old as its round, so then the round sets the marker.
	 */
	return rec->counted ? 0 : record__write_marker(rec, PERF_RECORD_FINISHED_ROUND);
}

/* While /proc is read the events run already; their rings must not fill up meanwhile. */
static int record__write_synthesized(void *data, const void *records, size_t size)
{
	struct record *rec = data;
	int ret = record__write(rec, records, size);

	return ret < 0 ? ret : record__explain_drain(rec, sampler__drain(rec->sampler, record__take_run, rec, NULL));
}

static int record__synthesize_with(struct record *rec, struct synth *synth)
{
	int i, ret = synth__kernel(synth);

	if (!ret)
		ret = synth__cgroups(synth);
	if (!ret && rec->opts->system_wide)
		ret = synth__all_processes(synth);
	for (i = 0; i < rec->target.nr_pids && !ret; i++)
		ret = synth__process(synth, rec->target.pids[i]);
	return ret ? ret : synth__flush(synth);
}

int record__synthesize(struct record *rec)
{
	const struct evsel *tracking = evlist__tracking(rec->evlist);
	struct synth_opts opts = {
		.attr = &tracking->attr,
		.data_maps = tracking->attr.mmap_data,
		.build_ids = true,
		.write = record__write_synthesized,
		.data = rec,
	};
	struct synth *synth;
	u32 nr_ids;
	int ret;

	opts.id = sampler__ids(rec->sampler, tracking->idx, &nr_ids)[0];
	ret = synth__new(&opts, &synth, rec->err);
	if (ret)
		return ret;
	ret = record__synthesize_with(rec, synth);
	synth__delete(synth);
	if (ret == -ENOMEM && !rec->failed)
		return errmsg__set(rec->err, ENOMEM, "out of memory for the records of running tasks");
	return ret ? ret : record__write_marker(rec, PERF_RECORD_FINISHED_INIT);
}
