// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stat"

#include "cmd/stat/measure.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmd/common/lost-output.h"
#include "cmd/stat/tasks.h"
#include "util/counter/counters.h"
#include "util/lib/advice.h"
#include "util/lib/array.h"
#include "util/lib/clock.h"
#include "util/lib/failed-writes.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"
#include "util/lib/text.h"
#include "util/run/ends.h"

struct measurement {
	struct stat_options *o;
	struct counters *counters;	/* of the current run */
	struct run *run;
	struct counter_groups groups;	/* the same for all runs */
	unsigned int nr_places;
	struct counter_cells total;	/* of all runs */
	struct stat_recording *recording; /* NULL: nothing is recorded */
	struct stat_output *out;	/* NULL: nothing was printed so far */
	struct run_handler on_interval, on_timeout, on_end;
	struct stat_tasks tasks;	/* with -u, and with -a --per-thread: those of the first run */
	struct run_ends ends;		/* of the processes or threads of -p and -t */
	bool begun;			/* the current run counts */
	u64 begin, last;		/* ns: when it began; when the last interval ended */
	unsigned int nr_intervals;
	unsigned int nr_runs;
	double *elapsed;		/* by run, in ns */
	struct rusage usage;		/* of the last run's command */
	bool has_usage;
};

static u64 now(void)
{
	return clock__ns(CLOCK_MONOTONIC);
}

/* Printing */

static int measurement__open_output(struct measurement *m, unsigned int nr_runs, struct errmsg *err)
{
	struct stat_output_opts opts = m->o->output;

	if (m->out)
		return 0;
	opts.nr_runs = nr_runs;
	m->out = stat_output__new(&opts, &m->groups);
	return m->out ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

/* A pipe is for the recording alone, as in other perfs. */
static bool measurement__prints(const struct measurement *m)
{
	return !m->o->quiet && !(m->recording && stat_recording__is_pipe(m->recording));
}

static int measurement__print_interval(struct measurement *m, struct errmsg *err)
{
	struct counter_cells cells = {};
	const u64 at = now();
	const struct stat_interval interval = { .is_one = true, .at = (at - m->begin) / 1e9 };
	int ret = counters__read(m->counters, err);

	if (!ret && m->recording)
		ret = stat_recording__round(m->recording, m->counters, false, at - m->begin, err);
	if (!ret && counter_cells__init(&cells, m->o->evlist, &m->groups))
		ret = errmsg__set(err, ENOMEM, "out of memory");
	if (!ret && measurement__prints(m))
		ret = measurement__open_output(m, m->o->runs, err);
	if (!ret && measurement__prints(m)) {
		counter_cells__add(&cells, m->counters, COUNTER_DELTA, !m->o->no_scale);
		stat_output__cells(m->out, &cells, at - m->last, &interval);
	}
	m->last = at;
	counter_cells__exit(&cells);
	return ret;
}

static void put_command(struct text *title, char *const *argv)
{
	for (int i = 0; argv[i]; i++)
		text__printf(title, "%s%s", i ? " " : "", argv[i]);
}

/* What is counted, in quotes */
static char *make_title(const struct stat_options *o)
{
	struct text title = {};
	const struct passwd *passwd = o->uid_set ? getpwuid(o->uid) : NULL;

	text__str(&title, o->run.pids ? "process id '" : o->run.tids ? "thread id '" : o->uid_set ? "user '" : "'");
	if (o->run.pids || o->run.tids)
		text__str(&title, o->run.pids ?: o->run.tids);
	else if (passwd)
		text__str(&title, passwd->pw_name);
	else if (o->uid_set)
		text__printf(&title, "%u", o->uid);
	else if (o->run.cpus)
		text__printf(&title, "CPU(s) %s", o->run.cpus);
	else if (o->run.system_wide)
		text__str(&title, "system wide");
	else
		put_command(&title, o->run.argv);
	text__put(&title, "'", 2);
	if (!title.failed)
		return title.buf;
	text__exit(&title);
	return NULL;
}

static void tell_raw(const struct measurement *m)
{
	for (unsigned int i = 0; i < m->o->evlist->nr && m->o->verbose; i++) {
		u64 raw = 0, enabled = 0, running = 0;

		for (unsigned int g = 0; g < m->groups.nr; g++) {
			const struct counter_cell *cell = counter_cells__at(&m->total, i, g);

			raw += cell->raw;
			enabled += cell->enabled;
			running += cell->running;
		}
		fprintf(m->o->output.fp, "%s: %llu %llu %llu\n", m->o->evlist->evsel[i]->name, (unsigned long long)raw, (unsigned long long)enabled,
			(unsigned long long)running);
	}
}

static int measurement__print_total(struct measurement *m, struct errmsg *err)
{
	const struct stat_interval none = { .is_one = false };
	struct stat_times times = {
		.run = m->elapsed,
		.has_usage = m->has_usage && m->nr_runs == 1,
		.user = m->usage.ru_utime.tv_sec * 1e6 + m->usage.ru_utime.tv_usec,
		.sys = m->usage.ru_stime.tv_sec * 1e6 + m->usage.ru_stime.tv_usec,
	};
	char *title = make_title(m->o);

	if (!title || measurement__open_output(m, m->nr_runs, err)) {
		free(title);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	for (unsigned int i = 0; i < m->nr_runs; i++)
		stats__add(&times.elapsed, m->elapsed[i]);
	if (!m->o->output.separator && !m->o->output.json)
		tell_raw(m);
	stat_output__title(m->out, title, m->nr_runs);
	stat_output__cells(m->out, &m->total, times.elapsed.mean, &none);
	stat_output__times(m->out, &times);
	free(title);
	return 0;
}

/* Handlers of the loop */

static int handle_interval(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct measurement *m = data;
	int ret = measurement__print_interval(m, err);

	if (++m->nr_intervals == m->o->interval_count || stream__flush(m->o->output.fp))
		run_loop__end(loop);
	return ret;
}

static int handle_timeout(struct run_loop *loop, void *data, struct errmsg *err)
{
	run_loop__end(loop);
	return 0;
}

static int handle_end(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct measurement *m = data;

	if (run_ends__all(&m->ends)) {
		m->on_end.fd = -1;
		run_loop__end(loop);
	}
	return 0;
}

/* Time counts from here on: from the end of -D, if there is one. */
static void measurement__begin(struct measurement *m)
{
	if (m->begun)
		return;
	m->begun = true;
	m->begin = m->last = now();
	if (m->o->interval)
		m->on_interval.due = run_loop__now() + m->o->interval;
	if (m->o->timeout)
		m->on_timeout.due = run_loop__now() + m->o->timeout;
}

static int enable(void *data, bool on, struct errmsg *err)
{
	struct measurement *m = data;

	if (on)
		measurement__begin(m);
	return counters__enable(m->counters, on, err);
}

static int switch_event(void *data, unsigned int event, bool on, struct errmsg *err)
{
	struct measurement *m = data;

	return counters__enable_event(m->counters, event, on, err);
}

static const char *event_name(void *data, unsigned int event)
{
	const struct measurement *m = data;

	return event < m->o->evlist->nr ? m->o->evlist->evsel[event]->name : NULL;
}

static int cpu_back(void *data, int cpu, struct errmsg *err)
{
	struct measurement *m = data;

	return counters__reopen_cpu(m->counters, cpu, err);
}

static const struct run_ops ops = { .enable = enable, .switch_event = switch_event, .event_name = event_name, .cpu_back = cpu_back };

static void tell_note(void *data, const char *text)
{
	pr_info("%s\n", text);
}

/* One run */

static int check_supported(const struct measurement *m, struct errmsg *err)
{
	const struct evlist *evlist = m->o->evlist;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < evlist->nr; i++) {
		nr += counters__is_supported(m->counters, i);
		if (!counters__is_supported(m->counters, i))
			pr_debug("%s\n", counters__why_not(m->counters, i));
	}
	if (!nr && evlist->nr)
		return errmsg__set(err, EOPNOTSUPP, "No supported events found: %s\nperf list shows other events", counters__why_not(m->counters, 0));
	return 0;
}

static int measurement__open(struct measurement *m, struct errmsg *err)
{
	const struct stat_options *o = m->o;
	struct counters_target target = {
		.system_wide = o->run.system_wide && o->by != COUNTER_BY_THREAD,
		.cpus = run__target(m->run)->cpus,
		.inherit = !o->no_inherit,
		.in_bpf = o->in_bpf,
		.whole_processes = o->run.pids && o->by != COUNTER_BY_THREAD,
		.on_exec = run__follows_command(m->run) && !o->uid_set && !run__starts_disabled(m->run),
	};
	const bool listed = o->uid_set || (o->run.system_wide && o->by == COUNTER_BY_THREAD);
	int ret = listed && !m->tasks.tid ? stat_tasks__list(&m->tasks, o->uid_set ? &o->uid : NULL, err) : 0;

	if (ret)
		return ret;
	target.tids = listed ? m->tasks.tid : run__tids(m->run, &target.nr_tids);
	if (listed)
		target.nr_tids = m->tasks.nr;
	m->counters = counters__new(o->evlist);
	ret = m->counters ? counters__open(m->counters, &target, tell_note, NULL, err) : errmsg__set(err, ENOMEM, "out of memory");
	if (ret == -ENODEV)
		errmsg__prefix(err, "No supported events found");
	ret = ret ?: check_supported(m, err);
	return !ret && m->recording ? stat_recording__begin(m->recording, m->counters, err) : ret;
}

static int measurement__set_groups(struct measurement *m, struct errmsg *err)
{
	const struct counter_machine machine = COUNTER_MACHINE_HERE;
	const struct counter_place *places;
	unsigned int nr;
	int ret;

	places = counters__places(m->counters, &nr);
	if (m->total.cell)
		return nr == m->nr_places ? 0 : errmsg__set(err, EAGAIN, "CPUs went on- or offline between runs: run perf stat again");
	m->nr_places = nr;
	ret = counter_groups__init(&m->groups, m->o->by, m->o->cache_level, places, nr, &machine, err);
	if (!ret && counter_cells__init(&m->total, m->o->evlist, &m->groups))
		ret = errmsg__set(err, ENOMEM, "out of memory");
	return ret;
}

static int measurement__start(struct measurement *m, struct errmsg *err)
{
	struct run_loop *loop = run__loop(m->run);
	const bool waits = run__starts_disabled(m->run);
	int ret = 0;

	m->begun = false;
	m->nr_intervals = 0;
	run_loop__add_timer(loop, &m->on_interval, 0, m->o->interval, handle_interval, m);
	run_loop__add_timer(loop, &m->on_timeout, 0, 0, handle_timeout, m);
	if (m->ends.epfd >= 0)
		run_loop__add_fd(loop, &m->on_end, m->ends.epfd, handle_end, m);
	if (!waits || m->o->run.start_disabled)
		measurement__begin(m);
	if (!waits && !(run__follows_command(m->run) && !m->o->uid_set))
		ret = counters__enable(m->counters, true, err);
	counters__exec(m->counters);
	return ret ?: run__start(m->run, err) ?: measurement__set_groups(m, err);
}

/* What counts in BPF lack */
static void tell_lack(const struct measurement *m)
{
	const u64 untracked = counters__untracked(m->counters), missed = counters__missed(m->counters);
	const u64 missed_hits = counters__missed_hits(m->counters);

	if (missed_hits)
		pr_warn("%llu hit%s (of any task) %s missed: a BPF program was already running on that CPU\n", (unsigned long long)missed_hits,
			plural(missed_hits), were(missed_hits));
	if (untracked)
		pr_warn("%llu task%s %s not counted: no memory was left to follow more\n", (unsigned long long)untracked, plural(untracked),
			were(untracked));
	if (missed)
		pr_warn("Counts can be too low: BPF programs did not see %llu of the switches between tasks\n", (unsigned long long)missed);
}

static int measurement__end(struct measurement *m, struct errmsg *err)
{
	int ret;

	if (array__extend(m->elapsed, m->nr_runs))
		return errmsg__set(err, ENOMEM, "out of memory");
	if (run__follows_command(m->run))
		counters__set_usage(m->counters, run__usage(m->run));
	ret = counters__enable(m->counters, false, err);
	m->elapsed[m->nr_runs++] = m->begun ? now() - m->begin : 0; /* not less than events were enabled */
	if (!ret && m->o->interval && m->begun && m->nr_intervals != (m->o->interval_count ?: ~0U))
		ret = measurement__print_interval(m, err);
	else if (!ret)
		ret = counters__read(m->counters, err);
	if (!ret && m->recording && !m->o->interval)
		ret = stat_recording__round(m->recording, m->counters, true, m->elapsed[m->nr_runs - 1], err);
	if (ret)
		return ret;
	counter_cells__add(&m->total, m->counters, COUNTER_TOTAL, !m->o->no_scale);
	tell_lack(m);
	return 0;
}

/* Without a command -p and -t end with their tasks. Ended ones, which nobody has waited for, still have an id, but no counts. */
static int measurement__watch_ends(struct measurement *m, struct errmsg *err)
{
	const struct run_opts *run = &m->o->run;
	int ret;

	if (!run->pids && !run->tids)
		return 0;
	ret = run_ends__init(&m->ends, run__target(m->run), !run->pids, err);
	if (!ret && run_ends__all(&m->ends))
		ret = errmsg__set(err, ESRCH, "no such process or thread: all that were to be counted have ended");
	if (run->argv)
		run_ends__exit(&m->ends);
	return ret;
}

static int run_steps(struct measurement *m, struct errmsg *err)
{
	return run__prepare(m->run, err) ?: measurement__watch_ends(m, err) ?: measurement__open(m, err) ?: measurement__start(m, err) ?: run__watch(m->run, err) ?:
	       measurement__end(m, err);
}

/* Returns the exit status of perf stat; *over: do not run again. */
static int measurement__run_once(struct measurement *m, bool *over)
{
	const struct rusage *usage;
	struct errmsg err;
	int ret, status;

	ret = run__new(&m->o->run, &ops, m, &m->run, &err);
	if (ret) {
		pr_err("%s\n", err.text);
		*over = true;
		return ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;
	}
	ret = run_steps(m, &err);
	status = run__finish(m->run);
	usage = run__usage(m->run);
	m->has_usage = usage && run__follows_command(m->run);
	if (m->has_usage)
		m->usage = *usage;
	*over = ret || run__signal(m->run);
	counters__delete(m->counters);
	m->counters = NULL;
	run_ends__exit(&m->ends);
	run__delete(m->run);
	if (!ret)
		return status;
	pr_err("%s\n", err.text);
	return EXIT_SETUP;
}

static int run_hook(const char *option, const char *command)
{
	int status;

	if (!command)
		return 0;
	failed_writes__as_given();
	status = system(command);
	failed_writes__return_errors();
	if (!status)
		return 0;
	pr_err("the command of %s, '%s', failed: counting ends\n", option, command);
	return EXIT_SETUP;
}

/* The exit status is that of the last run, or of what failed. */
static int measurement__run(struct measurement *m)
{
	const struct stat_options *o = m->o;
	bool over = false;
	int status = 0, hook;

	for (unsigned int i = 0; (!o->runs || i < o->runs) && !over; i++) {
		hook = run_hook("--pre", o->pre);
		if (hook)
			return hook;
		if (o->sync)
			sync();
		status = measurement__run_once(m, &over);
		hook = over ? 0 : run_hook("--post", o->post);
		if (hook)
			return hook;
		if (stream__flush(o->output.fp)) /* nobody reads intervals of more runs */
			over = true;
	}
	return status;
}

static int finish_output(const struct stat_options *o)
{
	const int ret = stream__flush(o->output.fp);

	if (!ret)
		return 0;
	lost_output__tell(o->path ?: o->opened ? "to the descriptor of --log-fd" : "the counts", -ret);
	return EXIT_SETUP;
}

static int finish_recording(const struct measurement *m)
{
	struct errmsg err;

	if (!m->recording || !m->nr_runs || !stat_recording__finish(m->recording, &err))
		return 0;
	pr_err("%s\n", err.text);
	return EXIT_SETUP;
}

int stat_measure(struct stat_options *o, struct stat_recording *recording)
{
	struct measurement m = { .o = o, .recording = recording, .ends.epfd = -1 };
	struct errmsg err;
	int ret;

	o->run.note = tell_note;
	ret = measurement__run(&m);
	if (m.nr_runs && m.total.cell && measurement__prints(&m) && (!o->interval || o->summary) && measurement__print_total(&m, &err)) {
		pr_err("%s\n", err.text);
		ret = EXIT_SETUP;
	}
	if (finish_recording(&m) || finish_output(o))
		ret = EXIT_SETUP;
	stat_output__delete(m.out);
	stat_tasks__exit(&m.tasks);
	counter_cells__exit(&m.total);
	counter_groups__exit(&m.groups);
	free(m.elapsed);
	return ret;
}
