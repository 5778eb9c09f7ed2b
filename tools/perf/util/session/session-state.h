/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a session, shared by and private to the files session*.c. session.h is the public part.
 *
 * session.c opens files and runs through them, session-batch.c processes batches of items, session-ahead.c looks ahead in them,
 * session-sample.c delivers one record.
 */
#ifndef PERF_SESSION_SESSION_STATE_H
#define PERF_SESSION_SESSION_STATE_H

#include <errno.h>
#include "util/callchain/unwind.h"
#include "util/session/deferred.h"
#include "util/session/events.h"
#include "util/session/jit-maps.h"
#include "util/perfdata/order.h"
#include "util/session/read-ahead.h"
#include "util/session/read-values.h"
#include "util/session/sample-numbers.h"
#include "util/session/session.h"

/* Items to prefetch together, step by step, so that their cache misses overlap: see session-ahead.c. */
#define BLOCK 64

struct look_ahead { /* for one of the next items */
	bool in_full; /* will most likely be delivered in full */
	struct session_brief brief; /* of an item with numbers; valid if its state is the session's */
};

#define NR_RECENT_THREADS 256

struct thread_state { /* cached state of a thread; valid only while state is the session's */
	u64 state;
	u32 pid, tid;
	struct thread *thread;
	struct stack_maps maps;
};

struct session {
	struct perfdata_reader *reader; /* NULL: live */
	struct bundle *bundle; /* NULL: the recording is none */
	struct mapped_files *mapped;
	struct look_ahead ahead[BLOCK];
	u64 state; /* version of threads and maps: changes with them, not 0 */
	struct thread_state recent_thread[NR_RECENT_THREADS]; /* indexed by the last bits of their tid */
	u32 nr_loaded_ahead; /* samples whose symbols were loaded ahead */
	struct read_ahead *to_widen; /* NULL: the limit stays, or was already raised */
	u64 last_sample;		/* live: latest time of a sample */
	struct machine *machine;
	struct resolver *resolver; /* NULL: no_resolve */
	struct jit_maps *jit; /* owned by the thread that reads ahead while it runs; NULL: live, or no_resolve */
	struct tp_formats *formats;
	struct order *order; /* NULL: not live; then see read.h */
	struct sample_numbers *numbers; /* owned by the thread that reads ahead while it runs; NULL: all samples are delivered in full */
	struct stack_index *ids; /* with numbers */
	const struct session_brief *brief; /* of the current sample, whose chain is not cached; NULL: it has none */
	struct read_values values;
	struct deferred *deferred; /* NULL: do not join deferred callchains */
	char before_events[SESSION_APART]; /* see struct session_event */
	struct session_events events;
	char behind_events[SESSION_APART];
	struct session_stats stats;
	struct callchain chain; /* of the current sample */
	struct unwinder *unwinder; /* NULL: no sample had a stack dump so far */
	struct file_places places;
	bool has_chains; /* in samples of any event */
	enum session_detail detail;
	enum session_ids which_ids;
	u32 max_stack, skip_frames;
	bool hide_unresolved;
	bool by_numbers, caches_callers; /* see session__want_numbers() */
	const regex_t *ignore_callees;
	bool stopped_early;   /* at a record that is invalid; see damage */
	struct errmsg damage; /* empty: the file was read to its regular end */
	/* of the current run */
	const struct session_ops *ops;
	void *data;
};

/* session-sample.c. 0, -ENOMEM, or what a callback returned. */
int session__deliver(struct session *s, const struct order_item *item);
int session__deliver_deferred(const struct deferred_sample *deferred, void *session);

/* session-ahead.c: fill s->ahead for at most BLOCK items. */
void session__look_ahead(struct session *s, const struct read_batch *block);
/* The current state of the thread. NULL: the thread is not known yet. */
const struct thread_state *session__known_thread(struct session *s, const struct numbered_sample *sample);
/* The same, but creates an unknown thread. NULL: no memory */
const struct thread_state *session__thread(struct session *s, const struct numbered_sample *sample);
/* Fill in what looking ahead needs of a brief. */
void session__begin_brief(struct session *s, const struct thread_state *thread, const struct stack_parts *parts, struct session_brief *brief);

/* session-batch.c. Returns as session__deliver(). */
int session__prepare_numbers(struct session *s);
int session__deliver_batch(struct session *s, const struct read_batch *batch);
int session__deliver_items(const struct order_item *item, size_t nr, void *session); /* items without numbers */

static inline void session__count_record(struct session *s, u32 type)
{
	s->stats.nr_events++;
	if (type < PERF_RECORD_USER_MAX)
		s->stats.nr[type]++;
	else
		s->stats.nr_unknown++;
}

static inline void session__count_sample(struct session *s, struct session_event *event, u64 nr, u64 period)
{
	s->stats.nr_samples += nr;
	event->nr_samples += nr;
	event->total_period += period;
}

/* Does looking ahead pay? Only if the consumer wants samples, and they are resolved. */
static inline bool session__looks_ahead(const struct session *s)
{
	return s->resolver && s->ops->sample && (s->detail != SESSION_ADDRESSES || s->numbers);
}

#endif
