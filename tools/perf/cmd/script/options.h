/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf script for its contents and format, and those that need parsing. */
#ifndef PERF_CMD_SCRIPT_OPTIONS_H
#define PERF_CMD_SCRIPT_OPTIONS_H

#include "cmd/read/options.h"
#include "cmd/read/selection.h"
#include "ui/script/fields.h"
#include "util/lib/options.h"

/* Records that are no samples, as bits. */
enum script_records {
	SCRIPT_SHOW_TASK = 1 << 0,
	SCRIPT_SHOW_MMAP = 1 << 1,
	SCRIPT_SHOW_LOST = 1 << 2,
	SCRIPT_SHOW_SWITCH = 1 << 3,
	SCRIPT_SHOW_CGROUP = 1 << 4,
	SCRIPT_SHOW_NAMESPACES = 1 << 5,
	SCRIPT_SHOW_BPF = 1 << 6,
	SCRIPT_SHOW_TEXT_POKE = 1 << 7,
	SCRIPT_SHOW_ROUND = 1 << 8,
	SCRIPT_SHOW_DEFERRED = 1 << 9, /* user callchains that are not joined with those of samples */
};

struct script_options {
	struct read_options reading;
	struct script_fields fields;
	struct selection selection;
	unsigned int shown; /* SCRIPT_SHOW_ bits */
	bool dump, full_source_path, ns, latency, hide_chains, relative, delta, kernel_path, check_order, per_event;
	bool all_cpus; /* for script record, which other perfs do */
	const char *stop_at;   /* functions */
	const char *handed_on; /* the first option for other perfs; NULL: none */
	const char *refused, *why;	/* the first refused option, and the reason; NULL: none */
};

#define SCRIPT_OPTIONS_INIT { .reading = READ_OPTIONS_BEGIN("pager.script", false), .selection.only_shown_switch = true }

/* Rows for a table of options; o is a struct script_options with static storage. */
#define SCRIPT_SHOWN_OPTIONS(o) \
	SCRIPT_SHOWN(o, "show-task-events", "show fork, comm and exit records"), \
	SCRIPT_SHOWN(o, "show-mmap-events", "show mmap records"), \
	SCRIPT_SHOWN(o, "show-switch-events", "show context switch records"), \
	SCRIPT_SHOWN(o, "show-namespace-events", "show namespace records"), \
	SCRIPT_SHOWN(o, "show-lost-events", "show records of lost and of dropped samples"), \
	SCRIPT_SHOWN(o, "show-round-events", "show the end of each round of writing"), \
	SCRIPT_SHOWN(o, "show-bpf-events", "show records of BPF programs"), \
	SCRIPT_SHOWN(o, "show-cgroup-events", "show cgroup records"), \
	SCRIPT_SHOWN(o, "show-text-poke-events", "show changes of the kernel's code")
#define SCRIPT_SHOWN(o, name, help) OPT_CALLBACK_FLAGS(0, name, &(o), NULL, help, script_options__parse_shown, OPTION_NOARG)

/* Callbacks of rows whose value is a struct script_options. */
int script_options__parse_fields(const struct option_row *row, const char *arg, bool unset);
int script_options__parse_shown(const struct option_row *row, const char *arg, bool unset);   /* --show-..-events */
int script_options__hand_on(const struct option_row *row, const char *arg, bool unset);
int script_options__refuse(const struct option_row *row, const char *arg, bool unset);

#endif
