/* SPDX-License-Identifier: GPL-2.0 */
/* A recording of the scheduler's tracepoints, for all views of perf sched. */
#ifndef PERF_CMD_SCHED_FILE_H
#define PERF_CMD_SCHED_FILE_H

#include "cmd/read/options.h"
#include "cmd/read/recorded-hits.h"
#include "cmd/read/selection.h"
#include "util/bpf_skel/sched.h"

enum sched_hit_kind {
	SCHED_HIT_OTHER,
	SCHED_HIT_SWITCH,
	SCHED_HIT_WAKING, /* sched:sched_waking, or sched:sched_wakeup of a file without it; and sched:sched_wakeup_new */
	SCHED_HIT_RUNTIME,
	SCHED_HIT_MIGRATE,
};

#define SCHED_MAX_CPUS 8192 /* a sample of a higher one is malformed */

struct sched_file {
	struct read_options *reading;
	struct session *session;
	struct recorded_hits hits; /* of enum sched_hit_kind */
	struct selection selection; /* only its times and CPUs: set before sched_file__open() */
	u32 nr_cpus;		   /* that were online, or are in samples so far */
	struct errmsg err;	   /* of a callback that ended the run */
};

struct sched_switch_hit {
	struct thread *prev, *next;
	/* Their names: those of the hit for tasks whose names nothing else told */
	const char *prev_comm, *next_comm;
	char prev_text[SCHED_COMM_LEN], next_text[SCHED_COMM_LEN]; /* the hit's; of idle tasks with the CPU: "swapper/1" */
	u64 prev_prio, next_prio;
	char state; /* of prev: 'R', 'S', 'D', ... */
};

/* Open the file and find its events. 0 or an exit status, after a message */
int sched_file__open(struct sched_file *f);
/* Parse the options of a subcommand that only reads: words are refused. argv[0] is its name. */
void sched_file__parse(int argc, char **argv, const struct option_row *rows, const char *const *usages);
/* Deliver all samples of the wanted kinds; warn about what is missing. 0 or an exit status, after a message */
int sched_file__run(struct sched_file *f, const struct session_ops *ops, void *data, enum session_detail detail);
/* After printing: of a damaged file, or 0. */
int sched_file__status(const struct sched_file *f);
void sched_file__close(struct sched_file *f);

/* The kind of a hit. SCHED_HIT_OTHER: it belongs to another event, or is malformed */
enum sched_hit_kind sched_file__kind(struct sched_file *f, const struct session_sample *sample);
/* false: the sample lacks fields, and is counted as malformed. */
bool sched_file__read_switch(struct sched_file *f, const struct session_sample *sample, struct sched_switch_hit *hit);
/* The task that another kind of hit is about; NULL: the same. *comm as above; text has SCHED_COMM_LEN bytes */
struct thread *sched_file__read_task(struct sched_file *f, const struct session_sample *sample, const char **comm, char *text);
bool sched_file__number(struct sched_file *f, const struct session_sample *sample, const char *field, u64 *value);
bool sched_file__is_in_time(const struct sched_file *f, u64 time);

/* Losses of the file, as other perfs show them below a table. */
void sched_file__print_lost(const struct sched_file *f);

#endif
