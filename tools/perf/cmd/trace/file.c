// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "trace"

#include "cmd/trace/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "builtin.h"
#include "cmd/read/options.h"
#include "cmd/read/recorded-hits.h"
#include "cmd/read/selection.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/session/session.h"
#include "util/source/trace-pairs.h"

enum hit_kind { HIT_OTHER, HIT_BEGIN, HIT_END };

static const struct recorded_hit_name names[] = { { HIT_BEGIN, "raw_syscalls:sys_enter" }, { HIT_END, "raw_syscalls:sys_exit" } };

struct trace_reading {
	struct trace_options *o;
	struct session *session;
	struct selection selection;
	struct trace_pairs *pairs;
	struct recorded_hits hits; /* their kinds are of enum hit_kind */
};

static void refuse_options(const struct trace_options *o, char *const *argv)
{
	if (argv[0])
		options__refuse_exit("-i reads a file and runs no command: leave out \"%s\", or -i\n", argv[0]);
	if (o->other_events)
		options__refuse_exit("-i shows system calls only, not %s: take perf script\n", o->other_events);
	if (o->filter_text || o->filter_pids || o->cgroups || o->recording.uid_set)
		options__refuse_exit("--filter, --filter-pids, -G and -u judge in the kernel, and -i reads a file: leave them out\n");
	if (o->recording.opts.mmap_pages || o->max_bytes || o->recording.opts.no_inherit)
		options__refuse_exit("-m, --string-size and --no-inherit are for watching the system, and -i reads a file: leave them out\n");
	if (o->trace.by == TRACE_BY_CGROUP && o->trace.summed)
		options__refuse_exit("--summary-mode cgroup: a recording does not tell the cgroups of tasks: leave it out, or -i\n");
}

static int find_events(struct trace_reading *f, struct errmsg *err)
{
	int ret;

	f->hits = (struct recorded_hits){ .session = f->session, .input = f->o->reading.input, .command = "perf trace record" };
	ret = recorded_hits__find(&f->hits, names, ARRAY_SIZE(names), err);
	if (ret)
		return ret;
	if (f->hits.kinds != (1U << HIT_BEGIN | 1U << HIT_END) || !session__formats(f->session))
		return errmsg__set(err, ENOENT, "%s has no system calls (%s, %s): record them with 'perf trace record'", f->o->reading.input,
				   names[0].name, names[1].name);
	return recorded_hits__check(&f->hits, PERF_SAMPLE_TID | PERF_SAMPLE_TIME, "tasks, times", err);
}

/* One end of a call. false: the sample lacks it. */
static bool read_hit(const struct trace_reading *f, const struct session_sample *sample, enum hit_kind kind, struct trace_hit *hit)
{
	const struct perf_sample *raw = sample->sample;
	struct tp_value args;
	u64 id;

	*hit = (struct trace_hit){ .time = raw->time, .pid = raw->pid, .tid = raw->tid, .cpu = raw->cpu, .comm = sample->thread->comm };
	if (!recorded_hits__number(&f->hits, sample, "id", &id))
		return false;
	hit->nr = id < TRACE_MAX_CALLS ? id : TRACE_MAX_CALLS; /* -1: a call that a tracer has cancelled */
	if (kind == HIT_END)
		return recorded_hits__number(&f->hits, sample, "ret", (u64 *)&hit->ret);
	if (tp_formats__value(session__formats(f->session), raw->raw, raw->raw_size, names[0].name, "args", &args) || args.size < sizeof(hit->arg))
		return false;
	memcpy(hit->arg, args.bytes, sizeof(hit->arg));
	return true;
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct trace_reading *f = data;
	const enum hit_kind kind = recorded_hits__kind(&f->hits, sample);
	struct trace_hit hit;

	if (kind == HIT_OTHER || selection__judge(&f->selection, sample) != SAMPLE_SHOWN)
		return 0;
	if (!read_hit(f, sample, kind, &hit)) {
		f->hits.nr_malformed++;
		return 0;
	}
	if (hit.nr >= TRACE_MAX_CALLS || !f->o->trace.rule[hit.nr].wanted)
		return 0;
	return trace_pairs__add(f->pairs, &hit, kind == HIT_END);
}

static int read_all(struct trace_reading *f)
{
	static const struct session_ops ops = { .sample = take_sample };
	struct errmsg err;
	int ret = session__run(f->session, &ops, f, &err);

	if (!ret)
		ret = trace_pairs__finish(f->pairs);
	if (ret == -ENOMEM)
		pr_err("out of memory for system calls\n");
	else if (ret)
		pr_err("%s\n", err.text);
	return ret ? EXIT_SETUP : 0;
}

static int read_file(struct trace_reading *f)
{
	const struct run_opts *run = &f->o->recording.opts.run;
	struct errmsg err;

	f->session = read_options__open(&f->o->reading, true);
	if (!f->session)
		return EXIT_SETUP;
	f->selection = (struct selection){ .cpus = run->cpus, .pids = run->pids, .tids = run->tids };
	if (find_events(f, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	if (selection__init(&f->selection, f->session, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	f->pairs = trace_pairs__new(&f->o->trace);
	if (!f->pairs) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	session__want(f->session, SESSION_ADDRESSES, SESSION_NO_IDS);
	return read_all(f);
}

int trace_file__run(struct trace_options *o, char *const *argv)
{
	struct trace_reading f = { .o = o };
	int ret;

	refuse_options(o, argv);
	o->reading.verbose = o->recording.verbose;
	ret = read_file(&f);
	if (!ret) {
		session__warn(f.session, o->reading.input);
		recorded_hits__warn(&f.hits, f.hits.nr_malformed, "the fields of system calls");
		if (trace_options__print_end(o))
			ret = EXIT_SETUP;
		else if (session__is_damaged(f.session))
			ret = EXIT_DAMAGED;
	}
	trace_pairs__delete(f.pairs);
	selection__exit(&f.selection);
	recorded_hits__exit(&f.hits);
	session__delete(f.session);
	return ret;
}

int trace_file__record(int argc, char **argv)
{
	static const char *const usages[] = {
		"perf trace record [<options of perf record>] [<command>]",
		"perf trace record [<options of perf record>] -- <command> [<options>]",
		NULL,
	};
	static const char *const first[] = { "record", "-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit", "-m", "1024", "-c", "1" };

	return cmd_record_with(first, ARRAY_SIZE(first), argc, argv, usages);
}
