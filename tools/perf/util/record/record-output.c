// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "util/interp/names.h"
#include "util/perfdata/compress.h"
#include "util/record/header.h"

static bool record__is_pipe(const struct record *rec)
{
	return !strcmp(rec->opts->output, "-");
}

static void record__describe_packing(struct record *rec)
{
	const struct record_stream *stream;
	u64 unpacked = 0, packed = 0;

	if (!rec->opts->compression_level)
		return;
	for (unsigned int i = 0; (stream = record__stream(rec, i)); i++) {
		unpacked += stream->nr_unpacked;
		packed += stream->nr_packed;
	}
	rec->features.compressed = (struct perfdata_compressed){
		.type = 1,
		.level = rec->opts->compression_level,
		.ratio = packed ? unpacked / packed : 1,
		.room = COMPRESS_ROOM,
	};
}

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

/* The file with events and features */
static struct perfdata_writer *record__head(const struct record *rec)
{
	return rec->dir ? rec->dir : rec->main.writer;
}

static int record__open_file(struct record *rec)
{
	int ret = rec->readers ? perfdata_writer__open_dir(rec->opts->output, &rec->dir, rec->err) :
				 perfdata_writer__open(rec->opts->output, &rec->main.writer, rec->err);

	if (!ret)
		ret = perfdata_writer__set_events(record__head(rec), rec->features.event_desc, rec->features.nr_event_desc, rec->err);
	if (!ret && rec->dir)
		ret = perfdata_writer__open_part(rec->dir, 0, &rec->main.writer, rec->err);
	return ret;
}

int record__begin_file(struct record *rec)
{
	int ret;

	if (!rec->opts->output)
		return 0;
	perfdata_writer__delete(rec->main.writer);
	rec->main.writer = NULL;
	ret = record__open_file(rec);
	if (!ret && record__is_pipe(rec)) {
		record__collect_header(rec);
		ret = header__add(rec->main.writer, &rec->features, true, rec->opts, rec->err);
	}
	rec->file_start = run_loop__now();
	rec->on_output.due = record__next_file_due(rec);
	rec->main.has_samples = false;
	return ret;
}

/* "perf.data" becomes "perf.data.2026112109301542"; local time, ending in hundredths of a second. NULL: no memory. */
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

/* Two files may end in the same hundredth of a second: then the later one waits for the next. */
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

/* Remove the oldest file if there are too many. */
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

/* The recording is right without them. */
void record__store_names(struct record *rec)
{
	struct errmsg err;

	if (!rec->names || !rec->opts->output || rec->names_failed)
		return;
	rec->names_failed = interp_names__store(rec->names, rec->opts->build_id_cache, &err);
	if (rec->names_failed && rec->opts->run.note)
		rec->opts->run.note(rec->opts->run.note_data, err.text);
}

int record__end_file(struct record *rec)
{
	int parts_ret = record__finish_parts(rec), ret = record__release(rec) ?: record_stream__flush(&rec->main);

	if (ret || !rec->main.writer)
		return ret;
	record__store_names(rec);
	record__collect_header(rec);
	if (kept_files__list_jit(rec->kept, &rec->features))
		return errmsg__set(rec->err, ENOMEM, "out of memory");
	if (!record__is_pipe(rec))
		ret = header__add(record__head(rec), &rec->features, false, rec->opts, rec->err);
	if (!ret && rec->dir)
		ret = perfdata_writer__finish(rec->main.writer, rec->err);
	if (!ret)
		ret = perfdata_writer__finish(record__head(rec), rec->err);
	if (!ret && record__stamps(rec))
		ret = record__stamp(rec) ?: record__keep_path(rec);
	rec->nr_files++;
	if (!ret && rec->names && interp_names__begin_file(rec->names))
		ret = errmsg__set(rec->err, EAGAIN, "no random numbers for the names of Python functions");
	return ret ? ret : parts_ret;
}

void record__exit_output(struct record *rec)
{
	for (unsigned int i = 0; rec->paths && i < rec->opts->switching.max_files; i++)
		free(rec->paths[i]);
	free(rec->paths);
	free(rec->last_path);
	perfdata_writer__delete(rec->dir);
}
