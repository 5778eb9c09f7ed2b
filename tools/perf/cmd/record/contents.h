/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf record for the contents of samples, other than callchains. */
#ifndef PERF_CMD_RECORD_CONTENTS_H
#define PERF_CMD_RECORD_CONTENTS_H

#include "util/lib/options.h"
#include "util/record/attrs.h"

/* Rows for a table of options; a is a struct attr_opts with static storage. */
#define RECORD_OPTIONS_CONTENTS(a) \
	OPT_BOOL('d', "data", &(a).addr, "record addresses of data, and maps of data"), \
	OPT_BOOL(0, "data-mmap", &(a).data_maps, "record maps of data, but no addresses"), \
	SAMPLE_BIT_ROW(0, "phys-data", a, "record physical addresses of data"), \
	SAMPLE_BIT_ROW(0, "data-page-size", a, "record the size of the page of each data address"), \
	SAMPLE_BIT_ROW(0, "code-page-size", a, "record the size of the page of each code address"), \
	SAMPLE_BIT_ROW(0, "sample-mem-info", a, "record where the data came from (cache level, RAM, ...)"), \
	SAMPLE_BIT_ROW('W', "weight", a, "record the weight (latency), for events that have one"), \
	SAMPLE_BIT_ROW(0, "transaction", a, "record how transactions ended, for events that tell"), \
	SAMPLE_BIT_ROW('R', "raw-samples", a, "record the raw data of events (tracepoints: always)"), \
	OPT_CALLBACK_FLAGS(0, "user-regs", &(a), "register,...", "record registers of user space (all); ? lists them", \
			   record_contents__parse_regs, OPTION_OPTARG), \
	OPT_CALLBACK_FLAGS('I', "intr-regs", &(a), "register,...", "record registers at the sample (all); ? lists them", \
			   record_contents__parse_regs, OPTION_OPTARG), \
	OPT_CALLBACK_FLAGS('b', "branch-any", &(a), NULL, "record the last branches that the CPU took", \
			   record_contents__parse_branch_any, OPTION_NOARG), \
	OPT_CALLBACK('j', "branch-filter", &(a), "kind,...", "record the last branches of these kinds", \
		     record_contents__parse_branches), \
	OPT_BOOL('T', "timestamp", &record_contents__always, "record times (always on)"), \
	OPT_BOOL('P', "period", &(a).sample_period, "record periods (always on with -F)"), \
	OPT_BOOL(0, "sample-cpu", &(a).cpu, "record CPUs (always on with -a)"), \
	OPT_BOOL(0, "sample-identifier", &(a).identifier, "record the event's id in each sample, even if there is one event only")

/* A row whose option --name sets the bit of flags in (a).sample_type */
#define SAMPLE_BIT_ROW(s, name, a, help) OPT_CALLBACK_FLAGS(s, name, &(a), NULL, help, record_contents__set_bit, OPTION_NOARG)

extern bool record_contents__always; /* value of options that are always on */

int record_contents__set_bit(const struct option_row *row, const char *arg, bool unset);
int record_contents__parse_regs(const struct option_row *row, const char *arg, bool unset);
int record_contents__parse_branch_any(const struct option_row *row, const char *arg, bool unset);
int record_contents__parse_branches(const struct option_row *row, const char *arg, bool unset);

#endif
