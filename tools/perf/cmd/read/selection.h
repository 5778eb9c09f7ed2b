/* SPDX-License-Identifier: GPL-2.0 */
/* Selects samples of a recording: the options of the commands that read one. */
#ifndef PERF_CMD_READ_SELECTION_H
#define PERF_CMD_READ_SELECTION_H

#include "cmd/read/switch.h"
#include "util/lib/options.h"
#include "util/lib/words.h"
#include "util/session/session.h"

struct selection {
	const char *cpus, *comms, *dsos, *symbols, *pids, *tids, *times; /* the options; NULL: not given */
	bool named_only;  /* only samples in known functions */
	const char *socket; /* number; NULL: not given */
	s64 socket_id;
	const struct perfdata_features *features;
	u64 addr_range; /* bytes after the addresses in symbols that count, too */
	struct cpumap *cpu_map;
	struct words *comm_list, *dso_list, *symbol_list;
	struct id_list {
		u32 nr, *id;
	} pid, tid;
	u64 *addr; /* the symbols that are addresses */
	u32 nr_addrs;
	struct time_range {
		u64 from, to; /* in ns, both ends included */
	} *time;
	u32 nr_times;
	struct sample_switch switches;
	bool shows_all; /* nothing is selected, so all samples are shown; set by selection__init() */
	bool only_shown_switch; /* as in perf script; otherwise hidden samples switch, too, as in perf report */
};

/* Rows for a table of options; s is a struct selection with static storage. For its switches: SAMPLE_SWITCH_OPTIONS(s.switches) */
#define SELECTION_OPTIONS(s) SELECTION_OPTIONS_DSOS(s, 'd')
/* letter: short option for files; 0: none */
#define SELECTION_OPTIONS_DSOS(s, letter)                                                                 \
	OPT_STRING('C', "cpu", &(s).cpus, "cpu,...", "show only samples of these CPUs"),                           \
	OPT_STRING('c', "comms", &(s).comms, "comm,...", "show only samples of these commands"),        \
	OPT_STRING((letter), "dsos", &(s).dsos, "dso,...", "show only samples in these files"),                         \
	OPT_STRING('S', "symbols", &(s).symbols, "symbol,...", "show only samples in these functions"),            \
	OPT_STRING(0, "pid", &(s).pids, "pid,...", "show only samples of these processes"),                        \
	OPT_STRING(0, "tid", &(s).tids, "tid,...", "show only samples of these threads"),                          \
	OPT_STRING(0, "time", &(s).times, "range,...",                                                        \
		   "show only samples of this time: from,to in seconds, 10%/2 (the second tenth) or 10%-40%")

/* After parsing and opening; s may be NULL for commands, files, functions and tasks. 0 or -errno: -EINVAL for a wrong option, -ENOENT for an event that the file lacks. */
int selection__init(struct selection *sel, struct session *s, struct errmsg *err);
/* The options stay, so that selection__init() may come again with another session. */
void selection__exit(struct selection *sel);

/* Is -C for this CPU? */
bool selection__has_cpu(const struct selection *sel, u32 cpu);

/*
 * LEFT_OUT: other CPUs or times, as if the sample had not been recorded. HIDDEN: other tasks, files and functions; reports still
 * count the periods in the total for percentages.
 */
enum sample_verdict { SAMPLE_SHOWN, SAMPLE_HIDDEN, SAMPLE_LEFT_OUT };
/* Is the verdict equal for all samples with the same thread name, place and callchain? */
bool selection__ignores_rest(const struct selection *sel);
enum sample_verdict selection__judge(struct selection *sel, const struct session_sample *sample);

#endif
