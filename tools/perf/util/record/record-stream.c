// SPDX-License-Identifier: GPL-2.0
/* Writing records: to the file, perhaps compressed, and to the sink. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/perfdata/compress.h"
#include "util/record/record-state.h"

/* Collects records before compressing them: long runs get smaller than short ones. */
#define PACK_BYTES (512 << 10)

static int record__write_file(void *data, const void *records, size_t size)
{
	struct record *rec = data;
	int ret = perfdata_writer__write(rec->writer, records, size, rec->err);

	rec->failed |= ret < 0;
	return ret;
}

int record__flush_packing(struct record *rec)
{
	size_t size = rec->packing_size;
	u64 before;
	int ret;

	if (!size || !rec->writer)
		return 0;
	rec->packing_size = 0;
	before = perfdata_writer__bytes(rec->writer);
	ret = records__compress(rec->packing, size, rec->opts->compression_level, record__write_file, rec);
	rec->nr_packed += perfdata_writer__bytes(rec->writer) - before;
	rec->nr_unpacked += size;
	if (ret == -ENOMEM && !rec->failed)
		return errmsg__set(rec->err, ENOMEM, "out of memory for compressing");
	return ret;
}

static int record__pack(struct record *rec, const void *records, size_t size)
{
	int ret = rec->packing_size + size > rec->packing_room ? record__flush_packing(rec) : 0;

	if (!ret && size > rec->packing_room) {
		size_t room = size > PACK_BYTES ? size : PACK_BYTES;

		free(rec->packing);
		rec->packing = malloc(room);
		rec->packing_room = rec->packing ? room : 0;
		if (!rec->packing)
			ret = errmsg__set(rec->err, ENOMEM, "out of memory for compressing");
	}
	if (ret)
		return ret;
	memcpy(rec->packing + rec->packing_size, records, size);
	rec->packing_size += size;
	return 0;
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
	struct record *rec = data;
	int ret = 0;

	if (rec->writer && size)
		ret = rec->opts->compression_level ? record__pack(rec, records, size) : record__write_file(rec, records, size);
	return ret < 0 ? ret : record__write_sink(rec, records, size);
}

int record__write_marker(struct record *rec, u32 type)
{
	const struct perf_event_header marker = { .type = type, .size = sizeof(marker) };
	int ret = record__flush_packing(rec);

	if (!ret && rec->writer)
		ret = record__write_file(rec, &marker, sizeof(marker));
	return ret < 0 ? ret : record__write_sink(rec, &marker, sizeof(marker));
}
