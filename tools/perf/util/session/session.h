/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading a perf.data file: reader -> time order -> machine -> resolved sample -> the consumer's callbacks.
 *
 * A damaged or cut-off file is no error: what stands before the damage is delivered, session__damage() tells of the rest.
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

struct session;

#define SESSION_APART 128 /* bytes: CPUs fetch cache lines in pairs */

struct session_event { /* an event of the file with what reading adds */
	const struct perfdata_event *event;
	char *name;	   /* from EVENT_DESC, TRACING_DATA or the attr */
	u32 idx;
	int tid_pos, time_pos, callchain_pos; /* sample__tid_pos() and so on */
	/* The above is read by another thread for each record, so what changes with each is in other cache lines. */
	char apart_from_fixed[SESSION_APART];
	u64 nr_samples, total_period; /* what counted samples stand for, not their records */
	u64 lost_samples, nr_lost_samples; /* LOST_SAMPLES with misc 0: their sum and the number of records */
	u64 dropped_samples; /* by this event's filter */
	char apart_from_next[SESSION_APART];
};

struct session_tokens { /* 0: nothing is known */
	u64 place, callers;
};

struct session_again {
	u64 token; /* not 0: other samples of the kind need not be delivered */
	bool of_function; /* nor those at other addresses of the same function that have the same callers */
	bool by_parts; /* both tokens will be asked for, see session_ops.known: the chain is not kept otherwise, and has no notes */
	/* To be set. callers, if it is there already: the callers are known by this token, and chain has none of them. */
	struct session_tokens parts;
};

struct session_sample { /* valid during the callback only */
	struct session_event *evsel;
	struct perf_sample *sample;
	u64 recorded_period;		/* sample->period, but where values of counters are carried: that of the record */
	struct thread *thread;
	struct location loc;		/* of sample->ip */
	const struct callchain *chain;	/* NULL: the event has no callchains */
	const union perf_record *record;
	u64 file_offset;
	struct session_again *again;	/* to be filled, or not, for session_ops.again and .known */
};

struct session_known { /* of a sample that is not delivered in full */
	struct session_event *evsel;
	const struct thread *thread;
	u32 pid, tid, cpu;
	u64 time, period;
	struct session_tokens tokens;
};

struct session_stats { /* for report --stats and the warnings on losses */
	u64 nr[PERF_RECORD_USER_MAX];
	u64 nr_unknown;		/* records of a type above all known ones */
	u64 nr_events;		/* records */
	u64 nr_samples;		/* of all events, see there */
	u64 lost_events;	/* sum of LOST.lost */
	u64 lost_samples;	/* sum of LOST_SAMPLES with misc 0: lost by the kernel */
	u64 nr_dropped_records;	/* LOST_SAMPLES with the BPF bit, EVENT_UPDATE of ours */
	u64 dropped_samples;	/* sum of these: dropped by a filter */
	u64 nr_unknown_id;	/* samples whose id belongs to no event: left out */
	u64 nr_invalid;		/* records whose contents contradict their event: left out */
};

struct session_ops { /* any may be NULL; a negative return stops the run and is handed on */
	int (*sample)(struct session *s, const struct session_sample *sample, void *data);
	/*
	 * For who does not need each sample: if .sample has set a token, then other samples of that kind, which is one event, process,
	 * name of the thread, place and callchain, whatever their thread, CPU, time and period, may be counted instead of delivered. How
	 * many they were, and the sum of their periods, is told some time later, at the end of the run at the latest.
	 */
	void (*again)(struct session *s, u64 token, u64 nr, u64 period, void *data);
	/*
	 * For who needs each sample, but has kept what it made of those before: in the place of .sample, for a sample of an event, process and
	 * place, and with callers, for which .sample has set both of its tokens. Such samples carry nothing else. Not beside .again.
	 */
	int (*known)(struct session *s, const struct session_known *known, void *data);
	/*
	 * Every other record, in time order, after the machine has seen it; id is its sample_id tail. Records that carry no
	 * time (perf's own, synthesized ones) come when they are met in the file.
	 */
	int (*record)(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset, void *data);
};

struct session_opts {
	const char *input;	/* path */
	struct resolver_opts resolver;
	u32 max_stack;		/* 0: 127 */
	bool hide_unresolved;	/* callchains lack frames whose function is not known */
	const regex_t *ignore_callees; /* what functions with such a name call is left out, and counts as theirs; NULL: none */
	u32 skip_frames;	/* SKIP_ bits of callchain/skip-frames.h: innermost frames that callchains lack */
	bool no_merge_callchains; /* deferred user callchains stay records of their own */
	bool no_chain_notes;	/* see struct callchain */
	bool no_resolve;	/* do not look for symbols: locations and chains stay unknown */
};

int session__open(const struct session_opts *opts, struct session **s, struct errmsg *err);

/*
 * A session without a file, for records that are just being made, such as by a recording: hand them to session__feed().
 * opts->input is not used; event must outlive the session.
 */
int session__open_live(const struct session_opts *opts, const struct perfdata_event *event, u32 nr_events, struct session **s,
		       struct errmsg *err);

/* Once per session with a file. Errors of the callbacks are returned without a text. */
int session__run(struct session *s, const struct session_ops *ops, void *data, struct errmsg *err);

/*
 * Of a live session: take whole records, which are copied, and deliver what is final. At a FINISHED_ROUND that is all up to its
 * last sample: the records of other kinds up to there must have been fed before. Errors as of session__run().
 */
int session__feed(struct session *s, const void *records, size_t size, const struct session_ops *ops, void *data,
		  struct errmsg *err);
void session__delete(struct session *s);

/* No token for .known holds any more. */
void session__forget_parts(struct session *s);

/* After the run: one line (no newline) that says why the file's end is missing or was not read; NULL if all was read. */
const char *session__damage(const struct session *s);
/* Was a part of the file left out? A recording that was killed lacks its end only, which is no damage. */
bool session__is_damaged(const struct session *s);

/*
 * The frames of a CALLCHAIN_DEFERRED record of this thread, until the next sample or record is delivered; NULL: no memory, or
 * no_resolve.
 */
const struct callchain *session__resolve_deferred(struct session *s, struct thread *thread,
						  const struct record_callchain_deferred *record);

struct perfdata_reader *session__reader(struct session *s); /* NULL: a live one */
struct machine *session__machine(struct session *s);
struct resolver *session__resolver(struct session *s); /* NULL with no_resolve */
const struct session_stats *session__stats(struct session *s);
struct tp_formats *session__formats(struct session *s); /* NULL: no tracepoints */
u32 session__nr_events(struct session *s);
struct session_event *session__event(struct session *s, u32 idx);
/* The event that a record's sample_id tail names. Not NULL while the file has events. */
struct session_event *session__event_of(struct session *s, const struct perf_sample *id);

#endif
