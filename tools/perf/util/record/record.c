// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "util/interp/names.h"
#include "util/lib/fs.h"
#include "util/record/attrs.h"

#define PROGRESS_MS 1000

unsigned int record__max_freq(void)
{
	int rate;

	return fs__read_int("/proc/sys/kernel/perf_event_max_sample_rate", &rate) || rate < 0 ? 0 : rate;
}

/*
 * Tasks start, exec and map on CPUs or in cgroups that are not recorded, and later move to recorded ones: a separate event records
 * all that.
 */
static bool needs_everywhere(const struct record_opts *opts, const struct evlist *evlist)
{
	unsigned int i;

	for (i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->cgroup)
			return true;
	}
	return opts->run.system_wide && opts->run.cpus;
}

/*
 * A separate event records tasks if that must begin before samples are taken (while /proc is read, or the recording waits), or if it
 * must cover more than they do.
 */
static int record__add_side_band(struct record *rec, struct errmsg *err)
{
	const struct record_opts *opts = rec->opts;
	const bool everywhere = needs_everywhere(opts, rec->evlist);
	const bool reads_proc = opts->run.system_wide && !record__writes_nothing(rec) && !opts->synth.at_end && !opts->synth.no_tasks;

	rec->side_band_first = everywhere || reads_proc || run__starts_disabled(rec->run) || opts->attr.overwrite;
	return rec->side_band_first ? evlist__add_side_band(rec->evlist, everywhere, err) : 0;
}

static int record__prepare_counting(struct record *rec, struct errmsg *err)
{
	rec->counted = counted_samples__new(rec->opts->count, rec->evlist->nr);
	rec->result.counted = calloc(rec->evlist->nr, sizeof(*rec->result.counted));
	return rec->counted && rec->result.counted ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

static void record__config_events(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	const bool each = record__writes_each(rec);
	struct attr_opts attr_opts = opts->attr;

	/* BPF takes the stacks that are counted: the walk is the largest cost, and would be done twice. */
	attr_opts.no_chains = !each;
	attr_opts.cpu |= (each && opts->run.system_wide) || (opts->count && opts->count->key & TALLY_KEY_CPU);
	attr_opts.inherit = !opts->no_inherit;
	attr_opts.enable_on_exec = run__follows_command(rec->run);
	attr_opts.delayed = run__starts_disabled(rec->run);
	if (opts->count) { /* only what BPF programs can read */
		attr_opts.use_clockid = true;
		attr_opts.clockid = CLOCK_MONOTONIC;
	}
	attr_opts.identifier |= opts->count && each;
	evlist__config_attrs(rec->evlist, &attr_opts);
	rec->time_pos = evlist__time_pos(rec->evlist);
}

/* For a file with build-ids */
static bool keeps_files(const struct record_opts *opts)
{
	return (opts->keep_files || opts->keep_all_files) && opts->output && !opts->no_build_ids && opts->build_id_cache &&
	       !opts->no_build_id_cache;
}

/* Readers of the file find their names by build-ids, in the cache. */
static bool finds_interpreters(const struct record_opts *opts)
{
	const bool are_stored = opts->output && opts->build_id_cache && !opts->no_build_id_cache;

	return opts->interp != INTERP_OFF && !opts->no_build_ids && (are_stored || (!opts->output && opts->live));
}

static int record__new_names(struct record *rec)
{
	if (!finds_interpreters(rec->opts) && rec->opts->interp_asked && rec->opts->interp != INTERP_OFF)
		return errmsg__set(rec->err, EINVAL, "--interp writes names to the build-id cache: leave out -B and -N");
	if (!finds_interpreters(rec->opts))
		return 0;
	rec->names = interp_names__new(rec->opts->live);
	return rec->names ? 0 : errmsg__set(rec->err, ENOMEM, "out of memory");
}

/* The sources are chosen. */
static void record__settle_names(struct record *rec)
{
	if (rec->names && sampler__unwinds(rec->sampler)) {
		build_ids__find_interpreters(rec->build_ids);
		return;
	}
	interp_names__delete(rec->names);
	rec->names = NULL;
}

int record__new(const struct record_opts *opts, struct evlist *evlist, struct record **recp, struct errmsg *err)
{
	struct record *rec = calloc(1, sizeof(*rec));
	int ret;

	if (!rec)
		return errmsg__set(err, ENOMEM, "out of memory");
	rec->opts = opts;
	rec->evlist = evlist;
	rec->err = err;
	pthread_mutex_init(&rec->lock, NULL);
	if (keeps_files(opts))
		rec->kept = kept_files__new(opts->build_id_cache, opts->keep_all_files);
	rec->build_ids = build_ids__new(rec->kept);
	if (!rec->build_ids || (keeps_files(opts) && !rec->kept)) {
		record__delete(rec);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	ret = record__new_run(rec) ?: record__add_side_band(rec, err);
	if (!ret) {
		rec->result.counts = calloc(evlist->nr, sizeof(*rec->result.counts));
		rec->nr_told = calloc(evlist->nr, sizeof(*rec->nr_told));
		ret = rec->result.counts && rec->nr_told ? 0 : errmsg__set(err, ENOMEM, "out of memory");
	}
	if (!ret && opts->count)
		ret = record__prepare_counting(rec, err);
	if (!ret) {
		record__config_events(rec);
		ret = record__new_names(rec) ?: record__new_readers(rec) ?: record__choose_sources(rec, err) ?: record__new_trigger(rec);
		if (!ret)
			record__settle_names(rec);
	}
	if (!ret && opts->attr.overwrite && sampler__has_sources(rec->sampler))
		ret = errmsg__set(err, EINVAL, "--overwrite and samples that a BPF program makes, such as those of off-cpu, exclude each other: "
					       "their ring buffer keeps the oldest samples");
	if (ret) {
		record__delete(rec);
		return ret;
	}
	*recp = rec;
	return 0;
}

int record__ask_kernel(const struct record *rec, struct errmsg *err)
{
	return sampler__ask_kernel(rec->sampler, err);
}

void record__dump_filters(const struct record *rec, FILE *fp)
{
	sampler__dump_filters(rec->sampler, fp);
}

int record__dump_clauses(const struct record *rec, FILE *fp, struct errmsg *err)
{
	return sampler__dump_clauses(rec->sampler, fp, err);
}

void record__delete(struct record *rec)
{
	if (!rec)
		return;
	record__delete_readers(rec); /* their threads use the others */
	sampler__delete(rec->sampler);
	sampler__delete(rec->trigger);
	run__delete(rec->run);
	build_ids__delete(rec->build_ids);
	kept_files__delete(rec->kept);
	record__exit_output(rec);
	perfdata_features__exit(&rec->features);
	record_stream__exit(&rec->main);
	interp_names__delete(rec->names);
	pthread_mutex_destroy(&rec->lock);
	counted_samples__delete(rec->counted);
	copied_stacks__delete(rec->copies);
	free(rec->nr_told);
	free(rec->result.counts);
	free(rec->result.counted);
	free(rec);
}

/* The run */

/*
 * Enable the side-band first, so that nothing is missed between reading /proc and the kernel's records. If it has its own event,
 * samples start only after /proc was read: a task that ended before, and so has no name, has no samples either.
 */
static int record__start(struct record *rec)
{
	const bool waits = run__starts_disabled(rec->run), follows = run__follows_command(rec->run);
	int ret = 0;

	sampler__begin_work(rec->sampler);
	if (!follows && rec->side_band_first)
		ret = sampler__enable_side_band(rec->sampler, rec->err);
	else if (!follows)
		ret = sampler__enable(rec->sampler, rec->err);
	if (!ret && !record__writes_nothing(rec) && !rec->opts->synth.at_end)
		ret = record__synthesize(rec);
	if (!ret && !follows && rec->side_band_first && !waits)
		ret = sampler__enable(rec->sampler, rec->err);
	return ret ? ret : run__start(rec->run, rec->err);
}

/* Counts that cannot be read now are read, or explained, at the end. */
static void record__tell_progress(struct record *rec)
{
	struct record_progress progress = { .nr_samples = record__nr_samples(rec) };
	const u64 now = run_loop__now();
	struct sampler_counts counts;
	struct errmsg err;

	if (!rec->opts->progress || now < rec->next_progress)
		return;
	rec->next_progress = now + PROGRESS_MS;
	for (unsigned int i = 0; i < rec->evlist->nr; i++) {
		if (sampler__counts(rec->sampler, i, &counts, &err))
			continue;
		progress.filtered |= counts.filtered;
		progress.seen += counts.seen;
		progress.dropped += counts.dropped;
		progress.lost += counts.lost;
	}
	progress.bytes = record__bytes(rec);
	rec->opts->progress(&progress);
}

static int record__handle_progress(struct run_loop *loop, void *data, struct errmsg *err)
{
	record__tell_progress(data);
	return 0;
}

static int record__handle_sink(struct run_loop *loop, void *data, struct errmsg *err)
{
	const struct record *rec = data;

	if (rec->opts->sink->readable(rec->opts->sink->data))
		run_loop__end(loop);
	return 0;
}

/* A command's events end shortly before the command; wait for its exit status. */
static int record__handle_hang_up(struct run_loop *loop, void *data, struct errmsg *err)
{
	const struct record *rec = data;

	if (sampler__all_hung_up(rec->sampler) && !run__follows_command(rec->run))
		run_loop__end(loop);
	return 0;
}

/* Does nobody take the results any more? */
static bool output_is_full(const struct record_opts *opts)
{
	const struct record_rows *rows = opts->rows;
	const struct record_sink *sink = opts->sink;

	return (rows && rows->is_full && rows->is_full(rows->data)) || (sink && sink->is_full && sink->is_full(sink->data));
}

static int record__handle_rings(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct record *rec = data;
	const u64 now = run_loop__now();
	u64 nr_bytes;
	int ret;

	if (rec->kept && !rec->on_rings.ready && now < rec->next_drain)
		return record__fetch(rec, &nr_bytes);
	rec->next_drain = now + FLOW_MS;
	ret = record__drain(rec);
	if (!ret && output_is_full(rec->opts))
		run_loop__end(loop);
	if (!ret && now >= rec->next_names) {
		rec->next_names = now + NAMES_MS;
		if (rec->names && interp_names__are_due(rec->names))
			record__store_names(rec);
	}
	return ret ? ret : record__check_filters_hold(rec);
}

static int record__handle_round(struct run_loop *loop, void *data, struct errmsg *err)
{
	return record__end_round(data);
}

/* Between these two the loop does not wait for rings, but works. */
static int record__handle_work(struct run_loop *loop, void *data, struct errmsg *err)
{
	const struct record *rec = data;

	sampler__begin_work(rec->sampler);
	return 0;
}

static int record__handle_sleep(struct run_loop *loop, void *data, struct errmsg *err)
{
	const struct record *rec = data;

	sampler__end_work(rec->sampler);
	return 0;
}

static void record__add_handlers(struct record *rec)
{
	struct run_loop *loop = run__loop(rec->run);
	const unsigned int interval = rec->opts->interval;
	const u64 now = run_loop__now();

	run_loop__add_pass(loop, &rec->on_work, record__handle_work, rec);
	if (rec->opts->sink)
		run_loop__add_fd(loop, &rec->on_sink, rec->opts->sink->fd, record__handle_sink, rec);
	run_loop__add_pass(loop, &rec->on_hang_up, record__handle_hang_up, rec);
	record__add_reader_handlers(rec);
	run_loop__add_pass(loop, &rec->on_rings, record__handle_rings, rec);
	rec->on_rings.fd = sampler__epoll_fd(rec->sampler);
	if (rec->trigger)
		run_loop__add_fd(loop, &rec->on_trigger, sampler__epoll_fd(rec->trigger), record__handle_trigger, rec);
	if (interval)
		run_loop__add_timer(loop, &rec->on_round, now + interval, interval, record__handle_round, rec);
	rec->on_round.unless_over = true; /* the last round is at the end of the recording */
	run_loop__add_pass(loop, &rec->on_output, record__handle_output, rec);
	rec->on_output.due = record__next_file_due(rec);
	run_loop__add_pass(loop, &rec->on_progress, record__handle_progress, rec);
	rec->on_progress.unless_over = true;
	rec->next_progress = now + PROGRESS_MS;
	run_loop__add_pass(loop, &rec->on_sleep, record__handle_sleep, rec);
}

static int record__set_up(struct record *rec)
{
	int ret = run__prepare(rec->run, rec->err);

	if (!ret && rec->opts->realtime)
		ret = record__hurry(rec, rec->err);
	if (!ret)
		ret = record__open_events(rec);
	if (!ret)
		ret = record__open_output(rec);
	return ret;
}

static int record__record(struct record *rec)
{
	int ret, finish_ret;

	ret = record__start_readers(rec) ?: record__start(rec);
	if (!ret) {
		record__add_handlers(rec);
		ret = run__watch(rec->run, rec->err);
	}
	if (ret)
		rec->err = NULL; /* report the first error only */
	finish_ret = record__finish(rec);
	rec->result.bytes = record__bytes(rec);
	return ret ? ret : finish_ret;
}

/* The recording is complete without them, and signals may end perf. */
static void record__finish_copies(struct record *rec)
{
	struct errmsg err;

	if (!rec->kept || !kept_files__finish(rec->kept, &err) || !rec->opts->run.note)
		return;
	errmsg__prefix(&err, "Some files of containers, or deleted ones, were not copied to the build-id cache (-N copies none), so that their "
		       "functions will have no names when their processes have ended");
	rec->opts->run.note(rec->opts->run.note_data, err.text);
}

int record__run(struct record *rec, struct record_result *result, struct errmsg *err)
{
	int ret;

	rec->err = err;
	ret = record__set_up(rec);
	if (!ret)
		ret = record__record(rec);
	rec->result.exit_code = run__finish(rec->run);
	record__finish_copies(rec);
	*result = rec->result;
	return ret;
}
