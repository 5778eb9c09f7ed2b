// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "trace"

#include "cmd/trace/file.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "builtin.h"
#include "cmd/read/options.h"
#include "cmd/read/recorded-hits.h"
#include "cmd/read/selection.h"
#include "ui/session-stdio.h"
#include "util/lib/comma-list.h"
#include "util/lib/log.h"
#include "util/machine/maps.h"
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
	bool *shown; /* by event: it is no system call, and wanted */
	bool some_shown, some_faults;
};

static void refuse_options(const struct trace_options *o, char *const *argv)
{
	if (argv[0])
		options__refuse_exit("-i reads a file and runs no command: leave out \"%s\", or -i\n", argv[0]);
	if (o->filter_text || o->filter_pids || o->cgroups || o->recording.uid_set)
		options__refuse_exit("--filter, --filter-pids, -G and -u judge in the kernel, and -i reads a file: leave them out\n");
	if (o->recording.opts.mmap_pages || o->max_bytes || o->recording.opts.no_inherit || o->recording.opts.run.nr_spans)
		options__refuse_exit("-m, -D, --string-size and --no-inherit are for watching the system, and -i reads a file: leave them out\n");
	if (o->trace.by == TRACE_BY_CGROUP && o->trace.summed)
		options__refuse_exit("--summary-mode cgroup: a recording does not tell the cgroups of tasks: leave it out, or -i\n");
}

/* "sched:*,probe:x" of -e; name may end with a modifier. */
static bool is_named(const char *events, const char *name)
{
	char plain[256], glob[256];
	const char *colon = strchr(name, ':');

	snprintf(plain, sizeof(plain), "%.*s", (int)(colon ? colon + 1 - name + strcspn(colon + 1, ":") : strlen(name)), name);
	comma_list__for_each(events, word) {
		snprintf(glob, sizeof(glob), "%.*s", (int)word.len, word.text);
		if (!fnmatch(glob, plain, 0) || !fnmatch(glob, name, 0))
			return true;
	}
	return false;
}

static bool is_shown(const struct trace_options *o, const struct session_event *evsel)
{
	const bool all = !o->some_wanted && !o->some_unwanted && !o->other_events && !o->major_faults && !o->minor_faults;

	if (all)
		return evsel->event->attr.type != PERF_TYPE_SOFTWARE || evsel->event->attr.config != PERF_COUNT_SW_DUMMY;
	if (trace_others__is_fault(evsel))
		return evsel->event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ? o->major_faults : o->minor_faults;
	return is_named(o->other_events, evsel->name);
}

static int find_others(struct trace_reading *f, struct errmsg *err)
{
	const u32 nr = session__nr_events(f->session);
	enum session_detail detail = SESSION_ADDRESSES;

	f->shown = calloc(nr + 1, sizeof(*f->shown));
	if (!f->shown)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (u32 i = 0; i < nr; i++) {
		const struct session_event *evsel = session__event(f->session, i);

		f->shown[i] = f->hits.kind[i] == HIT_OTHER && is_shown(f->o, evsel);
		f->some_shown |= f->shown[i];
		f->some_faults |= f->shown[i] && trace_others__is_fault(evsel);
		if (evsel->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			detail = SESSION_CHAINS;
		else if (f->shown[i] && trace_others__is_fault(evsel) && detail < SESSION_PLACES)
			detail = SESSION_PLACES;
	}
	session__want(f->session, detail, SESSION_NO_IDS);
	return 0;
}

/* Does -e name the events of which calls are made? */
static bool names_calls(const struct trace_reading *f)
{
	for (u32 i = 0; i < session__nr_events(f->session); i++) {
		if (f->hits.kind[i] != HIT_OTHER && is_named(f->o->other_events, session__event(f->session, i)->name))
			return true;
	}
	return false;
}

static int find_events(struct trace_reading *f, struct errmsg *err)
{
	const struct trace_options *o = f->o;
	int ret;

	f->hits = (struct recorded_hits){ .session = f->session, .input = o->reading.input, .command = "perf trace record" };
	ret = recorded_hits__find(&f->hits, names, ARRAY_SIZE(names), err) ?: find_others(f, err);
	if (ret)
		return ret;
	f->o->lines.calls = o->has_calls && f->hits.kinds;
	if (f->some_shown && (!o->has_calls || (!f->hits.kinds && (!o->sums_only || f->some_faults))))
		return 0;
	if (!o->has_calls && names_calls(f))
		return errmsg__set(err, EINVAL, "-e %s: raw_syscalls:sys_enter and sys_exit are the calls themselves, which -i shows without it", o->other_events);
	if (!o->has_calls)
		return errmsg__set(err, ENOENT, "%s has no such events: perf evlist shows those that it has", o->reading.input);
	if (f->hits.kinds != (1U << HIT_BEGIN | 1U << HIT_END) || !session__formats(f->session))
		return errmsg__set(err, ENOENT, "%s has no system calls (%s, %s): record them with 'perf trace record'", o->reading.input,
				   names[0].name, names[1].name);
	return recorded_hits__check(&f->hits, PERF_SAMPLE_TID | PERF_SAMPLE_TIME, "tasks, times", err);
}

/* One end of a call. false: the sample lacks it. */
static bool read_hit(const struct trace_reading *f, const struct session_sample *sample, enum hit_kind kind, struct trace_hit *hit)
{
	const struct perf_sample *raw = sample->sample;
	const struct maps *maps = sample->thread->maps;
	const bool is_compat = maps && maps__is_compat(maps); /* int $0x80 of a 64-bit program is taken for a call of its own */
	struct tp_value args;
	u64 id;

	*hit = (struct trace_hit){ .time = raw->time, .pid = raw->pid, .tid = raw->tid, .cpu = raw->cpu, .comm = sample->thread->comm };
	if (!recorded_hits__number(&f->hits, sample, "id", &id))
		return false;
	hit->nr = trace_number(id, is_compat);
	if (kind == HIT_END)
		return recorded_hits__number(&f->hits, sample, "ret", (u64 *)&hit->ret);
	if (tp_formats__value(session__formats(f->session), raw->raw, raw->raw_size, names[0].name, "args", &args) || args.size < sizeof(hit->arg))
		return false;
	memcpy(hit->arg, args.bytes, sizeof(hit->arg));
	if (trace_is_sigreturn(hit->nr))
		hit->arg[0] = 0; /* no argument: the mask is on the stack */
	return true;
}

static int take_other(struct trace_reading *f, const struct session_sample *sample)
{
	struct trace_options *o = f->o;
	struct text line = {};
	int ret = 0;

	if (!o->max_events || o->nr_events < o->max_events)
		ret = trace_others__take(&o->others, f->session, sample, &line);
	if (line.len) {
		o->nr_events++;
		text__put(&o->written, line.buf, line.len);
		trace_options__write_some(o);
	}
	text__exit(&line);
	return ret;
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct trace_reading *f = data;
	const enum hit_kind kind = recorded_hits__kind(&f->hits, sample);
	struct trace_hit hit;
	int ret;

	if ((kind == HIT_OTHER && !f->shown[sample->evsel->idx]) || selection__judge(&f->selection, sample) != SAMPLE_SHOWN)
		return 0;
	if (kind == HIT_OTHER)
		return take_other(f, sample);
	if (!read_hit(f, sample, kind, &hit)) {
		f->hits.nr_malformed++;
		return 0;
	}
	if (!(f->o->trace.rule[trace_row(hit.nr)].wanted & TRACE_WANTED) && !(kind == HIT_END && hit.nr == TRACE_FORGOTTEN))
		return 0;
	f->o->chain = sample->chain;
	ret = trace_pairs__add(f->pairs, &hit, kind == HIT_END);
	f->o->chain = NULL;
	return ret;
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

	f->o->reading.max_stack = f->o->max_stack;
	f->session = read_options__open(&f->o->reading, false);
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
		recorded_hits__warn(&f.hits, f.hits.nr_malformed, "without the fields of system calls");
		if (trace_options__print_end(o))
			ret = EXIT_SETUP;
		else if (session__is_damaged(f.session))
			ret = EXIT_DAMAGED;
	}
	trace_pairs__delete(f.pairs);
	selection__exit(&f.selection);
	recorded_hits__exit(&f.hits);
	free(f.shown);
	session__delete(f.session);
	return ret;
}

/* What options before "record" choose; others say how calls are judged and shown, which a recording does not. */
static void refuse_before_record(const struct trace_options *o)
{
	const struct run_opts *run = &o->recording.opts.run;

	if (o->some_wanted || o->some_unwanted)
		options__refuse_exit("perf trace record writes all system calls: leave out -e, and give it to perf trace -i\n");
	if (o->filter_text || o->filter_pids || o->cgroups || o->duration || o->failed_only || o->max_events || o->sums_only || o->with_sums ||
	    o->path || o->reading.input || o->max_bytes)
		options__refuse_exit("before record only -e EVENT, -F, --syscalls and --call-graph count: give the others to perf trace -i\n");
	if ((o->major_faults || o->minor_faults) && (o->callgraph == CALLGRAPH_BPF || o->callgraph == CALLGRAPH_DWARF))
		options__refuse_exit("perf trace -F record writes page faults with --call-graph fp only\n");
	if (run->pids || run->tids || run->cpus || run->system_wide || o->recording.uid_set || o->recording.opts.mmap_pages)
		options__refuse_exit("-a, -p, -t, -C, -u and -m of a recording follow the word record\n");
}

int trace_file__record(const struct trace_options *o, int argc, char **argv)
{
	static const char *const usages[] = {
		"perf trace [-F <kind>] [-e <events>] [--call-graph <mode>] record [<options of perf record>] [<command>]",
		"perf trace record [<options of perf record>] -- <command> [<options>]",
		NULL,
	};
	static const char *const modes[] = { [CALLGRAPH_BPF] = "bpf", [CALLGRAPH_DWARF] = "dwarf", [CALLGRAPH_FP] = "fp" };
	const bool faults = o->major_faults || o->minor_faults, others = faults || o->other_events;
	const char *words[16] = { "record" };
	unsigned int nr = 1;
	bool sampled, each;
	struct errmsg err;

	refuse_before_record(o);
	if (trace_options__find_rates(o, &sampled, &each, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	if (sampled && each)
		options__refuse_exit("perf trace record takes each page fault, or samples of clocks and hardware events: not both at once\n");
	if (o->calls_on || (!o->calls_off && !others)) {
		words[nr++] = "-e";
		words[nr++] = "raw_syscalls:sys_enter,raw_syscalls:sys_exit";
	}
	if (o->other_events) {
		words[nr++] = "-e";
		words[nr++] = o->other_events;
	}
	if (faults) {
		words[nr++] = "-e";
		words[nr++] = !o->minor_faults ? "major-faults" : !o->major_faults ? "minor-faults" : "major-faults,minor-faults";
		words[nr++] = "-d";
	}
	if (o->callgraph != CALLGRAPH_NONE) {
		words[nr++] = "--call-graph";
		words[nr++] = modes[o->callgraph];
	}
	memcpy(words + nr, (const char *const[]){ "-m", "1024", "-c", "1" }, 4 * sizeof(*words));
	return cmd_record_with(words, nr + (sampled ? 2 : 4), argc, argv, usages);
}
