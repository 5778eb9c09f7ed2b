// SPDX-License-Identifier: GPL-2.0
/* Writing records: to the file, perhaps compressed, and to the sink. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/perfdata/compress.h"
#include "util/record/record-state.h"

/* Collects records before compressing them: long runs get smaller than short ones. */
#define PACK_BYTES (512 << 10)

static int record_stream__write_file(void *data, const void *records, size_t size)
{
	struct record_stream *stream = data;
	int ret = perfdata_writer__write(stream->writer, records, size, *stream->err);

	stream->failed |= ret < 0;
	return ret;
}

int record_stream__flush(struct record_stream *stream)
{
	size_t size = stream->packing_size;
	u64 before;
	int ret;

	if (!size || !stream->writer)
		return 0;
	stream->packing_size = 0;
	before = perfdata_writer__bytes(stream->writer);
	ret = records__compress(stream->packing, size, stream->rec->opts->compression_level, record_stream__write_file, stream);
	stream->nr_packed += perfdata_writer__bytes(stream->writer) - before;
	stream->nr_unpacked += size;
	if (ret == -ENOMEM && !stream->failed)
		return errmsg__set(*stream->err, ENOMEM, "out of memory for compressing");
	return ret;
}

static int record_stream__pack(struct record_stream *stream, const void *records, size_t size)
{
	int ret = stream->packing_size + size > stream->packing_room ? record_stream__flush(stream) : 0;

	if (!ret && size > stream->packing_room) {
		size_t room = size > PACK_BYTES ? size : PACK_BYTES;

		free(stream->packing);
		stream->packing = malloc(room);
		stream->packing_room = stream->packing ? room : 0;
		if (!stream->packing)
			ret = errmsg__set(*stream->err, ENOMEM, "out of memory for compressing");
	}
	if (ret)
		return ret;
	memcpy(stream->packing + stream->packing_size, records, size);
	stream->packing_size += size;
	return 0;
}

static int record_stream__write_sink(struct record_stream *stream, const void *records, size_t size)
{
	const struct record_sink *sink = stream->rec->opts->sink;
	int ret = sink ? sink->records(sink->data, records, size, *stream->err) : 0;

	stream->failed |= ret < 0;
	return ret;
}

static int record_stream__put(struct record_stream *stream, const void *records, size_t size)
{
	int ret = 0;

	if (stream->writer && size)
		ret = stream->rec->opts->compression_level ? record_stream__pack(stream, records, size) :
							     record_stream__write_file(stream, records, size);
	return ret < 0 ? ret : record_stream__write_sink(stream, records, size);
}

int record_stream__write(struct record_stream *stream, const void *records, size_t size)
{
	struct record *rec = stream->rec;

	return rec->copies ? copied_stacks__take(rec->copies, rec->sampler, records, size) : record_stream__put(stream, records, size);
}

int record__put(void *data, const void *records, size_t size)
{
	struct record *rec = data;

	return record_stream__put(&rec->main, records, size);
}

static int record__explain_copies(struct record *rec, int ret)
{
	return ret == -ENOMEM && !rec->main.failed ? errmsg__set(rec->err, ENOMEM, "out of memory for unwinding stacks") : ret;
}

int record__release(struct record *rec)
{
	return rec->copies ? record__explain_copies(rec, copied_stacks__flush(rec->copies)) : 0;
}

int record__write(void *data, const void *records, size_t size)
{
	struct record *rec = data;

	return record_stream__write(&rec->main, records, size);
}

int record__write_plain(struct record *rec, const void *records, size_t size)
{
	int ret = record_stream__flush(&rec->main);

	return ret || !rec->main.writer ? ret : record_stream__write_file(&rec->main, records, size);
}

int record__write_marker(struct record *rec, u32 type)
{
	const struct perf_event_header marker = { .type = type, .size = sizeof(marker) };
	int ret = 0;

	if (type == PERF_RECORD_FINISHED_ROUND && rec->copies)
		ret = record__explain_copies(rec, copied_stacks__end_round(rec->copies));
	if (!ret)
		ret = record__write_plain(rec, &marker, sizeof(marker));

	return ret < 0 ? ret : record_stream__write_sink(&rec->main, &marker, sizeof(marker));
}

/* Does the kernel choose the period of each sample? Those of clocks are equal, as their time is. */
static bool has_periods(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	return attr->freq && !attr__is_clock(attr) && attr->sample_type & PERF_SAMPLE_PERIOD && !evsel->side_band && !evsel__has_own_contents(evsel);
}

/* What comes before the period in a sample, each a u64: perf_event_open(2), PERF_RECORD_SAMPLE */
#define BEFORE_PERIOD                                                                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |                \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)

/* Ids of events are known. */
static int record_stream__count_by_event(struct record_stream *stream)
{
	const struct record *rec = stream->rec;
	const u64 *ids;
	u32 nr;

	if (rec->evlist->nr == 1 && !has_periods(rec->evlist->evsel[0]))
		return 0;
	stream->samples = sample_counts__new(rec->evlist->nr);
	if (!stream->samples)
		return -ENOMEM;
	for (unsigned int i = 0; i < rec->evlist->nr; i++) {
		const struct evsel *evsel = rec->evlist->evsel[i];

		if (has_periods(evsel))
			sample_counts__add_periods(stream->samples, i, __builtin_popcountll(evsel->attr.sample_type & BEFORE_PERIOD));
		ids = sampler__ids(rec->sampler, i, &nr);
		if (sample_counts__add_ids(stream->samples, i, ids, nr))
			return -ENOMEM;
	}
	sample_counts__sort_ids(stream->samples);
	return 0;
}

int record_stream__init(struct record_stream *stream, struct record *rec, struct errmsg **err)
{
	*stream = (struct record_stream){ .rec = rec, .err = err };
	user_stacks__init(&stream->user_stacks, rec->evlist);
	if (rec->copies) /* all are unwound, which tells more */
		stream->user_stacks.attr = NULL;
	return record_stream__count_by_event(stream) ? errmsg__set(*err, ENOMEM, "out of memory") : 0;
}

void record_stream__exit(struct record_stream *stream)
{
	sample_counts__delete(stream->samples);
	free(stream->packing);
	perfdata_writer__delete(stream->writer);
}
