/* SPDX-License-Identifier: GPL-2.0 */
/* Options of the commands that read a recording, by which samples are left out. */
#ifndef PERF_CMD_READ_SELECTION_H
#define PERF_CMD_READ_SELECTION_H

#include "cmd/read/switch.h"
#include "util/lib/options.h"
#include "util/lib/words.h"
#include "util/session/session.h"

struct sample_filter {
	const char *cpus, *comms, *dsos, *symbols, *pids, *tids, *times; /* the options; NULL: not given */
	bool named_only;  /* samples in functions that are known */
	const char *socket; /* number; NULL: not given */
	s64 socket_id;
	const struct perfdata_features *features;
	u64 addr_range; /* bytes behind the addresses among the symbols that count, too */
	struct cpumap *cpu_map;
	struct words *comm_list, *dso_list, *symbol_list;
	struct id_list {
		u32 nr, *id;
	} pid, tid;
	u64 *addr; /* the symbols that are numbers */
	u32 nr_addrs;
	struct time_range {
		u64 from, to; /* ns; both in */
	} *time;
	u32 nr_times;
	struct sample_switch *switches; /* of who owns the filter: samples that it leaves out are; NULL: none */
};

/* Rows for a table of options; f is a struct sample_filter with static storage. */
#define SAMPLE_FILTER_OPTIONS(f) SAMPLE_FILTER_OPTIONS_DSOS(f, 'd')
/* letter: of the option for files; 0: it has none */
#define SAMPLE_FILTER_OPTIONS_DSOS(f, letter)                                                                 \
	OPT_STRING('C', "cpu", &(f).cpus, "cpu,...", "only samples of these CPUs"),                           \
	OPT_STRING('c', "comms", &(f).comms, "comm,...", "only samples of commands with these names"),        \
	OPT_STRING((letter), "dsos", &(f).dsos, "dso,...", "only samples in these files"),                         \
	OPT_STRING('S', "symbols", &(f).symbols, "symbol,...", "only samples in these functions"),            \
	OPT_STRING(0, "pid", &(f).pids, "pid,...", "only samples of these processes"),                        \
	OPT_STRING(0, "tid", &(f).tids, "tid,...", "only samples of these threads"),                          \
	OPT_STRING(0, "time", &(f).times, "range,...",                                                        \
		   "only samples of this time: from,to in seconds, 10%/2 (the second tenth) or 10%-40%")

/* After parsing and opening. 0 or -errno. */
int sample_filter__init(struct sample_filter *f, struct session *s, struct errmsg *err);
void sample_filter__exit(struct sample_filter *f);

/* Is -C for this CPU? */
bool sample_filter__has_cpu(const struct sample_filter *f, u32 cpu);

/*
 * Samples of other CPUs or times are as if they had not been recorded; of those of other tasks, files and functions reports still
 * count the periods, as the whole that percentages are of.
 */
enum sample_verdict { SAMPLE_SHOWN, SAMPLE_HIDDEN, SAMPLE_LEFT_OUT };
/* Is its verdict the same for all samples of a process, a thread's name, a place and a callchain? */
bool sample_filter__ignores_rest(const struct sample_filter *f);
enum sample_verdict sample_filter__judge(const struct sample_filter *f, const struct session_sample *sample);

#endif
