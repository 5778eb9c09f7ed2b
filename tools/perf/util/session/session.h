/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading a perf.data file: reader -> time order -> machine -> resolved sample -> the consumer's callbacks.
 *
 * A damaged or truncated file is no error: what is before the damage is delivered, session__damage() describes the rest.
 */
#ifndef PERF_SESSION_SESSION_H
#define PERF_SESSION_SESSION_H

#include <regex.h>

#include "util/callchain/callchain.h"
#include "util/event/tracepoint.h"
#include "util/lib/errmsg.h"
#include "util/machine/machine.h"
#include "util/perfdata/reader.h"
#include "util/perfdata/sample.h"
#include "util/stacks/ids.h"

struct session;

#define SESSION_APART 128 /* bytes: CPUs fetch cache lines in pairs */

struct session_event { /* an event of the file, and data about it while reading */
	const struct perfdata_event *event;
	char *name;	   /* from EVENT_DESC, TRACING_DATA or the attr */
	u32 idx;
	int time_pos, callchain_pos; /* sample__time_pos() and so on */
	/* Another thread reads the above for each record: keep members that change with each record in other cache lines. */
	char apart_from_fixed[SESSION_APART];
	u64 nr_samples, total_period; /* including the samples that counted samples stand for */
	u64 lost_samples, nr_lost_samples; /* sum and number of LOST_SAMPLES records with misc 0 */
	u64 dropped_samples; /* dropped by this event's filter */
	char apart_from_next[SESSION_APART];
};

enum session_detail { /* what samples are resolved to */
	SESSION_ADDRESSES, /* nothing: of loc only address and mode are set, chain is NULL */
	SESSION_PLACES,	   /* loc; chain is NULL */
	SESSION_CHAINS,	   /* loc and chain */
};

enum session_ids { /* which samples .seen is asked about */
	SESSION_NO_IDS,
	SESSION_IDS,
	SESSION_IDS_OF_CHAINS, /* not those of events without callchains */
	SESSION_IDS_OF_RAW,    /* those with raw data, too, by which callers then differ as well */
	SESSION_IDS_BUT_RAW,   /* those with raw data, too, which the consumer does not look at */
};

struct session_sample { /* valid during the callback only */
	struct session_event *evsel;
	struct perf_sample *sample;
	u64 recorded_period;		/* sample->period; for counter values that of the record */
	struct thread *thread;
	struct location loc;		/* of sample->ip */
	const struct callchain *chain;	/* NULL: the event has no callchains, or see session__want(); only the place's frames after SESSION_NEEDS_PLACE */
	struct stack_ids ids;		/* both are 0 if .seen was not asked about the sample */
	const union perf_record *record;
	u64 file_offset;
};

/* What .seen needs of a sample. Those of events without ids, or with other data than place, callers, task, CPU, time, period and what was asked for, have none. */
struct session_brief {
	struct session_event *evsel;
	const struct thread *thread;
	struct stack_ids ids;
	u32 handle; /* what session__set_handle() set last for one of the ids, see struct stack_found; 0: nothing */
	u32 known;  /* the consumer's: what .look_ahead has found; 0 if there is nothing, or threads or maps have changed since */
	u64 identity;
	bool has_identity; /* it was asked for: identity is what session__identity() returns */
	enum session_need { SESSION_NEEDS_NOTHING, SESSION_NEEDS_PLACE, SESSION_NEEDS_ALL } need; /* guess, set by .look_ahead */
	const struct stack_parts *parts;
	u64 state; /* the session's own */
	/* not set for .look_ahead, but for the file_offset of the first one */
	u64 time, period, file_offset;
	u32 pid, tid, cpu;
};

struct session_stats { /* for report --stats and the warnings about losses */
	u64 nr[PERF_RECORD_USER_MAX];
	u64 nr_unknown;		/* records of types above all known ones */
	u64 nr_events;		/* records */
	u64 nr_samples;		/* sum over all events, see struct session_event */
	u64 lost_events;	/* sum of LOST.lost */
	u64 lost_samples;	/* sum of LOST_SAMPLES with misc 0: lost by the kernel */
	u64 nr_dropped_records;	/* LOST_SAMPLES with the BPF bit, and our EVENT_UPDATE */
	u64 dropped_samples;	/* sum of these: samples that a filter dropped */
	u64 nr_unknown_id;	/* dropped samples: their id is of no event */
	u64 nr_invalid;		/* dropped records: their contents contradict their event */
};

struct session_ops { /* any may be NULL; a negative return stops the run and becomes its result */
	int (*sample)(struct session *s, const struct session_sample *sample, void *data);
	/*
	 * Optional. What does the consumer need of a sample, by what it knows of its ids? NOTHING: it has taken the sample; else
	 * .sample is called: with PLACE the sample's chain lacks the callers, whose id the consumer knows.
	 */
	int (*seen)(struct session *s, struct session_brief *brief, void *data);
	/* With .seen, optional: prefetch for these next samples, in time order, set their .need as a guess, and .known. */
	void (*look_ahead)(struct session *s, struct session_brief *const *brief, size_t nr, void *data);
	/* With .seen: ids begin anew. */
	void (*forget_ids)(struct session *s, void *data);
	/*
	 * Called for every other record, in time order, after the machine has processed it; id is its sample_id tail. Records
	 * without a time (perf's own, synthesized ones) are delivered when they are read.
	 */
	int (*record)(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset, void *data);
};

struct session_opts {
	const char *input;	/* path */
	struct resolver_opts resolver;
	u32 max_stack;		/* 0: 127 */
	bool hide_unresolved;	/* drop frames of unknown functions from callchains */
	const regex_t *ignore_callees; /* drop the callees of functions whose name matches; their samples count for the function. NULL: drop none */
	u32 skip_frames;	/* SKIP_ bits of callchain/skip-frames.h: innermost frames to drop from callchains */
	bool no_merge_callchains; /* deliver deferred user callchains as separate records */
	bool no_resolve;	/* do not resolve symbols: locations and chains stay unknown */
};

int session__open(const struct session_opts *opts, struct session **s, struct errmsg *err);

/*
 * Create a session without a file, for records that are just being made, for example while recording: pass them to session__feed().
 * opts->input is not used; event must outlive the session.
 */
int session__open_live(const struct session_opts *opts, const struct perfdata_event *event, u32 nr_events, struct session **s,
		       struct errmsg *err);

/*
 * Before the run: say what the consumer reads of samples, instead of all. Options that drop frames get their callchains anyway.
 */
void session__want(struct session *s, enum session_detail detail, enum session_ids ids);
/*
 * Chains may have numbers in place of frames: chain->number, see resolver__frame(). cache_callers: samples without ids get frames, whose
 * callers are cached (stacks/callers.h), unless their stacks are unwound.
 */
void session__want_numbers(struct session *s, bool cache_callers);

/* Run once per session with a file. Errors of callbacks are returned without a message. */
int session__run(struct session *s, const struct session_ops *ops, void *data, struct errmsg *err);

/*
 * For a live session: copy whole records and deliver what is final. A FINISHED_ROUND makes everything up to its last sample final:
 * feed the records of other kinds up to that time before it. Errors as session__run().
 */
int session__feed(struct session *s, const void *records, size_t size, const struct session_ops *ops, void *data,
		  struct errmsg *err);
/*
 * For a live session, between rounds: forget threads that the function says no to, with their maps, and all symbols, which are read
 * again when they are needed. Nothing that callbacks got is valid after it. opts as at its opening. 0, or -ENOMEM: nothing is forgotten.
 */
int session__forget(struct session *s, const struct session_opts *opts, bool (*is_wanted)(const struct thread *thread, void *data), void *data);
void session__delete(struct session *s);

/*
 * What code the place of a brief is, to compare only: its function, or without callchains what resolver__identity() tells. 0: unknown,
 * functions are inlined there, or the chain begins elsewhere.
 */
u64 session__identity(struct session *s, struct session_brief *brief);
/* In .look_ahead: set the identities of its briefs that can be found together. Others are found when they are asked for. */
void session__identify(struct session *s, struct session_brief *const *brief, size_t nr);
/* Set the handle of the next samples with the same callers, or without a callchain with the same place. */
void session__set_handle(struct session *s, const struct session_brief *brief, u32 handle);

/* After the run: one line (no newline) that says why the end of the file is missing or was not read; NULL if all was read. */
const char *session__damage(const struct session *s);
/* After the run: what a user must know of jitdump files that were read, lines of text; or NULL. */
const char *session__jit_notes(const struct session *s);
/* Was a part of the file skipped? The recording of a killed perf lacks only its end, which is no damage. */
bool session__is_damaged(const struct session *s);

/*
 * Resolve the frames of a CALLCHAIN_DEFERRED record of this thread, valid until the next sample or record is delivered; NULL: no
 * memory, or no_resolve.
 */
const struct callchain *session__resolve_deferred(struct session *s, struct thread *thread,
						  const struct record_callchain_deferred *record);

struct perfdata_reader *session__reader(struct session *s); /* NULL: live session */
const struct perfdata_features *session__features(struct session *s); /* of a live session: nothing is known */
struct machine *session__machine(struct session *s);
struct resolver *session__resolver(struct session *s); /* NULL with no_resolve */
const struct session_stats *session__stats(struct session *s);
struct tp_formats *session__formats(struct session *s); /* NULL: the file has no tracepoints */
u32 session__nr_events(struct session *s);
struct session_event *session__event(struct session *s, u32 idx);
/* The event in a record's sample_id tail. Not NULL while the file has events. */
struct session_event *session__event_of(struct session *s, const struct perf_sample *id);

#endif
