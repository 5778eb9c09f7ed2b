// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

#include <errno.h>
#include "builtin.h"
#include "cmd/sched/file.h"
#include "cmd/sched/latency.h"
#include "cmd/sched/stacks.h"
#include "util/callchain/skip-frames.h"
#include "util/lib/log.h"
#include "util/source/recorded-filter.h"
#include "util/source/sched-events.h"

struct latency_file {
	struct sched_latency_options *o;
	struct sched_file file;
	struct filter *filter; /* NULL: none */
	struct filter_table table;
	struct sched_events *events;
	struct sched_stacks *stacks;
	u64 last_time;
};

static struct sched_task task_of(const struct thread *thread, const char *comm)
{
	return (struct sched_task){ .key = thread, .tid = thread->tid, .pid = thread->pid == (u32)-1 ? 0 : thread->pid, .comm = comm };
}

static bool is_counted(const struct latency_file *f, const struct perf_sample *raw)
{
	return selection__has_cpu(&f->file.selection, raw->cpu) && sched_file__is_in_time(&f->file, raw->time);
}

static int take_switch(struct latency_file *f, const struct session_sample *sample)
{
	struct sched_switch_hit hit;
	struct sched_switch sw = { .time = sample->sample->time, .cpu = sample->sample->cpu };
	const struct sched_frames *frames = NULL;

	if (!sched_file__read_switch(&f->file, sample, &hit))
		return 0;
	sw.prev = task_of(hit.prev, hit.prev_comm);
	sw.next = task_of(hit.next, hit.next_comm);
	sw.runnable = hit.state == 'R';
	sw.counted = is_counted(f, sample->sample);
	if (f->o->sched.stacks && sched_stacks__find(&f->stacks, sample->chain, SCHED_MAX_FRAMES, &frames))
		return -ENOMEM;
	sw.place = frames;
	return sched_events__switch(f->events, &sw);
}

static int take_other(struct latency_file *f, const struct session_sample *sample, enum sched_hit_kind kind)
{
	char text[SCHED_COMM_LEN];
	struct sched_task task;
	const char *comm;
	struct thread *thread;
	u64 ns;

	if (kind != SCHED_HIT_WAKING && kind != SCHED_HIT_RUNTIME)
		return 0;
	thread = sched_file__read_task(&f->file, sample, &comm, text);
	if (!thread)
		return 0;
	task = task_of(thread, comm);
	if (kind == SCHED_HIT_WAKING)
		return sched_events__wake(f->events, &task, sample->sample->time);
	if (!sched_file__number(&f->file, sample, "runtime", &ns))
		return 0;
	return sched_events__run(f->events, &task, ns, is_counted(f, sample->sample));
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct latency_file *f = data;
	const enum sched_hit_kind kind = sched_file__kind(&f->file, sample);

	if (kind && sample->sample->time > f->last_time)
		f->last_time = sample->sample->time;
	return kind == SCHED_HIT_SWITCH ? take_switch(f, sample) : take_other(f, sample, kind);
}

static int take_row(void *data, const struct sched_row *row, const void *key, const void *place, struct errmsg *err)
{
	const struct thread *thread = key;
	struct latency_file *f = data;

	return sched_rows__add(f->o->rows, row, thread->comm_set || !*row->comm ? thread->comm : row->comm, place) ?
	       errmsg__set(err, ENOMEM, "out of memory for rows") : 0;
}

static int read_all(struct latency_file *f)
{
	static const struct session_ops ops = { .sample = take_sample };
	struct errmsg err;
	int ret = sched_file__run(&f->file, &ops, f, f->o->sched.stacks ? SESSION_CHAINS : SESSION_ADDRESSES);

	if (ret)
		return ret;
	if (sched_events__finish(f->events, f->last_time, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	ret = sched_latency__print(f->o, sched_events__totals(f->events));
	sched_file__print_lost(&f->file);
	sched_latency__notes(f->o, sched_events__totals(f->events));
	return ret ?: sched_file__status(&f->file);
}

static int read_file(struct latency_file *f)
{
	struct sched_events_opts opts = { .sched = &f->o->sched, .row = take_row, .data = f };
	struct errmsg err;
	int ret;

	if (recorded_filter__compile(f->o->filter_text, &f->filter, &f->table, "recorded waits for CPUs", "pid, tid and comm of the task that gets a "
				     "CPU, cpu and time, and its wait as period", "perf sched record", &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	ret = sched_file__open(&f->file);
	if (ret)
		return ret;
	opts.filter = f->filter ? &f->table : NULL;
	opts.has_runtimes = f->file.hits.kinds >> SCHED_HIT_RUNTIME & 1;
	f->events = sched_events__new(&opts);
	if (!f->events) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	return read_all(f);
}

int sched_latency__read_file(struct sched_latency_options *o)
{
	struct latency_file f = {
		.o = o, .file = { .reading = o->reading, .selection = { .times = o->times, .cpus = o->recording.opts.run.cpus } },
	};
	int ret;

	o->reading->verbose = o->recording.verbose;
	o->reading->skip_frames = SKIP_BPF; /* as while perf watches: what calls the tracepoint */
	ret = read_file(&f);
	sched_events__delete(f.events);
	sched_stacks__delete(f.stacks);
	filter__delete(f.filter);
	sched_file__close(&f.file);
	return ret;
}
