/* SPDX-License-Identifier: GPL-2.0 */
/* perf sched latency: of the running system, watched in BPF, or of a file. */
#ifndef PERF_CMD_SCHED_LATENCY_H
#define PERF_CMD_SCHED_LATENCY_H

#include "cmd/read/options.h"
#include "cmd/record/options.h"
#include "cmd/record/watching.h"
#include "ui/sched/latency.h"
#include "util/source/sched-opts.h"
#include "util/symbol/kernel-names.h"

#define SCHED_MAX_ROWS 16384 /* the default of -M */

struct sched_latency_options {
	struct record_options recording; /* first member: the function that prints results gets it */
	struct sched_opts sched;
	struct watching watching;
	struct read_options *reading; /* input NULL: watch the system, or read perf.data */
	enum sched_sort sort[SCHED_MAX_SORTS];
	unsigned int nr_sorts; /* 0: not given */
	bool use_bpf, by_task, histogram;
	const char *hist_mode, *times, *filter_text;
	/* Of the run */
	struct sched_rows *rows;
	struct kernel_names *names; /* NULL: not needed, or not readable */
	bool failed; /* there was no memory for the output */
};

#define SCHED_LATENCY_OPTIONS_INIT(reading_) \
	{ \
		.recording = RECORD_OPTIONS_INIT, \
		.sched = { .max_rows = SCHED_MAX_ROWS }, \
		.watching = WATCHING_INIT, \
		.reading = (reading_), \
	}

/* Callbacks of a row whose value is a struct sched_latency_options */
int sched_latency__parse_sort(const struct option_row *row, const char *arg, bool unset);
void sched_latency__list_sorts(void); /* for --list-values */
void sched_latency__list_modes(void);

int sched_latency__run(struct sched_latency_options *o, int argc, char **argv, const struct option_row *rows, const char *const *usages);

/* The parts of sched_latency__run(), which is in latency-run.c. */
bool sched_latency__has_target(const struct sched_latency_options *o);
void sched_latency__check(struct sched_latency_options *o); /* a wrong command line exits */
int sched_latency__watch(struct sched_latency_options *o, char **argv); /* the exit status */
int sched_latency__print(struct sched_latency_options *o, const struct sched_totals *totals); /* 0 or an exit status */
void sched_latency__notes(const struct sched_latency_options *o, const struct sched_totals *totals);
int sched_latency__read_file(struct sched_latency_options *o); /* the same; in latency-file.c */

#endif
