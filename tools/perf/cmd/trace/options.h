/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf trace, and system calls on their way to the output. */
#ifndef PERF_CMD_TRACE_OPTIONS_H
#define PERF_CMD_TRACE_OPTIONS_H

#include <stdbool.h>
#include "cmd/read/options.h"
#include "cmd/record/options.h"
#include "cmd/trace/others.h"
#include "ui/trace/calls.h"
#include "ui/trace/sums.h"

#define TRACE_BYTES 32 /* of a buffer, unless --string-size says otherwise */
#define TRACE_MAX_SUMS 131072 /* rows in the kernel */

struct trace_options {
	struct record_options recording; /* first member: the function that prints results gets it */
	struct trace_opts trace;
	struct tally_opts counting;
	bool wanted[TRACE_MAX_CALLS]; /* by row */
	bool some_wanted, some_unwanted; /* -e */
	bool calls_on, calls_off; /* --syscalls, --no-syscalls */
	bool major_faults, minor_faults; /* -F */
	bool has_calls, has_others; /* what is traced */
	bool in_turn; /* lines wait to be put in the order of their times, as they come by several ways */
	bool sums_only, with_sums, failed_only, with_errors, full_time;
	bool bpf_sums; /* not used: the tables are the same */
	bool sorted, members, show_comm; /* the first two are always done */
	const char *duration, *path, *mode, *filter_text, *filter_pids, *cgroups;
	u64 max_bytes; /* of a buffer; 0: TRACE_BYTES */
	unsigned int max_summary;
	enum callgraph_mode callgraph; /* CALLGRAPH_NONE, _FP, _DWARF or _BPF */
	unsigned int max_stack, min_stack; /* 0: not given */
	struct trace_style style;
	char *other_events; /* of -e, with commas; NULL: none. Owned */
	struct trace_others others;
	struct read_options reading; /* its input is that of -i; NULL: watch the system */
	u64 max_events; /* 0: all */
	/* Of the run */
	struct syscall_formats *formats;
	struct trace_lines lines;
	struct trace_sums *sums;
	struct record_rows sink;
	u64 nr_events;
	u64 last_pass; /* CLOCK_MONOTONIC; 0: there was none */
	const struct callchain *chain; /* of a file's call that is just taken; NULL: it has none */
	struct text written; /* lines on their way to fp */
	FILE *fp;
	int write_error; /* errno of the first one; 0: none */
	bool failed; /* the output could not be written */
};

#define TRACE_OPTIONS_INIT { .recording = RECORD_OPTIONS_INIT, .counting = TALLY_OPTS_INIT, .bpf_sums = true, .sorted = true, .members = true, .show_comm = true, .reading = READ_OPTIONS_INIT(NULL) }

int trace_options__parse_calls(const struct option_row *row, const char *arg, bool unset);
void trace_options__list_calls(void); /* for --list-values */
int trace_options__parse_faults(const struct option_row *row, const char *arg, bool unset);
void trace_options__list_faults(void);
int trace_options__parse_callgraph(const struct option_row *row, const char *arg, bool unset);
void trace_options__list_callgraphs(void);
int trace_options__parse_syscalls(const struct option_row *row, const char *arg, bool unset);

/* An event beside calls, as -e takes it. 0, or -1 after a message */
int trace_options__add_other(struct trace_options *o, const char *word, size_t len);
/* Want these calls, or not. "*": also those that have no name. Returns how many match. */
unsigned int trace_options__choose_calls(struct trace_options *o, const char *glob, bool wanted);
/*
 * Of the events beside system calls: are some sampled at a frequency, and are all hits of others taken? Tracepoints and breakpoints are not
 * meant, of which that is usual. 0 or -errno with a message
 */
int trace_options__find_rates(const struct trace_options *o, bool *sampled, bool *each, struct errmsg *err);
/* Add the events beside system calls to those of the recording. 0 or -errno with a message */
int trace_options__add_events(struct trace_options *o, struct errmsg *err);
/* Check and combine all options. 0 or an exit status, after a message; a wrong command line may exit. */
int trace_options__settle(struct trace_options *o, char **argv);
/* Write the lines of o->written if they are many, or if more of them may be long in coming. */
void trace_options__write_some(struct trace_options *o);
/* After the run: print the rest. A record_tell. */
void trace_options__finish(struct record_options *recording, const struct record_result *result);
/* Print sums, if they are wanted, and the rest of the lines. 0, or -1 after a message. */
int trace_options__print_end(struct trace_options *o);
void trace_options__exit(struct trace_options *o);

#endif
