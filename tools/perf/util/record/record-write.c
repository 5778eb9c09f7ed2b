// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include "util/interp/names.h"
#include "util/lib/capability.h"
#include "util/perfdata/sample.h"
#include "util/record/attrs.h"
#include "util/source/offcpu-record.h"
#include "util/synth/synth.h"

static void record_stream__count_sample(struct record_stream *stream, const union perf_record *record)
{
	const u64 *values = (const u64 *)(&record->header + 1);
	u64 time = values[stream->rec->time_pos];

	if (stream->samples)
		sample_counts__count(stream->samples, values);
	user_stacks__look(&stream->user_stacks, record);
	__atomic_store_n(&stream->nr_samples, stream->nr_samples + 1, __ATOMIC_RELAXED);
	if (time == OFFCPU_SUM_TIME)
		return;
	if (!stream->has_samples || time < stream->first_time)
		stream->first_time = time;
	if (!stream->has_samples || time > stream->last_time)
		stream->last_time = time;
	stream->has_samples = true;
}

/* *interpreter: the file has one. */
static int record__fill_build_id(struct record *rec, struct record_mmap2 *mmap, bool *interpreter)
{
	int ret;

	pthread_mutex_lock(&rec->lock);
	ret = build_ids__fill(rec->build_ids, mmap);
	*interpreter = build_ids__was_interpreter(rec->build_ids);
	pthread_mutex_unlock(&rec->lock);
	return ret;
}

#define NAMES_PATH_SIZE ((sizeof(INTERP_NAMES_PATH) + 7) / 8 * 8)

/* A process has mapped an interpreter: from then on it has the names of its functions, too. */
static int record_stream__write_names(struct record_stream *stream, const struct record_mmap2 *mmap)
{
	const size_t tail_size = sample_id__size(&evlist__tracking(stream->rec->evlist)->attr);
	struct {
		struct record_mmap2 mmap;
		char path[NAMES_PATH_SIZE];
		char tail[64];
	} r = { .path = INTERP_NAMES_PATH };

	if (tail_size > sizeof(r.tail) || tail_size > mmap->header.size)
		return 0;
	interp_names__describe(stream->rec->names, mmap->pid, mmap->tid, &r.mmap);
	memcpy(r.tail, (const char *)mmap + mmap->header.size - tail_size, tail_size);
	r.mmap.header.size = sizeof(r) - sizeof(r.tail) + tail_size;
	return record_stream__write(stream, &r, r.mmap.header.size);
}

/* Records in the rings must not be changed: a map gets its build-id in a copy. */
static int record_stream__write_map(struct record_stream *stream, const union perf_record *record)
{
	_Alignas(u64) char copy[UINT16_MAX + 1];
	struct record_mmap2 *mmap = memcpy(copy, record, record->header.size);
	bool interpreter = false;
	int ret;

	build_ids__clear(mmap);
	if (!stream->rec->opts->no_build_ids && !perf_record__check((union perf_record *)mmap) && record__fill_build_id(stream->rec, mmap, &interpreter))
		return errmsg__set(*stream->err, ENOMEM, "out of memory for build-ids");
	ret = record_stream__write(stream, mmap, mmap->header.size);
	return ret < 0 || !interpreter || !stream->rec->names ? ret : record_stream__write_names(stream, mmap);
}

/* Without the bytes that the kernel has left behind it: other perfs look for the tail at the end. */
static size_t record__used_size(const struct record *rec, const union perf_record *record)
{
	for (u32 i = 0; i < rec->evlist->nr; i++) {
		const struct perf_event_attr *attr = &rec->evlist->evsel[i]->attr;

		if (attr->ksymbol || attr->bpf_event)
			return perf_record__check(record) ? record->header.size : perf_record__used_size(record, sample_id__size(attr));
	}
	return record->header.size;
}

/* Is this one not written as it is? */
static bool record__changes(const struct record *rec, const union perf_record *record)
{
	const u32 type = record->header.type;

	if (record__writes_nothing(rec))
		return false;
	return type == PERF_RECORD_MMAP2 ||
	       ((type == PERF_RECORD_KSYMBOL || type == PERF_RECORD_BPF_EVENT) && record__used_size(rec, record) < record->header.size);
}

static int record_stream__write_changed(struct record_stream *stream, const union perf_record *record)
{
	_Alignas(u64) char copy[UINT16_MAX + 1];
	struct perf_event_header *header = (void *)copy;
	size_t size;

	if (record->header.type == PERF_RECORD_MMAP2)
		return record_stream__write_map(stream, record);
	size = record__used_size(stream->rec, record);
	memcpy(copy, record, size);
	header->size = size;
	return record_stream__write(stream, copy, size);
}

static void record__note_fork(struct record *rec, const union perf_record *record)
{
	sampler__note_fork(rec->sampler);
	if (perf_record__check(record))
		return;
	pthread_mutex_lock(&rec->lock);
	build_ids__note_fork(rec->build_ids, record->fork.pid, record->fork.ppid);
	pthread_mutex_unlock(&rec->lock);
}

static void record_stream__note(struct record_stream *stream, const union perf_record *record)
{
	struct record *rec = stream->rec;

	switch (record->header.type) {
	case PERF_RECORD_SAMPLE:
		if (record->header.size > (1 + rec->time_pos) * sizeof(u64))
			record_stream__count_sample(stream, record);
		break;
	case PERF_RECORD_FORK:
		record__note_fork(rec, record);
		break;
	case PERF_RECORD_THROTTLE:
		sampler__note_throttling(rec->sampler);
		break;
	case PERF_RECORD_LOST:
		sampler__note_loss(rec->sampler);
		if (!perf_record__check(record))
			stream->nr_lost += record->lost.lost;
		break;
	}
}

int record__take(void *data, const void *records, size_t size)
{
	const size_t whole = records__whole(records, size);
	const char *at = records, *end = at + whole, *written = at;
	struct record_stream *stream = data;
	int ret = 0;

	while (at < end && ret >= 0) {
		const union perf_record *record = (const void *)at;

		record_stream__note(stream, record);
		at += record->header.size;
		if (!record__changes(stream->rec, record))
			continue;
		ret = record_stream__write(stream, written, (const char *)record - written);
		if (ret >= 0)
			ret = record_stream__write_changed(stream, record);
		written = at;
	}
	if (ret >= 0)
		ret = record_stream__write(stream, written, end - written);
	return ret >= 0 && whole < size ? -EIO : ret;
}

int record__explain_take(struct record_stream *stream, int ret)
{
	if (ret >= 0 || stream->failed)
		return ret;
	if (ret == -EIO)
		return errmsg__set(*stream->err, EIO, "a ring buffer is broken: it holds bytes that are no record. The recording was stopped");
	return errmsg__set(*stream->err, -ret, "cannot fetch what was recorded: %s. The recording was stopped", strerror(-ret));
}

bool record__has_rounds(const struct record *rec)
{
	return !rec->opts->attr.overwrite && !rec->opts->synth.at_end && !rec->readers;
}

int record__complete(struct record *rec)
{
	int ret = 0;

	if (rec->opts->attr.overwrite)
		ret = record__explain_take(&rec->main, sampler__snapshot(rec->sampler, record__take, &rec->main));
	if (!ret && rec->opts->synth.at_end && !record__writes_nothing(rec))
		ret = record__synthesize(rec);
	return ret;
}

int record__fetch(struct record *rec, u64 *nr_bytes)
{
	int ret;

	*nr_bytes = 0;
	ret = sampler__drain(rec->sampler, record__take, &rec->main, nr_bytes);
	return ret < 0 ? record__explain_take(&rec->main, ret) : 0;
}

int record__drain(struct record *rec)
{
	u64 bytes;
	int ret = record__fetch(rec, &bytes);

	if (ret < 0 || !bytes)
		return ret;
	rec->main.wakeups++;
	/*
	 * Records of a later pass are not older than those of the pass before this one: the reader may sort up to there. But counted
	 * samples are as old as their round, so with them the round sets the marker.
	 */
	return rec->counted || !record__has_rounds(rec) ? 0 : record__write_marker(rec, PERF_RECORD_FINISHED_ROUND);
}

struct synthesis {
	struct record *rec;
	int write_ret; /* of writing; its message is already in rec->err */
};

/* While /proc is read the events are already running; empty their rings in the meantime. */
static int record__write_synthesized(void *data, const void *records, size_t size)
{
	struct synthesis *synthesis = data;
	struct record *rec = synthesis->rec;
	int ret = record__write(rec, records, size);

	if (ret >= 0)
		ret = record__explain_take(&rec->main, sampler__drain(rec->sampler, record__take, &rec->main, NULL));
	synthesis->write_ret = ret;
	return ret;
}

static int record__synthesize_with(struct record *rec, struct synth *synth)
{
	const struct run_target *target = run__target(rec->run);
	const bool follows = run__follows_command(rec->run);
	int i, nr, ret = synth__kernel(synth);

	if (!ret)
		ret = synth__bpf_progs(synth);
	if (!ret && !rec->opts->synth.no_cgroups)
		ret = synth__cgroups(synth);
	if (rec->opts->synth.no_tasks)
		return ret ? ret : synth__flush(synth);
	if (!ret && rec->opts->run.system_wide)
		ret = synth__all_processes(synth);
	for (i = 0; i < target->nr_pids && !ret; i++)
		ret = synth__process(synth, target->pids[i]);
	if (!ret && rec->nr_files && follows) /* a later file: the command is already running */
		ret = synth__family(synth, *run__tids(rec->run, &nr));
	else if (!ret && follows)
		ret = synth__command(synth, *run__tids(rec->run, &nr), run__command_comm(rec->run));
	return ret ? ret : synth__flush(synth);
}

static bool samples_kernel(const struct evlist *evlist)
{
	for (u32 i = 0; i < evlist->nr; i++) {
		if (!evlist->evsel[i]->side_band && !evlist->evsel[i]->attr.exclude_kernel)
			return true;
	}
	return false;
}

/* The recording continues, but its samples will have no names. Warn once, not for each file. */
static void record__tell_hidden(const struct record *rec, const struct synth *synth)
{
	const struct record_opts *opts = rec->opts;
	u32 nr_closed = synth__nr_closed(synth);
	struct errmsg text;

	if (!opts->run.note || rec->nr_files)
		return;
	if (synth__kernel_is_hidden(synth) && samples_kernel(rec->evlist))
		opts->run.note(opts->run.note_data, "The kernel hides its addresses from this user: its functions will have no names. To see them takes "
			   "CAP_SYSLOG, or root, or kernel.kptr_restrict=0 and kernel.perf_event_paranoid=1");
	if (!nr_closed || capability__has(CAP_SYS_PTRACE)) /* closed although we are root: init of a container may have more rights than its root */
		return;
	errmsg__set(&text, EACCES, "The maps of %u process%s may not be read: what is mapped there already will have no names. To read those of "
		    "other users takes CAP_SYS_PTRACE, or root", nr_closed, nr_closed > 1 ? "es" : "");
	opts->run.note(opts->run.note_data, text.text);
}

int record__synthesize(struct record *rec)
{
	const struct evsel *tracking = evlist__tracking(rec->evlist);
	struct synthesis synthesis = { .rec = rec };
	struct synth_opts opts = {
		.attr = &tracking->attr,
		.no_maps = rec->opts->synth.no_maps,
		.data_maps = tracking->attr.mmap_data,
		.build_ids = !rec->opts->no_build_ids,
		.kept = rec->kept,
		.names = rec->names,
		.write = record__write_synthesized,
		.data = &synthesis,
	};
	struct synth *synth;
	u32 nr_ids;
	int ret;

	opts.id = sampler__ids(rec->sampler, tracking->idx, &nr_ids)[0];
	ret = synth__new(&opts, &synth, rec->err);
	if (ret)
		return ret;
	ret = record__synthesize_with(rec, synth);
	if (!ret)
		record__tell_hidden(rec, synth);
	synth__delete(synth);
	if (ret < 0 && synthesis.write_ret >= 0)
		return errmsg__set(rec->err, -ret, "cannot read the running tasks from /proc and /sys: %s. Their samples would have no names: "
						   "free memory or allow more open files (ulimit -n), and try again", strerror(-ret));
	return ret || !(record__has_rounds(rec) || rec->readers) ? ret : record__write_marker(rec, PERF_RECORD_FINISHED_INIT);
}
