/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording workflow: target, events, output, command, the loop that moves records from the rings to the file, and the end.
 * Prints nothing: commands print the result.
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
#include "util/source/kwork-opts.h"
#include "util/source/lock-opts.h"
#include "util/source/offcpu-opts.h"
#include "util/source/tally.h"
#include "util/source/trace-opts.h"

/*
 * Gets all records of a recording as they are written, and counted samples round by round. A negative return with a message in err
 * ends the recording.
 */
struct record_sink {
	int (*begin)(void *data, const struct perfdata_event *event, u32 nr, struct errmsg *err); /* events live as long as the record */
	int (*records)(void *data, const void *records, size_t size, struct errmsg *err);
	int (*round)(void *data, struct errmsg *err); /* the round is complete; only with opts->count */
	/* Before that, for each event: what was counted so far. May be NULL. */
	void (*counts)(void *data, u32 event, const struct tally_counts *counts);
	int fd;			   /* a descriptor to watch; -1: none */
	bool (*readable)(void *data); /* fd is readable. true: end the recording */
	bool (*is_full)(void *data);  /* as that of record_rows */
	void *data;
};

/* Gets the counts before the file and the sink do. Alone it needs no records of tasks and maps. Returns as record_sink. */
struct record_rows {
	/* It may change what the file and the sink get; if it sets count to 0, they do not get the row. */
	int (*row)(void *data, unsigned int evsel_idx, struct tally_row *row, struct errmsg *err);
	int (*round)(void *data, struct errmsg *err); /* all rows of a round were passed */
	bool (*is_full)(void *data); /* asked in each pass; true: end the recording. NULL: it never is */
	void *data;
};

struct record_switching { /* switches to the next output file; names of files then end with the time */
	bool on;
	int signo;		/* signal that requests it; 0: none */
	struct evlist *events;	/* events, not recorded, whose samples request it; NULL: none. Owned by the caller */
	u64 size;		/* bytes per file; 0: no limit */
	u64 ms;			/* ms per file; 0: no limit */
	unsigned int max_files;	/* number of files to keep; 0: all */
};

struct record_synth { /* records of tasks and maps that already exist */
	bool no_tasks, no_maps, no_cgroups; /* which to leave out; maps are those of tasks */
	bool at_end;		/* at the end of each file, as of then; otherwise at its beginning */
};

struct record_progress { /* progress of a running recording, all events together */
	u64 nr_samples;	/* in the output */
	bool filtered;	/* seen and dropped are valid */
	u64 seen, dropped, lost;
	u64 bytes;
};

struct record_opts { /* strings and argv are the caller's and must outlive the recording */
	/* The target, the command and when events count. The recording sets stdout_taken, signo and max_wait. */
	struct run_opts run;
	bool no_inherit;
	enum clock_place clock;	   /* where clocks that follow tasks are opened */
	/*
	 * attr.overwrite: write only the side-band until a file ends, then the contents of the rings, the latest samples. Not for
	 * samples that BPF programs make.
	 */
	struct attr_opts attr;	   /* as the user wishes; what follows from the target and from counting is added */
	u64 unwind_mb;		   /* memory of tables for --call-graph bpf, for each event; 0: default */
	const char *unwind_cache;  /* the build-id cache that keeps them; NULL: none does */
	bool interp_asked;	   /* the next one is not a default */
	enum interp_mode interp;   /* frames of interpreters in user stacks that BPF unwinds; names go to build_id_cache */
	struct live_functions *live; /* of interpreters, for the sink; must outlive the record. NULL: the sink names none */
	unsigned int mmap_pages;   /* 0: default */
	int realtime;		   /* SCHED_FIFO priority of the recording; 0: none */
	const char *threads;	   /* layout of threads that read the rings, see reader-layout.h; output is a directory then. NULL: one for all */
	const char *output;	   /* "-": the standard output; NULL: no file, but a sink */
	const struct record_sink *sink; /* NULL: none */
	const struct tally_opts *count; /* count samples in the kernel, see sampler.h; NULL: write each one */
	const struct histogram_opts *histogram; /* count in histograms, see sampler.h; NULL: none */
	const struct record_rows *rows; /* with count; NULL: there is an output or a sink */
	unsigned int interval;	   /* ms between rounds of counts; 0: one round, at the end */
	int compression_level;	   /* 1 to 22; 0: do not compress records */
	struct record_synth synth;
	struct record_switching switching;
	bool timestamp_filename;   /* the output's name ends with the time of its end */
	bool no_build_ids;	   /* in the records of maps */
	const char *build_id_cache; /* is given the files that readers would not find by their paths, see kept-files.h; NULL: none are */
	bool no_build_id_cache;	   /* give it none, whatever the next two say */
	bool keep_files;	   /* give it those that readers would not find by their paths */
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
	/* 128 + SIGINT, SIGTERM or SIGHUP if that ended the recording, otherwise the command's, otherwise 0 */
	int exit_code;
	unsigned int wakeups;	/* how often data was moved */
	u64 bytes;		/* size of the file */
	u64 nr_samples;		/* in the file, each counted as one */
	u64 nr_counted, nr_keys; /* counted samples, and their records in the file */
	u64 nr_overwritten;	/* samples that filters kept, but that later ones overwrote (attr.overwrite) */
	u64 nr_lost;		/* records of any kind that the kernel reported as lost (PERF_RECORD_LOST) */
	u64 nr_lost_side_band;	/* lost records of maps and tasks alone, by the kernel's counts; the last losses have no record */
	struct user_stacks user_stacks; /* are user callchains complete? */
	struct sampler_counts *counts; /* by evsel->idx */
	const struct unwind_feeder_counts *tables; /* that user stacks were unwound by; NULL: none were. Owned by the record */
	struct tally_counts *counted; /* by evsel->idx; NULL: nothing was counted */
};

struct record;

/*
 * Check everything that can be checked without opening, forking or writing: the target exists, the filters are right (see
 * sampler__new_scoped for the one exception). -EINVAL: a wrong command line; other errors: the set-up failed. evlist must outlive
 * the record.
 */
int record__new(const struct record_opts *opts, struct evlist *evlist, struct record **rec, struct errmsg *err);
/* Without a recording: would the kernel accept the filters that it judges for tracepoints? */
int record__ask_kernel(const struct record *rec, struct errmsg *err);
void record__dump_filters(const struct record *rec, FILE *fp);
/* After the recording: print the results of each filter's tests, if opts->explain is set. */
int record__dump_clauses(const struct record *rec, FILE *fp, struct errmsg *err);

/*
 * Record until the command or all of the target has ended, or SIGINT, SIGTERM or SIGHUP arrived. After an error result holds what was
 * reached, and the file keeps what was written. result->counts is freed with rec.
 */
int record__run(struct record *rec, struct record_result *result, struct errmsg *err);
void record__delete(struct record *rec);

/* The value of kernel.perf_event_max_sample_rate; 0: unknown. */
unsigned int record__max_freq(void);

#endif
