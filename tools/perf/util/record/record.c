// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "util/lib/fs.h"
#include "util/record/attrs.h"

#define PROGRESS_MS 1000

unsigned int record__max_freq(void)
{
	int rate;

	return fs__read_int("/proc/sys/kernel/perf_event_max_sample_rate", &rate) || rate < 0 ? 0 : rate;
}

/*
 * Tasks start, exec and map on CPUs that are not recorded, or in other cgroups, and come to those that are: an event of its own
 * sees all that.
 */
static bool needs_everywhere(const struct record_opts *opts, const struct evlist *evlist)
{
	unsigned int i;

	for (i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->cgroup)
			return true;
	}
	return opts->system_wide && opts->cpus;
}

/*
 * An event of its own tells of tasks where that has to begin before samples are taken (while /proc is read, or the recording waits), or where
 * it has to reach farther than they do.
 */
static int record__add_side_band(struct record *rec, struct errmsg *err)
{
	const struct record_opts *opts = rec->opts;
	const bool everywhere = needs_everywhere(opts, rec->evlist);
	const bool reads_proc = opts->system_wide && !opts->rows && !opts->synth.at_end && !opts->synth.no_tasks;

	rec->side_band_first = everywhere || reads_proc || record__starts_disabled(rec) || opts->attr.overwrite;
	return rec->side_band_first ? evlist__add_side_band(rec->evlist, everywhere, err) : 0;
}

static int record__check_filters(struct record *rec, struct errmsg *err)
{
	const struct sampler_scope scope = {
		.program = rec->opts->argv ? rec->opts->argv[0] : NULL,
		.pids = rec->target.pids,
		.nr_pids = rec->target.nr_pids,
		.explain = rec->opts->explain,
		.count = rec->opts->count,
		.histogram = rec->opts->histogram,
		.off_cpu = &rec->opts->off_cpu,
	};

	return sampler__new_scoped(rec->evlist, &scope, &rec->sampler, err);
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

	/* The stacks that are counted are taken by BPF: the walk costs most of all, and would be done twice. */
	attr_opts.no_chains = !each;
	attr_opts.cpu |= (each && opts->system_wide) || (opts->count && opts->count->key & TALLY_KEY_CPU);
	attr_opts.inherit = !opts->no_inherit;
	attr_opts.enable_on_exec = record__follows_command(rec);
	attr_opts.delayed = record__starts_disabled(rec);
	if (opts->count) { /* what BPF programs can tell */
		attr_opts.use_clockid = true;
		attr_opts.clockid = CLOCK_MONOTONIC;
	}
	attr_opts.identifier |= opts->count && each;
	evlist__config_attrs(rec->evlist, &attr_opts);
	rec->time_pos = evlist__time_pos(rec->evlist);
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
	rec->signals.fd = -1;
	rec->workload.fd = -1;
	rec->control_fd = opts->control ? opts->control->fd : -1;
	rec->build_ids = build_ids__new();
	if (!rec->build_ids) {
		record__delete(rec);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	ret = record__add_side_band(rec, err);
	if (!ret) {
		rec->result.counts = calloc(evlist->nr, sizeof(*rec->result.counts));
		rec->nr_told = calloc(evlist->nr, sizeof(*rec->nr_told));
		ret = rec->result.counts && rec->nr_told ? 0 : errmsg__set(err, ENOMEM, "out of memory");
	}
	if (!ret && opts->count)
		ret = record__prepare_counting(rec, err);
	if (!ret)
		ret = record_target__resolve(&rec->target, opts->pids, opts->tids, opts->cpus, err);
	if (!ret) {
		record__config_events(rec);
		ret = record__check_filters(rec, err) ?: record__new_trigger(rec);
	}
	if (!ret && opts->attr.overwrite && sampler__has_sources(rec->sampler))
		ret = errmsg__set(err, EINVAL, "--overwrite does not go with samples that a BPF program makes, as those of off-cpu: their ring "
				  "keeps what is old");
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
	workload__end(&rec->workload);
	sampler__delete(rec->sampler);
	sampler__delete(rec->trigger);
	build_ids__delete(rec->build_ids);
	record__exit_output(rec);
	perfdata_features__exit(&rec->features);
	record_target__exit(&rec->target);
	signals__release(&rec->signals);
	sample_counts__delete(rec->samples);
	counted_samples__delete(rec->counted);
	free(rec->nr_told);
	free(rec->result.counts);
	free(rec->result.counted);
	free(rec);
}

/* The run */

/*
 * What tells of tasks is enabled first, so that nothing is missed between what /proc tells and what the kernel reports. If that is an event of
 * its own, samples are taken only after /proc was read: a task that ended before, and so has no name, has no samples either.
 */
static int record__start(struct record *rec)
{
	const bool waits = record__starts_disabled(rec), follows = record__follows_command(rec);
	int ret = 0;

	if (!follows && rec->side_band_first)
		ret = sampler__enable_side_band(rec->sampler, rec->err);
	else if (!follows)
		ret = sampler__enable(rec->sampler, rec->err);
	if (!ret && !rec->opts->rows && !rec->opts->synth.at_end)
		ret = record__synthesize(rec);
	if (!ret && !follows && rec->side_band_first && !waits)
		ret = sampler__enable(rec->sampler, rec->err);
	if (!ret && rec->opts->argv)
		ret = workload__exec(&rec->workload, rec->err);
	return ret ? ret : record__begin_spans(rec);
}

/* True: a signal or the command's end says that it is over. */
static bool record__handle_signals(struct record *rec)
{
	bool over = false;
	int signo;

	while ((signo = signals__next(&rec->signals))) {
		if (signo == SIGCHLD) {
			over |= workload__reap(&rec->workload);
		} else if (signo == rec->opts->switching.signo) {
			rec->switch_wanted = true;
		} else {
			rec->signo = signo;
			over = true;
		}
	}
	return over;
}

/* Counts that cannot be read now are told at the end, or why they cannot. */
static void record__tell_progress(struct record *rec)
{
	struct record_progress progress = { .nr_samples = rec->result.nr_samples };
	const u64 now = record__now_ms();
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
	if (rec->writer)
		progress.bytes = perfdata_writer__bytes(rec->writer);
	rec->opts->progress(&progress);
}

static int record__loop(struct record *rec)
{
	const struct record_sink *sink = rec->opts->sink;
	struct pollfd fds[] = {
		{ .fd = sampler__epoll_fd(rec->sampler), .events = POLLIN },
		{ .fd = rec->signals.fd, .events = POLLIN },
		{ .fd = sink ? sink->fd : -1, .events = POLLIN },
		{ .events = POLLIN },
		{ .fd = rec->trigger ? sampler__epoll_fd(rec->trigger) : -1, .events = POLLIN },
	};
	bool over = false;
	int ret = 0;

	record__begin_rounds(rec);
	rec->next_progress = record__now_ms() + PROGRESS_MS;
	while (!ret && !over) {
		fds[3].fd = rec->control_fd;
		if (poll(fds, ARRAY_SIZE(fds), record__patience(rec)) < 0 && errno != EINTR)
			return errmsg__set(rec->err, errno, "cannot wait for events: %s", strerror(errno));
		over = record__handle_signals(rec);
		if (fds[2].revents)
			over |= sink->readable(sink->data);
		/* A command's events end a little before it does; its exit status is worth waiting for. */
		if (sampler__all_hung_up(rec->sampler) && !record__follows_command(rec))
			over = true;
		ret = record__handle_spans(rec, &over);
		if (!ret && fds[3].revents)
			ret = record__handle_control(rec, &over);
		if (!ret)
			ret = record__drain(rec) ?: record__check_filters_hold(rec);
		if (!ret && fds[4].revents)
			ret = record__handle_trigger(rec);
		if (!ret && !over)
			ret = record__handle_round(rec);
		if (!ret)
			ret = record__handle_size(rec, &over);
		if (!ret && !over)
			record__tell_progress(rec);
	}
	return ret;
}

/* The command was forked before, and is none of this. */
static int record__hurry(struct record *rec)
{
	const struct sched_param param = { .sched_priority = rec->opts->realtime };
	const char *remedy;

	if (!sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		return 0;
	remedy = errno == EPERM ? ". That takes CAP_SYS_NICE, or a limit by ulimit -r" : errno == EINVAL ? ". It may be 1 to 99" : "";
	return errmsg__set(rec->err, errno, "cannot record with realtime priority %d: %s%s", rec->opts->realtime, strerror(errno), remedy);
}

static int record__set_up(struct record *rec)
{
	int ret = signals__take(&rec->signals, rec->opts->switching.signo, rec->err);

	if (!ret && rec->opts->argv)
		ret = workload__fork(&rec->workload, rec->opts->argv, &rec->signals, rec->opts->output && !strcmp(rec->opts->output, "-"),
				     rec->err);
	if (!ret && rec->opts->realtime)
		ret = record__hurry(rec);
	if (!ret)
		ret = record__open_events(rec);
	if (!ret)
		ret = record__open_output(rec);
	return ret;
}

static int record__record(struct record *rec)
{
	int ret, finish_ret;

	ret = record__start(rec);
	if (!ret)
		ret = record__loop(rec);
	if (ret)
		rec->err = NULL; /* the first error is the one to tell */
	finish_ret = record__finish(rec);
	if (rec->writer)
		rec->result.bytes = perfdata_writer__bytes(rec->writer);
	return ret ? ret : finish_ret;
}

static int record__exit_code(const struct record *rec, bool ended_by_us)
{
	if (rec->signo)
		return 128 + rec->signo;
	return rec->opts->argv && !ended_by_us ? workload__exit_code(&rec->workload) : 0;
}

int record__run(struct record *rec, struct record_result *result, struct errmsg *err)
{
	bool ended_by_us;
	int ret;

	rec->err = err;
	ret = record__set_up(rec);
	if (!ret)
		ret = record__record(rec);
	/* The file is done; another Ctrl-C from now on ends perf itself, should the command not heed SIGTERM. */
	signals__release(&rec->signals);
	ended_by_us = !workload__reap(&rec->workload);
	workload__end(&rec->workload);
	rec->result.exit_code = record__exit_code(rec, ended_by_us);
	*result = rec->result;
	return ret;
}
