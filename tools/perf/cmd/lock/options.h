/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf lock contention, and its results on their way to the output. */
#ifndef PERF_CMD_LOCK_OPTIONS_H
#define PERF_CMD_LOCK_OPTIONS_H

#include <stdbool.h>
#include "cmd/lock/late-rows.h"
#include "cmd/lock/stacks.h"
#include "cmd/read/options.h"
#include "cmd/record/options.h"
#include "ui/lock/json.h"
#include "ui/lock/output.h"
#include "util/source/lock-opts.h"

#define LOCK_MAX_WAITS 16384 /* the default of -M */
#define LOCK_MAX_STACK 8

struct lock_options {
	struct record_options recording; /* first member: the function that prints results gets it */
	struct lock_opts locks;
	struct tally_opts counting;
	struct lock_output_opts output;
	bool by_task, by_lock, by_cgroup, by_owner;
	bool use_bpf; /* -b */
	struct read_options reading; /* its input is that of -i; NULL: watch the system, or read perf.data: see file.h */
	unsigned int max_stack;
	int skip;	/* LOCK_SKIP_BY_NAME: not given */
	const char *cgroups, *path, *filter_text;
	const char *write; /* -w: a file of waits, besides; NULL: none */
	bool as_json;
	bool show_tasks, show_locks; /* perf lock info */
	struct lock_stacks stacks;
	char *lock_list; /* -L */
	const char **substring; /* ends with NULL; NULL: none */
	unsigned int nr_substring;
	/* Of the run */
	struct kernel_names *names; /* NULL: not read yet, or not readable */
	bool names_read;
	struct lock_frames frames;
	struct lock_rows *rows, *locks_too; /* locks_too: for show_locks; otherwise NULL */
	struct lock_json *json; /* NULL: the table is a text */
	struct record_rows sink;
	struct lock_late_rows late; /* for stacks in user space */
	u64 *address;
	char **place; /* names of -L that are not addresses or variables; ends with NULL. NULL: none */
	unsigned int nr_places;
	int write_error; /* errno of the first failure to write the table; 0: none */
	bool failed; /* the table could not be written */
};

#define LOCK_OPTIONS_INIT \
	{ \
		.recording = RECORD_OPTIONS_INIT, \
		.locks = { .max_waits = LOCK_MAX_WAITS }, \
		.counting = TALLY_OPTS_INIT, \
		.max_stack = LOCK_MAX_STACK, \
		.skip = LOCK_SKIP_BY_NAME, \
		.reading = READ_OPTIONS_INIT(NULL), \
		.output = { .columns = { LOCK_CONTENDED, LOCK_WAIT_TOTAL, LOCK_WAIT_MAX, LOCK_AVG_WAIT }, .nr_columns = 4, .sort = LOCK_WAIT_TOTAL }, \
	}

/* Callbacks of rows whose value is a struct lock_options */
int lock_options__parse_key(const struct option_row *row, const char *arg, bool unset);
int lock_options__parse_fields(const struct option_row *row, const char *arg, bool unset);
int lock_options__parse_types(const struct option_row *row, const char *arg, bool unset);
int lock_options__parse_locks(const struct option_row *row, const char *arg, bool unset);
int lock_options__parse_substring(const struct option_row *row, const char *arg, bool unset);
void lock_options__list_numbers(void); /* for --list-values */
void lock_options__list_types(void);

/* Check what does not depend on where waits come from. A wrong command line exits. */
void lock_options__check(struct lock_options *o);
/* For watching the system: check and combine all options. 0 or an exit status, after a message; a wrong command line may exit. */
int lock_options__settle(struct lock_options *o, char **argv);
/* Before the run: become the recording's output. 0, or an exit status after a message. */
int lock_options__begin(struct lock_options *o);
/* After the run: print all. A record_tell. */
void lock_options__finish(struct record_options *recording, const struct record_result *result);
void lock_options__exit(struct lock_options *o);

/* For both. Open the output and an empty table; machine: see lock_rows_opts. 0, or an exit status after a message. */
int lock_options__open_rows(struct lock_options *o, struct machine *machine);
/* A round is complete: print its table, unless whole stacks take its place, and begin a new one. 0 or -ENOMEM */
int lock_options__print_round(struct lock_options *o);
/* All rounds are printed: print what they lack, and whole stacks. 0, or -1 after a message. */
int lock_options__print_end(struct lock_options *o, const struct lock_totals *totals, const struct tally_counts *counts);
/* For each word of -L until cb returns non-zero. */
int lock_options__for_each_lock(struct lock_options *o, int (*cb)(struct lock_options *o, const char *word, size_t len, struct errmsg *err),
				struct errmsg *err);
bool lock_options__parse_address(const char *text, u64 *address); /* hexadecimal */
int lock_options__add_address(struct lock_options *o, u64 address, struct errmsg *err); /* 0 or -ENOMEM */
int lock_options__add_place(struct lock_options *o, const char *name, struct errmsg *err);

#endif
