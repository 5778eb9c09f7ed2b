/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a recording, shared by and private to the files record*.c. record.h is the public part. Functions that take struct
 * record return 0, or -errno with a message in rec->err.
 */
#ifndef PERF_RECORD_RECORD_STATE_H
#define PERF_RECORD_RECORD_STATE_H

#include <pthread.h>
#include "util/perfdata/features.h"
#include "util/perfdata/writer.h"
#include "util/record/copied-stacks.h"
#include "util/record/counted-samples.h"
#include "util/record/record.h"
#include "util/record/sample-counts.h"
#include "util/run/run.h"
#include "util/synth/build-ids.h"
#include "util/synth/kept-files.h"

/*
 * Where records go, and what they say: the file and the sink, or a part of a directory. One for each thread that reads rings; only that
 * thread changes it, but others may look at the numbers.
 */
struct record_stream {
	struct record *rec;
	struct errmsg **err;	/* of the current call of its thread, for callbacks */
	struct perfdata_writer *writer; /* NULL: no file */
	u64 nr_unpacked, nr_packed; /* bytes that were compressed */
	char *packing;		/* packing_size bytes of records to compress; allocated: packing_room */
	size_t packing_size, packing_room;
	struct sample_counts *samples; /* NULL: there is one event only */
	struct user_stacks user_stacks;
	bool has_samples;	/* in the current file, ... */
	u64 first_time, last_time; /* ... from then to then */
	u64 nr_samples, nr_lost; /* see record_result */
	unsigned int wakeups;
	bool failed;		/* the output did: err of the write is in *err */
};

struct record {
	const struct record_opts *opts;
	struct evlist *evlist;
	struct run *run;	/* the target, the command, the loop */
	struct sampler *sampler;
	struct sampler *trigger; /* for opts->switching.events; NULL: there are none */
	struct errmsg no_unwinding; /* why programs that perf had chosen to unwind stacks could not be; "": they can */
	struct copied_stacks *copies; /* what is written goes through it; NULL: no event has copies of stacks */
	bool no_copies;		/* they could not be opened */
	struct perfdata_writer *dir; /* of a recording in parts: its head, where the main stream has part 0; otherwise NULL */
	struct record_stream main; /* of the thread that does all but read the rings of readers */
	struct record_readers *readers; /* NULL: there are none */
	pthread_mutex_t lock;	/* of build_ids, while readers run */
	struct perfdata_features features;
	bool side_band_first;	/* the side-band has its own event, which counts before samples are taken */
	unsigned int time_pos;	/* see evlist__time_pos */
	struct kept_files *kept; /* NULL: none are */
	struct build_ids *build_ids; /* of files that were mapped while it runs */
	struct interp_names *names; /* functions of interpreters; NULL: stacks have native frames only */
	bool names_failed;	/* to be written: not tried again */
	u64 next_names;		/* ms of run_loop__now(), when they are written again, in case perf is killed */
	struct counted_samples *counted; /* NULL: the kernel counts nothing */
	u64 *nr_told;		/* dropped samples of each event's filter that are already in the files */
	bool collected;		/* features are filled in from the system */
	u64 file_start;		/* ms of run_loop__now(), when it began */
	unsigned int nr_files;	/* complete files */
	char *last_path;	/* of the last complete file, if names have the time; NULL: there is none */
	char **paths;		/* of the files that are kept; opts->switching.max_files entries */
	bool switch_wanted;	/* a signal asked for the next file */
	struct run_handler on_work, on_sleep;
	struct run_handler on_sink, on_hang_up, on_rings, on_trigger, on_round, on_output, on_progress; /* of the loop */
	u64 next_drain;		/* ms of run_loop__now(), when a pass is a round although no ring was half full */
	u64 next_progress;	/* ms of run_loop__now(), when progress is to be told again */
	u64 next_check;		/* the same, when filters are looked at again */
	struct record_result result;
	struct errmsg *err;	/* of the current call, for callbacks */
};

/* Is each sample written? */
static inline bool record__writes_each(const struct record *rec)
{
	return !rec->opts->count || rec->opts->count->both;
}

static inline bool record__counts_event(const struct record *rec, const struct evsel *evsel)
{
	return rec->counted && !evsel->side_band;
}

/* Are there neither a file nor a sink, so that nobody needs records of tasks and maps? */
static inline bool record__writes_nothing(const struct record *rec)
{
	return !rec->opts->output && !rec->opts->sink;
}

/* The kernel's ids count up from 1. */
#define COUNTED_ID(idx) (1ULL << 63 | (idx))

/* record-open.c: the events, with their filters, and the output that describes them */
int record__choose_sources(struct record *rec, struct errmsg *err); /* a new rec->sampler */
int record__open_events(struct record *rec);
int record__open_output(struct record *rec);

/* record-trigger.c: events that switch to the next file */
int record__new_trigger(struct record *rec);
int record__open_trigger(struct record *rec, const struct sampler_target *target);
int record__handle_trigger(struct run_loop *loop, void *data, struct errmsg *err); /* data: the struct record */

/* record-readers.c: threads that read rings, each into a part of the recording. All do nothing without opts->threads. */
int record__new_readers(struct record *rec); /* after the run and the events' attrs */
void record__set_readers(const struct record *rec, struct sampler_opts *opts);
int record__open_readers(struct record *rec); /* with their parts, after events and output are open */
int record__start_readers(struct record *rec);
void record__add_reader_handlers(struct record *rec); /* what they tell the main loop */
int record__stop_readers(struct record *rec); /* 0, or the first error of one */
int record__drain_readers(struct record *rec); /* what is left, after they have stopped */
int record__finish_parts(struct record *rec);
void record__delete_readers(struct record *rec);
/* 0: the main one, 1, 2, ...: those of readers; NULL: no more */
struct record_stream *record__stream(struct record *rec, unsigned int i);
u64 record__bytes(struct record *rec); /* of the output, all streams together; any thread may ask */

/* record-totals.c: all streams together */
u64 record__nr_samples(struct record *rec);
u64 record__written(struct record *rec, unsigned int event); /* samples of an event */
u64 record__written_period(struct record *rec, unsigned int event); /* the sum of theirs; 0: all are equal, or none was written */
bool record__has_failed(struct record *rec);
void record__sum_up(struct record *rec); /* what a file's header and the result tell of them */

/* record-write.c: what the rings hold, and what is to be said beside it */
int record__take(void *data, const void *records, size_t size); /* a run from a ring; data: the stream */
int record__explain_take(struct record_stream *stream, int ret);
int record__drain(struct record *rec); /* a round of its own */
int record__fetch(struct record *rec, u64 *nr_bytes); /* a part of the next round */
int record__complete(struct record *rec); /* what a file gets at its end only */
bool record__has_rounds(const struct record *rec); /* else its records are in no order of time */
int record__synthesize(struct record *rec); /* records of what runs already */

/* record-stream.c: records to the file and the sink */
int record_stream__init(struct record_stream *stream, struct record *rec, struct errmsg **err);
void record_stream__exit(struct record_stream *stream);
int record_stream__write(struct record_stream *stream, const void *records, size_t size);
int record_stream__flush(struct record_stream *stream); /* what waits to be compressed */
int record__release(struct record *rec); /* what waits for its stack to be unwound */
int record__put(void *data, const void *records, size_t size); /* the same for what rec->copies passes on, to the main one; data: the struct record */
int record__write(void *data, const void *records, size_t size); /* to the main one; data: the struct record */
int record__write_plain(struct record *rec, const void *records, size_t size); /* uncompressed, to the main file only */
int record__write_marker(struct record *rec, u32 type);

/* record-output.c: the file, or one file after the other */
int record__begin_file(struct record *rec);
int record__end_file(struct record *rec);
void record__store_names(struct record *rec); /* of interpreters' functions */
u64 record__next_file_due(const struct record *rec); /* ms of run_loop__now(); 0: never */
void record__exit_output(struct record *rec);

/* record-switch.c: is it time for the next file, or the end? */
int record__handle_output(struct run_loop *loop, void *data, struct errmsg *err);

/* record-rounds.c: rounds of counting */
int record__end_round(struct record *rec);

#define FLOW_MS 1000 /* a ring wakes us when it is half full; what a slow event leaves in it is fetched after this long, in case perf is killed */
#define LOOK_MS 100 /* the same where files are kept, which are not found after their processes have ended */

#define NAMES_MS 2000 /* the names of interpreters' functions are written */

/* ms: how often rings are looked at, even if they do not wake us */
static inline unsigned int record__max_wait(const struct record *rec)
{
	return rec->kept ? LOOK_MS : FLOW_MS;
}

/* record-priority.c: let the calling thread run with opts->realtime */
int record__hurry(const struct record *rec, struct errmsg *err);

/* record-enable.c: what the run asks for: events on and off, the next file */
int record__new_run(struct record *rec);

/* record-finish.c: the last records, the counts, the header */
int record__write_dropped(struct record *rec); /* number of samples that filters have dropped since the last such record */
int record__check_filters_hold(struct record *rec); /* now and then, after a drain: -EAGAIN if samples were written unfiltered */
int record__finish(struct record *rec);

#endif
