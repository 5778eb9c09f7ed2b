// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "util/perfdata/compress.h"
#include "util/record/header.h"

/* Records that wait to be packed: long runs get smaller than short ones. */
#define PACK_BYTES (512 << 10)

static bool record__is_pipe(const struct record *rec)
{
	return !strcmp(rec->opts->output, "-");
}

/* Writing */

static int record__write_file(void *data, const void *records, size_t size)
{
	struct record *rec = data;
	int ret = perfdata_writer__write(rec->writer, records, size, rec->err);

	rec->failed |= ret < 0;
	return ret;
}

static void record__describe_packing(struct record *rec)
{
	if (!rec->opts->compression_level)
		return;
	rec->features.compressed = (struct perfdata_compressed){
		.type = 1,
		.level = rec->opts->compression_level,
		.ratio = rec->nr_packed ? rec->nr_unpacked / rec->nr_packed : 1,
		.room = COMPRESS_ROOM,
	};
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

/* Files */

static void record__collect_header(struct record *rec)
{
	if (!rec->collected)
		header__collect(&rec->features, rec->evlist, rec->opts);
	rec->collected = true;
	record__describe_packing(rec);
}

u64 record__next_file_due(const struct record *rec)
{
	return rec->opts->switching.ms ? rec->file_start + rec->opts->switching.ms : 0;
}

int record__begin_file(struct record *rec)
{
	int ret;

	if (!rec->opts->output)
		return 0;
	perfdata_writer__delete(rec->writer);
	rec->writer = NULL;
	ret = perfdata_writer__open(rec->opts->output, &rec->writer, rec->err);
	if (!ret)
		ret = perfdata_writer__set_events(rec->writer, rec->features.event_desc, rec->features.nr_event_desc, rec->err);
	if (!ret && record__is_pipe(rec)) {
		record__collect_header(rec);
		ret = header__add(rec->writer, &rec->features, true, rec->opts, rec->err);
	}
	rec->file_start = run_loop__now();
	rec->on_output.due = record__next_file_due(rec);
	rec->file_has_samples = false;
	return ret;
}

/* "perf.data" as "perf.data.2026112109301542"; the time is local, its end in hundredths of a second. NULL: no memory. */
static char *stamped_path(const char *path)
{
	char stamp[32], *stamped;
	struct timeval now;
	struct tm tm;

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	return asprintf(&stamped, "%s.%s%02u", path, stamp, (unsigned int)now.tv_usec / 10000) < 0 ? NULL : stamped;
}

/* Two files may end in the same hundredth of a second: the later one waits for the next. */
static int record__stamp(struct record *rec)
{
	const struct timespec hundredth = { .tv_nsec = 10000000 };
	int error;

	do {
		free(rec->last_path);
		rec->last_path = stamped_path(rec->opts->output);
		if (!rec->last_path)
			return errmsg__set(rec->err, ENOMEM, "out of memory");
		error = link(rec->opts->output, rec->last_path) ? errno : 0;
	} while (error == EEXIST && !nanosleep(&hundredth, NULL));
	/* Some file systems have no links. */
	if (error ? rename(rec->opts->output, rec->last_path) : unlink(rec->opts->output))
		return errmsg__set(rec->err, errno, "cannot rename %s to %s: %s", rec->opts->output, rec->last_path, strerror(errno));
	return 0;
}

/* The oldest goes, if there are too many. */
static int record__keep_path(struct record *rec)
{
	unsigned int max = rec->opts->switching.max_files, at;

	if (!max)
		return 0;
	if (!rec->paths)
		rec->paths = calloc(max, sizeof(*rec->paths));
	if (!rec->paths)
		return errmsg__set(rec->err, ENOMEM, "out of memory");
	at = rec->nr_files % max;
	if (rec->paths[at] && unlink(rec->paths[at]) && errno != ENOENT)
		return errmsg__set(rec->err, errno, "cannot remove %s, as --switch-max-files asks: %s", rec->paths[at], strerror(errno));
	free(rec->paths[at]);
	rec->paths[at] = strdup(rec->last_path);
	return rec->paths[at] ? 0 : errmsg__set(rec->err, ENOMEM, "out of memory");
}

static bool record__stamps(const struct record *rec)
{
	return !record__is_pipe(rec) && (rec->opts->timestamp_filename || rec->opts->switching.on);
}

int record__end_file(struct record *rec)
{
	int ret = record__flush_packing(rec);

	if (ret || !rec->writer)
		return ret;
	record__collect_header(rec);
	if (!record__is_pipe(rec))
		ret = header__add(rec->writer, &rec->features, false, rec->opts, rec->err);
	if (!ret)
		ret = perfdata_writer__finish(rec->writer, rec->err);
	if (!ret && record__stamps(rec))
		ret = record__stamp(rec) ?: record__keep_path(rec);
	rec->nr_files++;
	return ret;
}

/* What the next file's samples need to have names is told anew at its beginning. */
static int record__switch_file(struct record *rec)
{
	struct errmsg text;
	int ret = record__drain(rec);

	if (!ret)
		ret = record__complete(rec);
	if (!ret)
		ret = record__write_dropped(rec);
	if (!ret)
		ret = record__end_file(rec);
	if (!ret && rec->opts->note) {
		errmsg__set(&text, EINTR, "[ perf record: Dump %s ]", rec->last_path);
		rec->opts->note(rec->opts->note_data, text.text);
	}
	if (!ret)
		ret = record__begin_file(rec);
	return ret || rec->opts->synth.at_end ? ret : record__synthesize(rec);
}

int record__handle_output(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct record *rec = data;
	const struct record_switching *switching = &rec->opts->switching;
	u64 bytes = rec->writer ? perfdata_writer__bytes(rec->writer) : 0;

	if (rec->opts->max_size && bytes >= rec->opts->max_size) {
		struct errmsg text;

		errmsg__set(&text, EFBIG, "[ perf record: perf size limit reached (%llu KB), stopping session ]",
			    (unsigned long long)bytes >> 10);
		if (rec->opts->note && !run_loop__is_over(loop))
			rec->opts->note(rec->opts->note_data, text.text);
		run_loop__end(loop);
	}
	if (run_loop__is_over(loop) || !switching->on)
		return 0;
	if (rec->switch_wanted || (switching->size && bytes >= switching->size) ||
	    (switching->ms && run_loop__now() >= record__next_file_due(rec))) {
		rec->switch_wanted = false;
		return record__switch_file(rec);
	}
	return 0;
}

void record__exit_output(struct record *rec)
{
	for (unsigned int i = 0; rec->paths && i < rec->opts->switching.max_files; i++)
		free(rec->paths[i]);
	free(rec->paths);
	free(rec->last_path);
	free(rec->packing);
	perfdata_writer__delete(rec->writer);
}
