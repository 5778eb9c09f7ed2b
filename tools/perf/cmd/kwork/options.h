/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf kwork, and their results on the way to the output. */
#ifndef PERF_CMD_KWORK_OPTIONS_H
#define PERF_CMD_KWORK_OPTIONS_H

#include <stdbool.h>
#include "cmd/read/options.h"
#include "cmd/record/options.h"
#include "cmd/record/watching.h"
#include "ui/kwork/output.h"
#include "util/symbol/kernel-names.h"

#define KWORK_MAX_ROWS 16384 /* the default of -M */

enum kwork_view { KWORK_VIEW_REPORT, KWORK_VIEW_LATENCY, KWORK_VIEW_TIMEHIST, KWORK_VIEW_TOP };

struct kwork_options {
	struct record_options recording; /* first member: the function that prints results gets it */
	struct kwork_opts kwork;
	struct watching watching;
	struct read_options reading; /* input NULL: watch the system, or read perf.data: see file.h */
	enum kwork_view view;
	u32 classes;	  /* -k; 0: not given */
	enum kwork_sort sort[KWORK_MAX_SORTS];
	unsigned int nr_sorts; /* 0: not given */
	bool use_bpf;	  /* -b */
	bool summary, stages;
	const char *name, *times, *filter_text;
	/* Of the run */
	struct kwork_rows *rows;
	struct kwork_machine machine;
	struct kernel_names *names; /* NULL: not read yet, or not readable */
	bool names_read;
	const char *(*function)(void *data, u64 address); /* from a file; NULL: of the running kernel */
	void *function_data;
	bool failed; /* there was no memory for the output */
};

#define KWORK_OPTIONS_INIT(view_) \
	{ \
		.recording = RECORD_OPTIONS_INIT, \
		.kwork = { .max_rows = KWORK_MAX_ROWS }, \
		.watching = WATCHING_INIT, \
		.reading = READ_OPTIONS_INIT(NULL), \
		.view = (view_), \
	}

/* Callbacks of rows whose value is a struct kwork_options */
int kwork_options__parse_classes(const struct option_row *row, const char *arg, bool unset);
int kwork_options__parse_sort(const struct option_row *row, const char *arg, bool unset);
void kwork_options__list_classes(void); /* for --list-values */
void kwork_options__list_sorts(void);

/* Check and combine the options that files have, too. A wrong command line exits. */
void kwork_options__check(struct kwork_options *o);
/* The same for watching the system. 0 or an exit status, after a message; a wrong command line may exit. */
int kwork_options__settle(struct kwork_options *o, char **argv);
/* Before rows arrive. 0 or an exit status, after a message */
int kwork_options__open_rows(struct kwork_options *o);
/* After the last row. 0 or -ENOMEM */
int kwork_options__print(struct kwork_options *o);
/* The name of a kernel function in the running kernel; NULL: unknown. data is the struct kwork_options. */
const char *kwork_options__function(void *data, u64 address);
/* After the run: print all. A record_tell. */
void kwork_options__finish(struct record_options *recording, const struct record_result *result);
void kwork_options__exit(struct kwork_options *o);

#endif
