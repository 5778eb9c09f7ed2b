// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stat"

#include "cmd/stat/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cmd/common/target.h"
#include "cmd/stat/events.h"
#include "util/counter/bpf-counting.h"
#include "util/counter/metrics.h"
#include "util/counter/probe-count.h"
#include "util/event/tracepoint.h"
#include "util/lib/comma-list.h"
#include "util/lib/log.h"

static int refuse_unset(const struct option_row *row)
{
	pr_err("--no-%s is not known: leave --%s out\n", row->long_name, row->long_name);
	return -1;
}

static int refuse(const struct errmsg *err)
{
	pr_err("%s\n", err->text);
	return -1;
}

int stat_options__parse_event(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;
	const char **bigger = unset ? NULL : reallocarray(o->spec, o->nr_specs + 1, sizeof(*bigger));
	struct errmsg err;

	if (unset)
		return refuse_unset(row);
	if (!bigger)
		return refuse(&(struct errmsg){ "out of memory" });
	o->spec = bigger;
	o->spec[o->nr_specs++] = arg;
	if (o->nr_filters) {
		pr_err("--filter stands before -e %s: put it behind the -e of its event\n", arg);
		return -1;
	}
	return evlist__parse(o->evlist, arg, &o->last_event, &err) ? refuse(&err) : 0;
}

int stat_options__parse_filter(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;
	const char **bigger = unset ? NULL : reallocarray(o->filter, o->nr_filters + 1, sizeof(*bigger));
	struct errmsg err;

	if (unset)
		return refuse_unset(row);
	if (!bigger)
		return refuse(&(struct errmsg){ "out of memory" });
	o->filter = bigger;
	if (!o->evlist->nr)
		o->filter[o->nr_filters++] = arg;
	for (unsigned int i = o->last_event; i < o->evlist->nr; i++) {
		if (evsel__add_filter(o->evlist->evsel[i], "filter", arg, &err))
			return refuse(&err);
	}
	return 0;
}

int stat_options__parse_metrics(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;
	char word[64], events[160];

	if (unset)
		return refuse_unset(row);
	comma_list__for_each(arg, metric) {
		snprintf(word, sizeof(word), "%.*s", (int)metric.len, metric.text);
		if (!counter_metric__events(word, "task-clock", events, sizeof(events))) {
			pr_err("-M: there is no metric \"%s\". perf stat --list-values --metrics shows all; for those of CPU models take the "
			       "perf of your distribution\n", word);
			return -1;
		}
	}
	o->output.metrics = arg;
	return 0;
}

void stat_options__list_metrics(void)
{
	for (unsigned int i = 0; counter_metric__name(i); i++)
		puts(counter_metric__name(i));
}

int stat_options__parse_cgroups(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;

	if (unset)
		return refuse_unset(row);
	return target__add_cgroups(o->evlist, &o->nr_cgroups, arg);
}

int stat_options__parse_user(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;

	if (unset)
		return refuse_unset(row);
	o->uid_set = true;
	return target__parse_user(arg, &o->uid);
}

int stat_options__parse_runs(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;
	unsigned long runs;
	char *end;

	if (unset)
		return refuse_unset(row);
	runs = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || runs > 100000) {
		pr_err("-r takes a number of runs up to 100000, or 0 for runs until a signal: not \"%s\"\n", arg);
		return -1;
	}
	o->runs = runs;
	o->runs_set = true;
	return 0;
}

int stat_options__parse_delay(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;
	int nr;

	if (unset)
		return refuse_unset(row);
	o->run.start_disabled = !strcmp(arg, "-1");
	nr = o->run.start_disabled ? 0 : run_spans__parse(arg, o->spans);
	if (nr < 0) {
		pr_err("-D takes milliseconds, -1 to begin with events disabled, or spans as in 10-20,30-40: not \"%s\"\n", arg);
		return -1;
	}
	o->run.spans = o->spans;
	o->run.nr_spans = nr;
	return 0;
}

int stat_options__parse_control(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;
	struct errmsg err;

	if (unset)
		return refuse_unset(row);
	if (run_control__open(&o->control, arg, &err))
		return refuse(&err);
	o->run.control = &o->control;
	return 0;
}

int stat_options__parse_cache(const struct option_row *row, const char *arg, bool unset)
{
	struct stat_options *o = row->value;

	o->by_set[COUNTER_BY_CACHE] = !unset;
	if (unset || !arg)
		return 0;
	if ((arg[0] != 'L' && arg[0] != 'l') || arg[1] < '1' || arg[1] > '9' || arg[2]) {
		pr_err("--per-cache takes a level, as L2 or L3: not \"%s\"\n", arg);
		return -1;
	}
	o->cache_level = arg[1] - '0';
	return 0;
}

/* Checking and combining the options */

static void settle_groups(struct stat_options *o)
{
	static const char *const names[] = {
		[COUNTER_BY_CPU] = "-A",	     [COUNTER_BY_CORE] = "--per-core",	 [COUNTER_BY_SOCKET] = "--per-socket",
		[COUNTER_BY_DIE] = "--per-die",	     [COUNTER_BY_NODE] = "--per-node",	 [COUNTER_BY_CACHE] = "--per-cache",
		[COUNTER_BY_CLUSTER] = "--per-cluster", [COUNTER_BY_THREAD] = "--per-thread",
	};

	for (enum counter_by by = COUNTER_BY_CPU; by <= COUNTER_BY_THREAD; by++) {
		if (!o->by_set[by])
			continue;
		if (o->by != COUNTER_BY_NONE)
			options__refuse_exit("%s and %s exclude each other\n", names[o->by], names[by]);
		o->by = by;
	}
	if (o->by == COUNTER_BY_THREAD && o->run.system_wide && o->run.cpus)
		options__refuse_exit("--per-thread does not go with -C: take -a, -p or -t\n");
	if (o->by == COUNTER_BY_THREAD && o->run.system_wide)
		o->output.hide_zero = true; /* most threads sleep */
	if (o->by != COUNTER_BY_NONE && o->by != COUNTER_BY_THREAD && !o->run.system_wide)
		options__refuse_exit("%s needs all tasks: -a or -C, without -p, -t and -u\n", names[o->by]);
}

static void settle_times(struct stat_options *o)
{
	if (o->interval == 0)
		options__refuse_exit("-I takes at least 1 ms\n");
	if (o->interval == STAT_NO_INTERVAL)
		o->interval = 0;
	if (o->timeout && o->interval)
		options__refuse_exit("--timeout does not go with -I: take --interval-count\n");
	if (o->interval_count && !o->interval)
		options__refuse_exit("--interval-count needs -I\n");
	if (o->output.clear && !o->interval)
		options__refuse_exit("--interval-clear needs -I\n");
	if (o->summary && !o->interval)
		options__refuse_exit("--summary needs -I: without it perf stat prints nothing else\n");
	if (o->output.single_runs && (!o->runs_set || o->runs == 1))
		options__refuse_exit("--table needs -r with more than one run\n");
	if (o->runs != 1 && !o->run.argv)
		options__refuse_exit("-r needs a command to run again\n");
	if (o->run.control && o->runs != 1)
		options__refuse_exit("--control does not go with -r: the commands would reach one run only\n");
}

static void settle_cgroups(struct stat_options *o)
{
	if (o->nr_cgroups && o->each_cgroup)
		options__refuse_exit("-G and --for-each-cgroup exclude each other\n");
	if (!o->nr_cgroups && !o->each_cgroup)
		return;
	if (!o->run.system_wide || o->by == COUNTER_BY_THREAD)
		options__refuse_exit("%s needs all tasks: -a or -C, without -p, -t, -u and --per-thread\n", o->nr_cgroups ? "-G" : "--for-each-cgroup");
	o->output.cgroups = true;
}

static bool is_probe(const struct evsel *evsel)
{
	return evsel->tp && tracepoint__probe(evsel->tp);
}

/* Others than the kernel count it, whatever its filter is. */
static bool counts_by_itself(const struct evsel *evsel)
{
	return evsel->tool || is_probe(evsel);
}

static int settle_filters(struct stat_options *o, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < o->evlist->nr && !ret; i++) {
		struct evsel *evsel = o->evlist->evsel[i];

		for (unsigned int j = 0; j < o->nr_filters && !ret; j++)
			ret = evsel__add_filter(evsel, "filter", o->filter[j], err);
		if (!ret && is_probe(evsel))
			ret = probe_count__check_filter(evsel, err);
		o->in_bpf |= !ret && !counts_by_itself(evsel) && evsel->filter && !counters__filters_in_kernel(evsel);
	}
	for (unsigned int i = 0; o->in_bpf && i < o->evlist->nr && !ret; i++)
		ret = counts_by_itself(o->evlist->evsel[i]) ? 0 : bpf_counting__check_filter(o->evlist->evsel[i], err);
	return ret;
}

static void settle_bpf(const struct stat_options *o)
{
	bool in_bpf = o->in_bpf;

	for (unsigned int i = 0; i < o->evlist->nr; i++)
		in_bpf |= is_probe(o->evlist->evsel[i]);
	if (in_bpf && o->by == COUNTER_BY_THREAD)
		options__refuse_exit("--per-thread does not go with --bpf-counters, --filter and events on functions: BPF programs count all threads "
				     "together\n");
}

static int settle_events(struct stat_options *o)
{
	struct errmsg err;
	int ret = 0;

	if (o->null && (o->evlist->nr || o->detailed || o->output.metrics))
		options__refuse_exit("-n counts nothing: leave out -e, -M and -d\n");
	if (!o->null && !o->evlist->nr && !o->output.metrics)
		ret = stat_events__add_default(o, &err);
	if (!ret && o->output.metrics)
		ret = stat_events__add_metrics(o, &err);
	if (!ret && o->detailed)
		ret = stat_events__add_detailed(o->evlist, o->detailed, &err);
	stat_events__set_levels(o, 0);
	if (!ret)
		ret = stat_events__check(o->evlist, &err);
	if (!ret)
		ret = settle_filters(o, &err);
	if (!ret)
		ret = stat_events__check_tools(o, &err);
	if (!ret && o->each_cgroup)
		ret = stat_events__for_each_cgroup(o, &err);
	if (ret)
		pr_err("%s\n", err.text);
	return !ret ? 0 : ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;
}

/* The line says when the file's counts were made, as other perfs do. */
static void write_start(struct stat_options *o)
{
	const time_t now = time(NULL);
	char text[64];

	if (o->append)
		fputc('\n', o->output.fp);
	fprintf(o->output.fp, "# started on %s\n", ctime_r(&now, text) ?: "\n");
}

static int open_output(struct stat_options *o)
{
	o->output.fp = stderr;
	if (o->record)
		return 0;
	if (o->path && strcmp(o->path, "-")) {
		o->output.fp = fopen(o->path, o->append ? "ae" : "we");
	} else if (o->log_fd >= 0) {
		o->output.fp = fcntl(o->log_fd, F_GETFD) < 0 ? NULL : fdopen(o->log_fd, o->append ? "a" : "w");
		if (o->output.fp)
			fcntl(o->log_fd, F_SETFD, FD_CLOEXEC);
	}
	if (!o->output.fp && o->path)
		pr_err("cannot write to %s: %s\n", o->path, strerror(errno));
	else if (!o->output.fp)
		pr_err("cannot write to the descriptor of --log-fd, %d: %s\n", o->log_fd, strerror(errno));
	o->opened = o->output.fp && o->output.fp != stderr;
	if (o->opened && o->path && !o->output.json)
		write_start(o);
	return o->output.fp ? 0 : EXIT_SETUP;
}

static void check_output(const struct stat_options *o)
{
	if (o->path && o->log_fd >= 0)
		options__refuse_exit("-o and --log-fd exclude each other\n");
	if (o->append && !o->path && o->log_fd < 0)
		options__refuse_exit("--append needs -o or --log-fd\n");
	if (o->output.separator && o->output.json)
		options__refuse_exit("-x and -j exclude each other\n");
	if (o->output.separator && !*o->output.separator)
		options__refuse_exit("-x takes a text to stand between fields\n");
}

static void check_record(const struct stat_options *o)
{
	if (o->log_fd >= 0 || o->append)
		options__refuse_exit("perf stat record prints to the standard error: -o names the recording; leave out --log-fd and --append\n");
	if (o->runs_set)
		options__refuse_exit("a recording is of one run: leave out -r\n");
	if (o->nr_cgroups || o->each_cgroup)
		options__refuse_exit("a perf.data has no place for the cgroups of counts: leave out -G and --for-each-cgroup, or print them with -x or -j\n");
	if (o->null)
		options__refuse_exit("there is nothing to record with -n\n");
}

static int settle_output(struct stat_options *o)
{
	if (!o->record)
		check_output(o);
	if (o->output.separator && !strcmp(o->output.separator, "\\t"))
		o->output.separator = "\t";
	return open_output(o);
}

int stat_options__settle_report(struct stat_options *o)
{
	o->run.system_wide = true; /* any group may be asked for */
	settle_groups(o);
	o->output.hide_zero = false;
	o->output.nr_runs = 1;
	return settle_output(o);
}

int stat_options__settle(struct stat_options *o, char **argv)
{
	int ret;

	if (o->record)
		check_record(o);
	target__settle(&o->run, argv, false);
	if (o->uid_set && (o->run.pids || o->run.tids || o->run.cpus || (o->run.system_wide && o->run.argv)))
		options__refuse_exit("-u counts the tasks of a user: leave out -a, -C, -p and -t\n");
	if (o->uid_set)
		o->run.system_wide = false;
	if (o->all_user && o->all_kernel)
		options__refuse_exit("--all-user and --all-kernel exclude each other\n");
	settle_groups(o);
	settle_times(o);
	settle_cgroups(o);
	ret = settle_events(o);
	settle_bpf(o);
	ret = ret ?: settle_output(o);
	o->output.nr_runs = o->runs;
	o->output.mark_summary = o->summary && !o->no_csv_summary;
	return ret;
}

void stat_options__exit(struct stat_options *o)
{
	if (o->opened)
		fclose(o->output.fp); /* all is written */
	evlist__delete(o->evlist);
	free(o->spec);
	free(o->filter);
}
