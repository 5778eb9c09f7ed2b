/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf stat, and what they are checked to. */
#ifndef PERF_CMD_STAT_OPTIONS_H
#define PERF_CMD_STAT_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>
#include "ui/stat/output.h"
#include "util/counter/groups.h"
#include "util/event/evsel.h"
#include "util/lib/options.h"
#include "util/run/run.h"

struct stat_options {
	struct run_opts run;
	struct evlist *evlist;
	const char **spec;		/* of each -e, for --for-each-cgroup */
	unsigned int nr_specs;
	unsigned int nr_cgroups;	/* number of events that already have a -G */
	const char *each_cgroup;
	unsigned int last_event;	/* the first event of the last -e, for --filter */
	const char **filter;		/* each --filter before all events, for the default ones */
	unsigned int nr_filters;
	bool in_bpf;			/* --bpf-counters, or a filter was given */
	uid_t uid;
	bool uid_set, no_inherit, null, no_scale, no_merge;
	bool all_user, all_kernel;	/* count all events in user space, or in the kernel, only */
	int detailed;
	enum counter_by by;
	bool by_set[COUNTER_BY_THREAD + 1];
	unsigned int cache_level;	/* of --per-cache=L3; 0: the last */
	struct stat_output_opts output;
	bool record;			/* perf stat record: write a perf.data */
	const char *path;		/* -o: of the perf.data, or of what is printed */
	bool append;
	int log_fd;			/* -1: none */
	unsigned int runs;		/* -r; 0: until a signal */
	bool runs_set;
	unsigned int interval, interval_count, timeout; /* ms, number, ms; 0: none */
	bool summary, no_csv_summary, sync, quiet;
	int verbose;
	const char *pre, *post;		/* commands of the shell around each run */
	struct run_span spans[RUN_MAX_SPANS];
	struct run_control control;
	bool opened;			/* output.fp is to be closed */
};

#define STAT_NO_INTERVAL (~0U) /* before the options are settled: there is no -I */

#define STAT_OPTIONS_INIT { \
	.output = { .big_num = true }, .log_fd = -1, .runs = 1, .interval = STAT_NO_INTERVAL, .control = { -1, -1 }, \
}

int stat_options__parse_event(const struct option_row *row, const char *arg, bool unset);
int stat_options__parse_metrics(const struct option_row *row, const char *arg, bool unset);
void stat_options__list_metrics(void);
int stat_options__parse_filter(const struct option_row *row, const char *arg, bool unset);
int stat_options__parse_cgroups(const struct option_row *row, const char *arg, bool unset);
int stat_options__parse_user(const struct option_row *row, const char *arg, bool unset);
int stat_options__parse_runs(const struct option_row *row, const char *arg, bool unset);
int stat_options__parse_delay(const struct option_row *row, const char *arg, bool unset);
int stat_options__parse_control(const struct option_row *row, const char *arg, bool unset);
int stat_options__parse_cache(const struct option_row *row, const char *arg, bool unset);

/* Check and combine all options; opens the file of -o. 0 or an exit status, after a message; a wrong command line may exit. */
int stat_options__settle(struct stat_options *o, char **argv);
/* The same for perf stat report, which has only options about printing. */
int stat_options__settle_report(struct stat_options *o);
void stat_options__exit(struct stat_options *o);

#endif
