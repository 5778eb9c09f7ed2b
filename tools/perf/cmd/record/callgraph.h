/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf record for callchains. */
#ifndef PERF_CMD_RECORD_CALLGRAPH_H
#define PERF_CMD_RECORD_CALLGRAPH_H

#include "util/lib/options.h"
#include "util/record/attrs.h"

/* Rows for a table of options; c is a struct callgraph with static storage. */
#define RECORD_OPTIONS_CALLGRAPH(c) \
	OPT_CALLBACK_FLAGS('g', NULL, &(c), NULL, "record callchains", record_callgraph__parse, OPTION_NOARG), \
	OPT_CALLBACK_OF(0, "call-graph", &(c), "mode", "record callchains: by frame pointers (fp; fp,defer finds the user's part on the way " \
			"back from the kernel), by tables in BPF (bpf), by copies of the stack (dwarf[,size]), or by the CPU's branch records (lbr)", \
			record_callgraph__parse, record_callgraph__list)

#define RECORD_OPTION_MAX_STACK(attr) \
	OPT_CALLBACK(0, "max-stack", &(attr).max_stack, "frames", "record at most this many frames of a callchain", record_callgraph__parse_max_stack)

#define RECORD_OPTION_INTERP(opts) \
	OPT_CALLBACK_OF(0, "interp", &(opts), "mode", "in stacks that BPF unwinds, replace the interpreter's frames of Python by its functions' " \
			"(names), show no others (only), or leave them as they are (off)", record_callgraph__parse_interp, record_callgraph__list_interp)

#define RECORD_OPTION_UNWIND_MEMORY(opts) \
	OPT_U64_FROM_1(0, "unwind-memory", &(opts).unwind_mb, "MiB", "let the tables of --call-graph bpf take this much memory (64)")

int record_callgraph__parse(const struct option_row *row, const char *arg, bool unset);
int record_callgraph__parse_max_stack(const struct option_row *row, const char *arg, bool unset);
int record_callgraph__parse_interp(const struct option_row *row, const char *arg, bool unset);
void record_callgraph__list_interp(void);
void record_callgraph__list(void); /* the modes, for completion */

/* Refuse to record other stacks than requested: returns 0, or the exit status after a message about what the kernel lacks. */
int record_callgraph__check(const struct callgraph *callgraph);

#endif
