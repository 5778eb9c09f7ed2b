/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a recording, and the parts of its life that the files record*.c share. Private to them; record.h is what others see.
 * Functions that take struct record return 0, or -errno with a text in rec->err.
 */
#ifndef PERF_RECORD_RECORD_STATE_H
#define PERF_RECORD_RECORD_STATE_H

#include "util/perfdata/features.h"
#include "util/perfdata/writer.h"
#include "util/record/counted-samples.h"
#include "util/record/record.h"
#include "util/record/sample-counts.h"
#include "util/record/signals.h"
#include "util/record/target.h"
#include "util/record/workload.h"
#include "util/synth/build-ids.h"

struct record {
	const struct record_opts *opts;
	struct evlist *evlist;
	struct record_target target;
	struct sampler *sampler;
	struct sampler *trigger; /* of opts->switching.events; NULL: there are none */
	struct perfdata_writer *writer;
	struct perfdata_features features;
	struct workload workload;
	struct signals signals;
	bool side_band_first;	/* an event of its own tells of tasks, and counts before samples are taken */
	unsigned int time_pos;	/* see evlist__time_pos */
	struct sample_counts *samples; /* NULL: there is one event only */
	struct build_ids *build_ids; /* of files that were mapped while it runs */
	struct counted_samples *counted; /* NULL: the kernel counts nothing */
	u64 nr_unpacked, nr_packed; /* bytes that were compressed */
	char *packing;		/* packing_size bytes of records that will be; it has room for packing_room */
	size_t packing_size, packing_room;
	u64 *nr_told;		/* samples dropped by each event's filter that the files so far tell of */
	bool collected;		/* features have what the system says */
	bool file_has_samples;	/* the present file */
	u64 file_start;		/* ms of the monotonic clock, when it began */
	unsigned int nr_files;	/* that are complete */
	char *last_path;	/* of the latest of these, where they have names by the time; NULL: there is none */
	char **paths;		/* of those that are kept; of opts->switching.max_files entries */
	bool switch_wanted;	/* a signal asked for the next file */
	u64 next_round;		/* ms of the monotonic clock; only with opts->interval */
	u64 next_progress;	/* the same, when it is to be told again */
	u64 next_check;		/* the same, when filters are looked at again */
	u64 start;		/* ms of that clock, when the recording began */
	unsigned int switches;	/* beginnings and ends of opts->spans that are over */
	int control_fd;		/* of opts->control; -1: nothing more comes */
	char command[64];	/* as far as it was read */
	size_t command_len;
	int signo;		/* of the signal that ended the recording; 0: none */
	bool failed;		/* the output did: err of the write is in *err */
	struct record_result result;
	struct errmsg *err;	/* of the running call, for callbacks */
};

static inline bool record__follows_command(const struct record *rec)
{
	return rec->opts->argv && !rec->opts->system_wide && !rec->target.nr_tids;
}

/* Are samples written one by one? */
static inline bool record__writes_each(const struct record *rec)
{
	return !rec->opts->count || rec->opts->count->both;
}

static inline bool record__counts_event(const struct record *rec, const struct evsel *evsel)
{
	return rec->counted && !evsel->side_band;
}

/* Ids of the kernel count from 1. */
#define COUNTED_ID(idx) (1ULL << 63 | (idx))

/* record-open.c: the events, with their filters, and the output that describes them */
int record__open_events(struct record *rec);
int record__open_output(struct record *rec);

/* record-trigger.c: events that ask for the next file */
int record__new_trigger(struct record *rec);
int record__open_trigger(struct record *rec, const struct sampler_target *target);
int record__handle_trigger(struct record *rec);

/* record-write.c: what the rings hold, and what is to be said beside it */
int record__drain(struct record *rec);
int record__complete(struct record *rec); /* what a file gets at its end only */
bool record__has_rounds(const struct record *rec); /* else its records are in no order of time */
int record__synthesize(struct record *rec); /* records of what runs already */

/* record-output.c: the file, or one after the other, and the sink */
int record__write(void *data, const void *records, size_t size); /* data: the struct record */
int record__write_marker(struct record *rec, u32 type);
int record__flush_packing(struct record *rec);
int record__begin_file(struct record *rec);
int record__end_file(struct record *rec);
int record__handle_size(struct record *rec, bool *over); /* is it time for the next file, or the end? */
void record__exit_output(struct record *rec);

/* record-rounds.c: rounds of counting */
u64 record__now_ms(void); /* of CLOCK_MONOTONIC */
void record__begin_rounds(struct record *rec);
int record__end_round(struct record *rec);
int record__handle_round(struct record *rec); /* end it if its time has come */
int record__patience(const struct record *rec); /* how long the loop may wait, in ms */

/* record-enable.c: when events count */
bool record__starts_disabled(const struct record *rec);
int record__begin_spans(struct record *rec);
int record__handle_spans(struct record *rec, bool *over); /* *over is set by the end of the last one */
int record__span_patience(const struct record *rec); /* until the next one begins or ends, in ms; -1: there is none */
int record__handle_control(struct record *rec, bool *over); /* *over is set by a command that ends the recording */

/* record-finish.c: the last records, the counts, the header */
int record__write_dropped(struct record *rec); /* how many samples filters have dropped since a file last told */
int record__check_filters_hold(struct record *rec); /* once in a while, after a drain: -EAGAIN if samples were written unfiltered */
int record__finish(struct record *rec);

#endif
