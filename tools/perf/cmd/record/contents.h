/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf record that say what a sample holds, beside callchains. */
#ifndef PERF_CMD_RECORD_CONTENTS_H
#define PERF_CMD_RECORD_CONTENTS_H

#include "util/lib/options.h"
#include "util/record/attrs.h"

/* Rows for a table of options; a is a struct attr_opts with static storage. */
#define RECORD_OPTIONS_CONTENTS(a) \
	OPT_BOOL('d', "data", &(a).addr, "data addresses, and maps of data"), \
	OPT_BOOL(0, "data-mmap", &(a).data_maps, "maps of data, without addresses"), \
	SAMPLE_BIT_ROW(0, "phys-data", a, "physical addresses of data"), \
	SAMPLE_BIT_ROW(0, "data-page-size", a, "sizes of the pages that data is in"), \
	SAMPLE_BIT_ROW(0, "code-page-size", a, "sizes of the pages that code is in"), \
	SAMPLE_BIT_ROW(0, "sample-mem-info", a, "where data came from"), \
	SAMPLE_BIT_ROW('W', "weight", a, "how much it took, of events that tell"), \
	SAMPLE_BIT_ROW(0, "transaction", a, "how transactions ended, of events that tell"), \
	SAMPLE_BIT_ROW('R', "raw-samples", a, "what events have to say in a form of their own; always there of tracepoints"), \
	OPT_CALLBACK_FLAGS(0, "user-regs", &(a), "register,...", "registers of user space, by default all; ? lists them", \
			   record_contents__parse_regs, OPTION_OPTARG), \
	OPT_CALLBACK_FLAGS('I', "intr-regs", &(a), "register,...", "registers of where the sample hit, by default all; ? lists them", \
			   record_contents__parse_regs, OPTION_OPTARG), \
	OPT_CALLBACK_FLAGS('b', "branch-any", &(a), NULL, "the branches taken before, as far as the processor tells", \
			   record_contents__parse_branch_any, OPTION_NOARG), \
	OPT_CALLBACK('j', "branch-filter", &(a), "kind,...", "the branches of these kinds that were taken before", \
		     record_contents__parse_branches), \
	OPT_BOOL('T', "timestamp", &record_contents__always, "times; always there"), \
	OPT_BOOL('P', "period", &(a).sample_period, "periods; always there with -F"), \
	OPT_BOOL(0, "sample-cpu", &(a).cpu, "CPUs; always there with -a"), \
	OPT_BOOL(0, "sample-identifier", &(a).identifier, "which event it is of, also where there is one only")

/* A row that --name sets the bit of that option by, in (a).sample_type */
#define SAMPLE_BIT_ROW(s, name, a, help) OPT_CALLBACK_FLAGS(s, name, &(a), NULL, help, record_contents__set_bit, OPTION_NOARG)

extern bool record_contents__always; /* of options for what is there in any case */

int record_contents__set_bit(const struct option_row *row, const char *arg, bool unset);
int record_contents__parse_regs(const struct option_row *row, const char *arg, bool unset);
int record_contents__parse_branch_any(const struct option_row *row, const char *arg, bool unset);
int record_contents__parse_branches(const struct option_row *row, const char *arg, bool unset);

#endif
