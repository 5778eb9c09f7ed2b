/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording workflow: target, events, output, command, the loop that moves records from the rings to the file, and the
 * end of all that. Prints nothing: commands tell what the result says.
 */
#ifndef PERF_RECORD_RECORD_H
#define PERF_RECORD_RECORD_H

#include <stdbool.h>
#include <stdio.h>
#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/record/attrs.h"
#include "util/record/user-stacks.h"
#include "util/run/run.h"
#include "util/sampler/sampler.h"
#include "util/source/histogram-opts.h"
#include "util/source/offcpu-opts.h"
#include "util/source/tally.h"

/*
 * Is told of all records that a recording makes, as they are written, and counted samples round by round. A negative return with
 * a text in err ends the recording.
 */
struct record_sink {
	int (*begin)(void *data, const struct perfdata_event *event, u32 nr, struct errmsg *err); /* events live as long as the record */
	int (*records)(void *data, const void *records, size_t size, struct errmsg *err);
	int (*round)(void *data, struct errmsg *err); /* all of a round has been told; only with opts->count */
	int fd;			   /* something to wait for; -1: nothing */
	bool (*readable)(void *data); /* fd is. True: end the recording */
	void *data;
};

/* Is given what is counted instead of a file or a sink, so that records of tasks and maps are of no use. Returns as record_sink. */
struct record_rows {
	int (*row)(void *data, unsigned int evsel_idx, const struct tally_row *row, struct errmsg *err);
	int (*round)(void *data, struct errmsg *err); /* all rows of a round have been given */
	void *data;
};

struct record_switching { /* from one output file to the next, whose names then end with the time */
	bool on;
	int signo;		/* that asks for it; 0: none */
	struct evlist *events;	/* whose samples, which are not recorded, ask for it; NULL: none. The caller's */
	u64 size;		/* bytes after which it is done; 0: never */
	u64 ms;			/* the same in time */
	unsigned int max_files;	/* so many are kept; 0: all */
};

struct record_synth { /* records of what runs already */
	bool no_tasks, no_maps, no_cgroups; /* maps are those of tasks */
	bool at_end;		/* of each file, as it is then; else at its beginning */
};

struct record_progress { /* of a recording that goes on, all events together */
	u64 nr_samples;	/* in the output */
	bool filtered;	/* seen and dropped are known */
	u64 seen, dropped, lost;
	u64 bytes;
};

struct record_opts { /* strings and argv are the caller's and must outlive the recording */
	/* The target, the command and when events count. The recording sets stdout_taken, signo and max_wait. */
	struct run_opts run;
	bool no_inherit;
	/*
	 * attr.overwrite: nothing but the side-band is written until a file ends; what the rings hold then is written, the latest
	 * samples. Not with samples that BPF programs make.
	 */
	struct attr_opts attr;	   /* as the user wishes; what follows from the target and from counting is added */
	struct offcpu_opts off_cpu; /* for events of off-CPU time */
	unsigned int mmap_pages;   /* 0: default */
	int realtime;		   /* priority of SCHED_FIFO to record with; 0: none */
	const char *output;	   /* "-": the standard output; NULL: no file; then there is a sink */
	const struct record_sink *sink; /* NULL: none */
	const struct tally_opts *count; /* the kernel counts samples, see sampler.h; NULL: each one is written */
	const struct histogram_opts *histogram; /* what is counted are histograms, see sampler.h; NULL: none */
	const struct record_rows *rows; /* with count, and with neither output nor sink; NULL: there are these */
	unsigned int interval;	   /* ms from one round of counts to the next; 0: one round, at the end */
	int compression_level;	   /* 1 to 22; 0: records are written as they are */
	struct record_synth synth;
	struct record_switching switching;
	bool timestamp_filename;   /* the output's name ends with the time of its end */
	bool no_build_ids;	   /* in the records of maps */
	const char *build_id_cache; /* is given the files that readers would not find by their paths, see kept-files.h; NULL: none are */
	bool no_build_id_cache;
	bool keep_all_files;	   /* give it all mapped files with code */
	u64 max_size;		   /* bytes of output that end the recording; 0: none do */
	const char *version;	   /* of perf, for the file's header */
	bool dropped_as_lost;	   /* tell of dropped samples by LOST_SAMPLES, else by EVENT_UPDATE_DROPPED_ */
	bool explain;		   /* count what each test of the filters does */
	int cmdline_argc;	   /* how perf was called, for the same */
	const char *const *cmdline_argv;
	void (*progress)(const struct record_progress *progress); /* told about once a second; NULL: nobody asks */
};

struct record_result {
	/* 128 + SIGINT or SIGTERM if that ended the recording, else that of the command, else 0 */
	int exit_code;
	unsigned int wakeups;	/* times that data was moved */
	u64 bytes;		/* of the file */
	u64 nr_samples;		/* in it, each for itself */
	u64 nr_counted, nr_keys; /* samples that were counted, and the records that stand for them */
	u64 nr_overwritten;	/* samples that filters kept, but that gave way to later ones (attr.overwrite) */
	u64 nr_lost;		/* records of any kind that the kernel reported as lost in its rings (PERF_RECORD_LOST) */
	u64 nr_lost_side_band;	/* of maps and tasks alone, where the kernel's counts tell; no record tells of the last losses */
	struct user_stacks user_stacks; /* whether user callchains are whole */
	struct sampler_counts *counts; /* by evsel->idx */
	struct tally_counts *counted; /* the same; NULL: nothing was counted */
};

struct record;

/*
 * Check all that can be checked while nothing is opened, forked or written: the target exists, the filters are right (see
 * sampler__new_scoped for the one exception). -EINVAL: a wrong command line; else the set-up failed. evlist must outlive the record.
 */
int record__new(const struct record_opts *opts, struct evlist *evlist, struct record **rec, struct errmsg *err);
/* Without a recording: would the kernel take the filters that it is to judge tracepoints by? */
int record__ask_kernel(const struct record *rec, struct errmsg *err);
void record__dump_filters(const struct record *rec, FILE *fp);
/* After the recording: what each test of the filters did, if opts->explain asked for it. */
int record__dump_clauses(const struct record *rec, FILE *fp, struct errmsg *err);

/*
 * Record until the command or all of the target has ended, or SIGINT or SIGTERM came. After an error result holds what was
 * reached, and what was written until then stays in the file. result->counts is freed with rec.
 */
int record__run(struct record *rec, struct record_result *result, struct errmsg *err);
void record__delete(struct record *rec);

/* What kernel.perf_event_max_sample_rate allows; 0: unknown. */
unsigned int record__max_freq(void);

#endif
