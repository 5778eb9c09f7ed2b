// SPDX-License-Identifier: GPL-2.0
#include "util/record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "util/lib/fs.h"
#include "util/perfdata/compress.h"
#include "util/perfdata/features.h"
#include "util/perfdata/sample.h"
#include "util/perfdata/writer.h"
#include "util/record/attrs.h"
#include "util/record/counted-samples.h"
#include "util/record/header.h"
#include "util/record/sample-counts.h"
#include "util/record/signals.h"
#include "util/record/target.h"
#include "util/record/workload.h"
#include "util/synth/build-ids.h"
#include "util/synth/synth.h"

/* A ring wakes us when it is half full; what a slow event leaves in it is fetched after this long, in case perf is killed. */
#define FLOW_MS 1000

#define MAX_OPENINGS 10 /* of a target that does not stand still */

struct record {
	const struct record_opts *opts;
	struct evlist *evlist;
	struct record_target target;
	struct sampler *sampler;
	struct perfdata_writer *writer;
	struct perfdata_features features;
	struct workload workload;
	struct signals signals;
	unsigned int time_pos;	/* see evlist__time_pos */
	struct sample_counts *samples; /* NULL: there is one event only */
	struct build_ids *build_ids; /* of files that were mapped while it runs */
	struct counted_samples *counted; /* NULL: the kernel counts nothing */
	u64 nr_unpacked, nr_packed; /* bytes that were compressed */
	u64 next_round;		/* ms of the monotonic clock; only with opts->interval */
	int signo;		/* of the signal that ended the recording; 0: none */
	bool failed;		/* the output did: err of the write is in *err */
	struct record_result result;
	struct errmsg *err;	/* of the running call, for callbacks */
};

unsigned int record__max_freq(void)
{
	int rate;

	return fs__read_int("/proc/sys/kernel/perf_event_max_sample_rate", &rate) || rate < 0 ? 0 : rate;
}

static bool follows_command(const struct record *rec)
{
	return rec->opts->argv && !rec->opts->system_wide && !rec->target.nr_tids;
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

static int record__check_filters(struct record *rec, struct errmsg *err)
{
	const struct sampler_scope scope = {
		.program = rec->opts->argv ? rec->opts->argv[0] : NULL,
		.pids = rec->target.pids,
		.nr_pids = rec->target.nr_pids,
		.explain = rec->opts->explain,
		.count = rec->opts->count,
		.hist = rec->opts->hist,
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

/* Are samples written one by one? */
static bool record__writes_each(const struct record *rec)
{
	return !rec->opts->count || rec->opts->count->both;
}

static void record__config_events(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	const bool each = record__writes_each(rec);
	struct attr_opts attr_opts = {
		.freq = opts->freq,
		.period = opts->period,
		.rate_set = opts->rate_set,
		/* The stacks that are counted are taken by BPF: the walk costs most of all, and would be done twice. */
		.callchain = opts->callchain && each,
		.stack_dump = opts->stack_dump,
		.defer = opts->defer,
		.addr = opts->addr,
		.cpu = opts->sample_cpu || (each && opts->system_wide),
		.sample_period = opts->sample_period,
		.inherit = !opts->no_inherit,
		.enable_on_exec = follows_command(rec),
		.monotonic = opts->count,
		.identifier = opts->count && each,
	};

	if (opts->count)
		attr_opts.cpu |= !!(opts->count->key & COUNTER_KEY_CPU);
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
	rec->signals.fd = -1;
	rec->workload.fd = -1;
	rec->build_ids = build_ids__new();
	if (!rec->build_ids) {
		record__delete(rec);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	ret = needs_everywhere(opts, evlist) ? evlist__add_everywhere(evlist, err) : 0;
	if (!ret) {
		rec->result.counts = calloc(evlist->nr, sizeof(*rec->result.counts));
		ret = rec->result.counts ? 0 : errmsg__set(err, ENOMEM, "out of memory");
	}
	if (!ret && opts->count)
		ret = record__prepare_counting(rec, err);
	if (!ret)
		ret = record_target__resolve(&rec->target, opts->pids, opts->tids, opts->cpus, err);
	if (!ret) {
		record__config_events(rec);
		ret = record__check_filters(rec, err);
	}
	if (ret) {
		record__delete(rec);
		return ret;
	}
	*recp = rec;
	return 0;
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
	build_ids__delete(rec->build_ids);
	perfdata_writer__delete(rec->writer);
	perfdata_features__exit(&rec->features);
	record_target__exit(&rec->target);
	signals__release(&rec->signals);
	sample_counts__delete(rec->samples);
	counted_samples__delete(rec->counted);
	free(rec->result.counts);
	free(rec->result.counted);
	free(rec);
}

/* Set-up */

static int record__open_target(struct record *rec)
{
	const struct record_opts *opts = rec->opts;
	const struct sampler_target target = {
		.system_wide = opts->system_wide,
		.cpus = rec->target.cpus,
		.tids = follows_command(rec) ? &rec->workload.pid : rec->target.tids,
		.nr_tids = follows_command(rec) ? 1 : rec->target.nr_tids,
		.inherit = !opts->no_inherit,
	};
	const struct sampler_opts sampler_opts = {
		.mmap_pages = opts->mmap_pages,
		.note = opts->note,
		.note_data = opts->note_data,
	};

	return sampler__open(rec->sampler, &target, &sampler_opts, rec->err);
}

/* A tracepoint's filter is that of the event which others have inherited; a program has to be inherited itself. */
static bool record__has_program(const struct record *rec)
{
	if (rec->opts->count)
		return true;
	for (unsigned int i = 0; i < rec->evlist->nr; i++) {
		if (rec->evlist->evsel[i]->filter && !rec->evlist->evsel[i]->tp)
			return true;
	}
	return sampler__has_sources(rec->sampler);
}

/*
 * A thread that starts while events are opened inherits them, unless its parent had none yet; and nothing tells whether it
 * has. So the threads are listed again once all is open: if none is new, each has its events, and those to come will inherit
 * them. Else all is opened anew. With filters that goes for processes, too: what is inherited before the filter is
 * attached has none.
 */
static int record__open_tasks(struct record *rec)
{
	bool programs = record__has_program(rec);
	int tries, ret;

	ret = programs ? record_target__update_children(&rec->target, rec->err) : 0;
	for (tries = 1; ret >= 0; tries++) {
		ret = record__open_target(rec);
		if (!ret && rec->opts->pids)
			ret = record_target__update(&rec->target, rec->err);
		if (!ret && programs)
			ret = record_target__update_children(&rec->target, rec->err);
		if (ret <= 0)
			return ret;
		if (tries == MAX_OPENINGS)
			break;
		sampler__close(rec->sampler);
	}
	if (ret > 0 && programs)
		return errmsg__set(rec->err, EAGAIN, "The processes start others faster than filters can be attached to them. Take -a with "
				   "--filter 'pid == ... && ...'");
	if (ret > 0 && rec->opts->note)
		rec->opts->note(rec->opts->note_data, "The processes start threads faster than events can be opened on them: some threads "
				"may not be recorded. Take -a with --filter 'pid == ...'");
	return ret < 0 ? ret : 0;
}

static int record__open_events(struct record *rec)
{
	if ((rec->opts->pids || rec->opts->tids) && !rec->opts->no_inherit)
		return record__open_tasks(rec);
	return record__open_target(rec);
}

/* Takes over name. */
static int record__describe_event(struct record *rec, const struct perf_event_attr *attr, const u64 *ids, u32 nr_ids, char *name)
{
	struct perfdata_event *event = &rec->features.event_desc[rec->features.nr_event_desc++];

	event->attr = *attr;
	event->name = name;
	event->ids = malloc(nr_ids * sizeof(*ids));
	if (!event->ids || !name)
		return -ENOMEM;
	memcpy(event->ids, ids, nr_ids * sizeof(*ids));
	event->nr_ids = nr_ids;
	return 0;
}

static bool record__counts_event(const struct record *rec, const struct evsel *evsel)
{
	return rec->counted && !evsel->everywhere;
}

/* Ids of the kernel count from 1. */
#define COUNTED_ID(idx) (1ULL << 63 | (idx))

/* Where each sample is written and counted as well, what is counted is an event of its own in the file. */
static int record__describe_counted(struct record *rec)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < rec->evlist->nr && !ret; i++) {
		const struct evsel *evsel = rec->evlist->evsel[i];
		struct perf_event_attr attr = evsel->attr;
		const u64 id = COUNTED_ID(i);
		char *name;

		if (!record__counts_event(rec, evsel))
			continue;
		if (asprintf(&name, "%s (counted)", evsel->name) < 0)
			return -ENOMEM;
		counted_samples__describe(rec->counted, i, id, &attr);
		ret = record__describe_event(rec, &attr, &id, 1, name);
	}
	return ret;
}

/* EVENT_DESC of the header says the same as the attrs at the file's beginning, and the names too. */
static int record__describe_events(struct record *rec)
{
	unsigned int i;
	int ret = 0;

	rec->features.event_desc = calloc(2 * rec->evlist->nr, sizeof(*rec->features.event_desc));
	if (!rec->features.event_desc)
		return -ENOMEM;
	for (i = 0; i < rec->evlist->nr && !ret; i++) {
		const struct evsel *evsel = rec->evlist->evsel[i];
		struct perf_event_attr attr = evsel->attr;
		u32 nr_ids;
		const u64 *ids = sampler__ids(rec->sampler, i, &nr_ids);

		if (!record__writes_each(rec) && record__counts_event(rec, evsel))
			counted_samples__describe(rec->counted, i, ids[0], &attr);
		ret = record__describe_event(rec, &attr, ids, nr_ids, strdup(evsel->name));
	}
	if (!ret && rec->counted && record__writes_each(rec))
		ret = record__describe_counted(rec);
	return ret;
}

static int record__describe_groups(struct record *rec)
{
	struct perfdata_features *f = &rec->features;
	unsigned int i;

	f->group = calloc(rec->evlist->nr, sizeof(*f->group));
	if (!f->group)
		return -ENOMEM;
	for (i = 0; i < rec->evlist->nr; i++) {
		const struct evsel *leader = rec->evlist->evsel[i];
		struct perfdata_group *group = &f->group[f->nr_group];

		if (leader->nr_members < 2)
			continue;
		*group = (struct perfdata_group){
			.name = strdup(leader->group_name ?: PERFDATA_ANON_GROUP),
			.leader = i,
			.nr_members = leader->nr_members,
		};
		if (!group->name)
			return -ENOMEM;
		f->nr_group++;
	}
	return 0;
}

static int record__count_by_event(struct record *rec)
{
	const u64 *ids;
	unsigned int i;
	u32 nr;

	if (rec->evlist->nr == 1)
		return 0;
	rec->samples = sample_counts__new(rec->evlist->nr);
	if (!rec->samples)
		return -ENOMEM;
	for (i = 0; i < rec->evlist->nr; i++) {
		ids = sampler__ids(rec->sampler, i, &nr);
		if (sample_counts__add_ids(rec->samples, i, ids, nr))
			return -ENOMEM;
	}
	sample_counts__sort_ids(rec->samples);
	return 0;
}

static int record__open_output(struct record *rec)
{
	const struct record_sink *sink = rec->opts->sink;
	int ret;

	if (record__describe_events(rec) || record__describe_groups(rec) || record__count_by_event(rec))
		return errmsg__set(rec->err, ENOMEM, "out of memory");
	ret = sink ? sink->begin(sink->data, rec->features.event_desc, rec->features.nr_event_desc, rec->err) : 0;
	if (ret || !rec->opts->output)
		return ret;
	ret = perfdata_writer__open(rec->opts->output, &rec->writer, rec->err);
	if (ret)
		return ret;
	return perfdata_writer__set_events(rec->writer, rec->features.event_desc, rec->features.nr_event_desc, rec->err);
}

/* Records on their way to the file */

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

static int record__write(void *data, const void *records, size_t size)
{
	int ret = record__write_file(data, records, size);

	return ret < 0 ? ret : record__write_sink(data, records, size);
}

/* What was counted comes in large runs, which are worth packing. */
static int record__write_counted(void *data, const void *records, size_t size)
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

static int record__write_marker(struct record *rec, u32 type)
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

static int record__drain(struct record *rec)
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

/* Rounds of counting */

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

struct counted_evsel { /* whose keys are being collected */
	struct record *rec;
	unsigned int idx;
};

static int record__take_key(void *data, const struct counter_row *row)
{
	const struct counted_evsel *of = data;
	const struct record_rows *rows = of->rec->opts->rows;

	if (rows)
		return rows->row(rows->data, of->idx, row, of->rec->err);
	return counted_samples__add(of->rec->counted, of->idx, row, of->rec->err);
}

static int record__collect(struct record *rec)
{
	struct counted_evsel of = { .rec = rec };
	int ret = 0;

	for (; of.idx < rec->evlist->nr && !ret; of.idx++) {
		if (record__counts_event(rec, rec->evlist->evsel[of.idx]))
			ret = sampler__collect(rec->sampler, of.idx, record__take_key, &of, rec->err);
	}
	return ret ? ret : counted_samples__write(rec->counted, record__write_counted, rec);
}

/* Fetching the records of maps and tasks last makes sure that those that a sample needs are there. */
static int record__end_round(struct record *rec)
{
	const struct record_sink *sink = rec->opts->sink;
	const struct record_rows *rows = rec->opts->rows;
	int ret = record__collect(rec);

	if (!ret)
		ret = record__drain(rec);
	if (!ret)
		ret = record__write_marker(rec, PERF_RECORD_FINISHED_ROUND);
	if (!ret && sink)
		ret = sink->round(sink->data, rec->err);
	if (!ret && rows)
		ret = rows->round(rows->data, rec->err);
	return ret;
}

static int record__handle_round(struct record *rec)
{
	u64 now = now_ms();

	if (!rec->next_round || now < rec->next_round)
		return 0;
	/* What was missed (perf was stopped, or too slow) is not made up for. */
	rec->next_round += (now - rec->next_round) / rec->opts->interval * rec->opts->interval + rec->opts->interval;
	return record__end_round(rec);
}

/* How long the loop may wait, in ms */
static int record__patience(const struct record *rec)
{
	u64 now = now_ms();

	if (!rec->next_round || rec->next_round > now + FLOW_MS)
		return FLOW_MS;
	return rec->next_round > now ? rec->next_round - now : 0;
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

	if (!ret && rec->opts->system_wide)
		ret = synth__all_processes(synth);
	for (i = 0; i < rec->target.nr_pids && !ret; i++)
		ret = synth__process(synth, rec->target.pids[i]);
	return ret ? ret : synth__flush(synth);
}

static int record__synthesize(struct record *rec)
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

/* The run */

/* Events first, so that nothing is missed between what /proc tells and what the kernel reports. */
static int record__start(struct record *rec)
{
	int ret = 0;

	if (!follows_command(rec))
		ret = sampler__enable(rec->sampler, rec->err);
	if (!ret && !rec->opts->rows)
		ret = record__synthesize(rec);
	if (!ret && rec->opts->argv)
		ret = workload__exec(&rec->workload, rec->err);
	return ret;
}

/* True: a signal or the command's end says that it is over. */
static bool record__handle_signals(struct record *rec)
{
	bool over = false;
	int signo;

	while ((signo = signals__next(&rec->signals))) {
		if (signo == SIGCHLD) {
			over |= workload__reap(&rec->workload);
		} else {
			rec->signo = signo;
			over = true;
		}
	}
	return over;
}

static int record__loop(struct record *rec)
{
	const struct record_sink *sink = rec->opts->sink;
	struct pollfd fds[] = {
		{ .fd = sampler__epoll_fd(rec->sampler), .events = POLLIN },
		{ .fd = rec->signals.fd, .events = POLLIN },
		{ .fd = sink ? sink->fd : -1, .events = POLLIN },
	};
	bool over = false;
	int ret = 0;

	if (rec->opts->interval)
		rec->next_round = now_ms() + rec->opts->interval;
	while (!ret && !over) {
		if (poll(fds, ARRAY_SIZE(fds), record__patience(rec)) < 0 && errno != EINTR)
			return errmsg__set(rec->err, errno, "cannot wait for events: %s", strerror(errno));
		over = record__handle_signals(rec);
		if (fds[2].revents)
			over |= sink->readable(sink->data);
		/* A command's events end a little before it does; its exit status is worth waiting for. */
		if (sampler__all_hung_up(rec->sampler) && !follows_command(rec))
			over = true;
		ret = record__drain(rec);
		if (!ret && !over)
			ret = record__handle_round(rec);
	}
	return ret;
}

/* The end */

/* One record tells, for one event, how many samples are not in the file: lost by the kernel (misc 0) or dropped by BPF. */
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
 * Of an event with a filter it is known which samples should be in the file, and if they are counted, none. Fewer: the others were
 * lost. More: the program was not in force somewhere, as in a process that inherited the event before it was attached to it.
 */
static int record__compare_counts(struct record *rec, unsigned int event)
{
	struct sampler_counts *counts = &rec->result.counts[event];
	u64 kept = record__writes_each(rec) ? counts->seen - counts->dropped : 0;
	u64 written = rec->samples ? sample_counts__of(rec->samples, event) : rec->result.nr_samples;

	if (!counts->filtered || counts->off_cpu)
		return 0;
	if (written > kept)
		return errmsg__set(rec->err, EAGAIN, "%" PRIu64 " samples of %s were written that its filter has not kept: do not use the "
				   "file.\nIf what you attach to starts processes all the time, record with -a instead.",
				   written - kept, rec->evlist->evsel[event]->name);
	counts->lost = kept - written;
	counts->lost_known = true;
	return 0;
}

/* What was kept but could not be counted is missing in the event that the counted samples are of. */
static int record__write_uncounted(struct record *rec, const struct evsel *evsel, u64 id)
{
	const struct counter_counts *counted = &rec->result.counted[evsel->idx];
	int ret = record__write_missing(rec, evsel, id, counted->lost_keys + counted->lost_spill, 0);

	return ret ? ret : record__write_missing(rec, evsel, id, counted->dropped, PERF_RECORD_MISC_LOST_SAMPLES_BPF_);
}

static int record__read_counts(struct record *rec, const struct evsel *evsel)
{
	struct sampler_counts *counts = &rec->result.counts[evsel->idx];
	struct counter_counts *counted;
	int ret = sampler__counts(rec->sampler, evsel->idx, counts, rec->err);

	if (ret || !record__counts_event(rec, evsel))
		return ret;
	counted = &rec->result.counted[evsel->idx];
	ret = sampler__counter_counts(rec->sampler, evsel->idx, counted, rec->err);
	counts->filtered = true;
	counts->seen = counted->seen;
	counts->dropped = counted->dropped;
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
	ret = record__write_missing(rec, evsel, id, counts->lost, 0);
	return ret ? ret : record__write_missing(rec, evsel, id, counts->dropped, PERF_RECORD_MISC_LOST_SAMPLES_BPF_);
}

static int record__write_counts(struct record *rec)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < rec->evlist->nr && !ret; i++)
		ret = record__write_counts_of(rec, rec->evlist->evsel[i]);
	return ret;
}

/* Times and numbers of samples, for the header and the caller */
static void record__total_counted(struct record *rec)
{
	const struct counted_totals *totals = counted_samples__totals(rec->counted);
	struct perfdata_features *f = &rec->features;

	rec->result.nr_counted = totals->nr_samples;
	rec->result.nr_keys = totals->nr_records;
	if (!totals->nr_records)
		return;
	if (!rec->result.nr_samples || totals->first_time < f->sample_time_first)
		f->sample_time_first = totals->first_time;
	if (totals->last_time > f->sample_time_last)
		f->sample_time_last = totals->last_time;
}

static int record__finish(struct record *rec)
{
	int ret;

	sampler__disable(rec->sampler);
	ret = record__drain(rec);
	if (!ret && rec->counted)
		ret = record__end_round(rec);
	if (!ret)
		ret = record__write_counts(rec);
	if (rec->counted)
		record__total_counted(rec);
	if (ret || !rec->writer)
		return ret;
	header__collect(&rec->features, rec->evlist, rec->opts);
	header__add(rec->writer, &rec->features, rec->opts);
	return perfdata_writer__finish(rec->writer, rec->err);
}

static int record__set_up(struct record *rec)
{
	int ret = signals__take(&rec->signals, rec->err);

	if (!ret && rec->opts->argv)
		ret = workload__fork(&rec->workload, rec->opts->argv, &rec->signals, rec->err);
	if (!ret)
		ret = record__open_events(rec);
	if (!ret)
		ret = record__open_output(rec);
	return ret;
}

static int record__record(struct record *rec)
{
	int ret, finish_ret = 0;

	ret = record__start(rec);
	if (!ret)
		ret = record__loop(rec);
	/* What is in the file gets its header, whatever else went wrong; the first error is the one to tell. */
	if (ret)
		rec->err = NULL;
	if (!rec->failed)
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
