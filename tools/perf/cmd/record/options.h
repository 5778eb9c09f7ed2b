/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands that record share: options, and running the recording. */
#ifndef PERF_CMD_RECORD_OPTIONS_H
#define PERF_CMD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/event/evsel.h"
#include "util/lib/options.h"
#include "util/record/record.h"
#include "util/source/offcpu-opts.h"

struct record_options {
	struct record_opts opts;
	struct evlist *evlist;
	unsigned int last_event; /* first evsel of the last -e: --filter applies to it and all later ones */
	bool default_event;	 /* a --filter before any -e has added the default event */
	bool freq_set, freq_max, freq_strict, one_group;
	bool dry_run, quiet;
	int verbose;
	struct offcpu_opts off_cpu_opts; /* of events of off-CPU and wall-clock time */
	bool off_cpu, off_cpu_tuned; /* --off-cpu; an option that needs such an event */
	bool wall, off_cpu_thresh_set;
	unsigned int nr_cgroups; /* number of events that already have a -G */
	uid_t uid;
	bool uid_set, exclude_perf;
	const char **cmdline;	 /* perf's command line; parsing moves the words of argv */
};

/* Prints the results of a recording. */
typedef void (*record_tell)(struct record_options *o, const struct record_result *result);

#define RECORD_OPTIONS_INIT { .opts = { .attr = { .freq = 4000 }, .interp = INTERP_MERGED }, .off_cpu_opts = OFFCPU_OPTS_DEFAULT }

/* Rows for a table of options; o is a struct record_options with static storage. */
#define RECORD_OPTIONS_WHAT(o) \
	OPT_CALLBACK('e', "event", &(o), "event", "select events, several with commas. See perf list", \
		     record_options__parse_event), \
	OPT_CALLBACK_OF(0, "filter", &(o), "filter", \
			"keep only samples of the last -e that the filter accepts. See perf help filter", \
			record_options__parse_filter, record_options__list_terms), \
	OPT_U64_FROM_1('c', "count", &(o).opts.attr.period, "n", "take a sample every n events"), \
	OPT_CALLBACK('F', "freq", &(o), "freq", "take this many samples a second, or max", record_options__parse_freq), \
	OPT_BOOL(0, "strict-freq", &(o).freq_strict, "refuse a frequency that the kernel does not allow, instead of lowering it"), \
	OPT_CALLBACK(0, "clock", &(o), "task|cpu", "open clocks on tasks, or on each CPU so that short runs are not missed (cpu, if allowed)", \
		     record_options__parse_clock)

#define RECORD_OPTIONS_WHO(o) \
	OPT_BOOL('a', "all-cpus", &(o).opts.run.system_wide, "record all tasks on all CPUs (default without a command or ids)"), \
	OPT_STRING('C', "cpu", &(o).opts.run.cpus, "cpu", "record all tasks on these CPUs"), \
	OPT_CALLBACK('G', "cgroup", &(o), "name", \
		     "with -a, record the events before it in this cgroup only; more cgroups with commas", \
		     record_options__parse_cgroups), \
	OPT_CALLBACK('u', "uid", &(o), "user", "record all tasks of this user", record_options__parse_user), \
	OPT_STRING('p', "pid", &(o).opts.run.pids, "pid", "record these running processes"), \
	OPT_STRING('t', "tid", &(o).opts.run.tids, "tid", "record these running threads"), \
	OPT_BOOL('i', "no-inherit", &(o).opts.no_inherit, "do not record children and threads that start later")

#define RECORD_OPTIONS_OFF_CPU(o) \
	OPT_BOOL(0, "off-cpu", &(o).off_cpu, "record the time in which tasks do not run, too, as the event off-cpu"), \
	OPT_BOOL(0, "wall", &(o).wall, "record all time of each thread, running or not, with its state, as the event wall-clock"), \
	OPT_CALLBACK(0, "off-cpu-states", &(o), "list", \
		     "record off-CPU time in these states only: S (sleep), D (disk), I (idle), R (preempted), T (stopped) (S,D)", \
		     record_options__parse_off_cpu_states)

/* For its samples, if each one is written */
#define RECORD_OPTIONS_OFF_CPU_SAMPLES(o) \
	OPT_CALLBACK(0, "off-cpu-thresh", &(o), "ms", \
		     "write a sample for each sleep of at least this long; sum up shorter ones (500)", \
		     record_options__parse_off_cpu_thresh), \
	OPT_CALLBACK_FLAGS(0, "off-cpu-waker", &(o), NULL, "record the stack of the task that ended the sleep, too", \
			   record_options__parse_off_cpu_waker, OPTION_NOARG)

#define RECORD_OPTIONS_BUFFERS(o) \
	OPT_CALLBACK('m', "mmap-pages", &(o), "pages", "set the size of each ring buffer: pages, or a size with K, M or G", \
		     record_options__parse_mmap_pages)

int record_options__parse_event(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_filter(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_fields(const struct option_row *row, const char *arg, bool unset);
void record_options__list_terms(void); /* for --list-values of --filter */
int record_options__parse_freq(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_clock(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_cgroups(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_user(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_off_cpu_thresh(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_off_cpu_states(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_off_cpu_waker(const struct option_row *row, const char *arg, bool unset);
int record_options__parse_mmap_pages(const struct option_row *row, const char *arg, bool unset);
/* Of a row whose value is an unsigned int: ms between rounds of counts, not 0 */
int record_options__parse_interval(const struct option_row *row, const char *arg, bool unset);

/* Parse a decimal number, at most max; *rest is set to the text after it. */
bool record_options__parse_uint(const char *arg, unsigned long max, unsigned long *value, const char **rest);
/* For callbacks of rows that have no --no-NAME. */
int record_options__refuse_unset(const struct option_row *row);

/* Parse the command line; moves the remaining words to argv[0..]. 0 or an exit status, after a message. */
int record_options__parse(struct record_options *o, int argc, char **argv, const struct option_row *rows,
			  const char *const *usages);
/* Check and combine all options: target, rate, events. 0 or an exit status, after a message; a wrong command line may exit. */
int record_options__settle(struct record_options *o, char **argv);
void record_options__exit(struct record_options *o);

/* Record, or with --dry-run only check. Returns the exit status of the command, or EXIT_SETUP, also if the standard output could not be written. */
int record_options__run(struct record_options *o, record_tell tell);

#endif
