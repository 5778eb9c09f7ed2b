/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf report for its contents and rows, and those that need parsing. */
#ifndef PERF_CMD_REPORT_OPTIONS_H
#define PERF_CMD_REPORT_OPTIONS_H

#include <regex.h>

#include "cmd/read/options.h"
#include "cmd/read/selection.h"
#include "ui/profile/profile.h"
#include "util/hist/hist.h"

enum report_group_by {
	REPORT_GROUP_RECORDED,
	REPORT_GROUP_ALL, /* if the file has no groups */
	REPORT_GROUP_NONE,
};

enum report_branches {
	REPORT_BRANCHES_RECORDED, /* if the recording has them */
	REPORT_BRANCHES_ALWAYS,	  /* otherwise print nothing */
	REPORT_BRANCHES_NONE,
};

struct report_view_options { /* the view, see cmd/report/view.h, and the options for one view only */
	const char *profile[PROFILE_NR_FORMATS]; /* files; NULL: not given */
	const char *colors; /* of pages; NULL: not given */
	const char *old; /* recording to compare with; NULL: not given */
	enum folded_weight folded; /* FOLDED_NONE: not given */
	bool timeline; /* as text */
	bool json, stats, tasks, mmaps, dump;
	bool tui, stdio, threads; /* for rows */
	const char *pretty;	  /* for threads: normal, raw; NULL: not given */
};

struct report_options {
	struct read_options reading;
	struct report_view_options view;
	const char *sort, *fields;
	bool hierarchy; /* excludes children and groups */
	enum report_group_by group;
	enum report_branches branches;
	unsigned int group_sort; /* index of the group member that is the primary sort key */
	bool children, show_samples, show_period, mem_mode, relative, exclude_other, quiet;
	double min_percent;
	const char *separator, *symbol_filter;
	struct {
		enum hist_chain_mode mode;
		enum hist_chain_value value;
		enum frame_key key;
		bool asked, caller_first, order_given;
		double min_percent;
		unsigned int max_branches; /* 0: all */
	} chains;
	struct report_regex {
		const char *text; /* NULL: not given */
		regex_t compiled;
		bool is_compiled;
	} parent, ignore_callees;
	bool latency;		 /* the column first */
	const char *parallelism; /* list of numbers; NULL: all */
	bool skip_empty; /* leave out events without samples */
	bool show_modes, nanoseconds, full_paths, full;
	struct code_opts code; /* of functions, in the browser */
	u64 time_quantum; /* ns; 0: not given */
	struct {
		u16 at[HIST_MAX_COLUMNS];
		u32 nr;
	} widths;
	const struct hist_comparison *comparison; /* of perf diff, which the rows are for; NULL: none */
	struct selection selection;
	char *next_input; /* recording that is to be shown next, malloc'ed: the user chose it on the terminal. NULL: none */
	char *own_input;  /* what reading.input is then */
};

#define REPORT_OPTIONS_INIT { .reading = READ_OPTIONS_INIT("pager.report"), .children = true, .skip_empty = true, \
			      .chains = { .mode = HIST_CHAIN_GRAPH, .min_percent = 0.5 } }

/* Callbacks of rows whose value is a struct report_options. */
int report_options__parse_chains(const struct option_row *row, const char *arg, bool unset);   /* -g */
void report_options__list_chain_words(void); /* of -g, for completion */
int report_options__parse_inverted(const struct option_row *row, const char *arg, bool unset); /* -G */
int report_options__parse_limit(const struct option_row *row, const char *arg, bool unset);    /* --percent-limit */
int report_options__parse_percentage(const struct option_row *row, const char *arg, bool unset);
int report_options__parse_branches(const struct option_row *row, const char *arg, bool unset);
int report_options__parse_group(const struct option_row *row, const char *arg, bool unset);
void report_options__list_keys(void); /* for --list-values of -s and -F */
/* Of --stdio-color: perf's colours are not ours, but who wants none, or leaves that to us, gets text. */
int report_options__check_color(const struct option_row *row, const char *arg, bool unset);
int report_options__parse_timeline(const struct option_row *row, const char *arg, bool unset);
int report_options__parse_quantum(const struct option_row *row, const char *arg, bool unset);
int report_options__parse_widths(const struct option_row *row, const char *arg, bool unset);
/* The value is a struct report_regex. */
int report_options__parse_regex(const struct option_row *row, const char *arg, bool unset);

/* Compile the expression of --parent, or its default. 0 or -ENOMEM. */
int report_options__compile_parent(struct report_options *o);
/* Read next_input now: reset all that depends on the recording before. False: there is no next one. */
bool report_options__next(struct report_options *o);
void report_options__exit(struct report_options *o);

#endif
