/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a session, which the files session*.c share; private to them. session.h is what others see.
 *
 * session.c opens files and runs through them, session-batch.c goes through what was read, session-ahead.c looks ahead in it,
 * session-sample.c delivers one record.
 */
#ifndef PERF_SESSION_SESSION_STATE_H
#define PERF_SESSION_SESSION_STATE_H

#include <errno.h>
#include "util/callchain/unwind.h"
#include "util/session/deferred.h"
#include "util/session/events.h"
#include "util/session/known-parts.h"
#include "util/session/order.h"
#include "util/session/part-numbers.h"
#include "util/session/read-ahead.h"
#include "util/session/read-values.h"
#include "util/session/repeats.h"
#include "util/session/session.h"

/* What so many items need is looked for together, step by step, so that none of it is waited for alone: see session-ahead.c. */
#define BLOCK 64

struct look_ahead { /* at an item that is to be delivered next */
	/* word NULL: it will most likely not be needed. Its thread may have got other maps since. */
	struct chain_key chain;
	bool in_full; /* it will most likely be delivered so */
	struct repeat_key key; /* of a sample that may be counted: to be used if repeat is not 0, and state that of the session */
	u64 state;
	u32 repeat;
};

#define NR_RECENT_THREADS 256

struct thread_state { /* what may change between samples of a thread; of any thread while the session's state is another one */
	u64 state;
	u32 pid, tid;
	struct thread *thread;
	const char *comm;
	u64 maps_version;
};

struct session {
	struct perfdata_reader *reader; /* NULL: live */
	struct look_ahead ahead[BLOCK];
	u64 state; /* of threads and maps: a number that changes with it, not 0 */
	struct thread_state recent_thread[NR_RECENT_THREADS]; /* by the last bits of their tid */
	u32 nr_loaded_ahead; /* samples */
	struct read_ahead *to_widen; /* NULL: it stays as it is, or will be */
	u64 last_sample;		/* live: latest time of a sample */
	struct machine *machine;
	struct resolver *resolver; /* NULL: no_resolve */
	struct tp_formats *formats;
	struct order *order; /* NULL: not live, see read.h */
	struct part_numbers *numbers; /* of the thread that reads ahead, while there is one; NULL: all samples are delivered in full */
	struct repeats *repeats; /* NULL: samples are not counted, see ops->again */
	struct known_parts *parts; /* NULL: nobody asks, see ops->known */
	struct session_again again; /* of the sample that is being delivered; by_parts only then */
	bool chain_is_new; /* that of the sample, most likely, and will not be needed again: keeping it does not pay */
	bool counts_repeats; /* whether the last one that was delivered in full left a token */
	struct read_values values;
	struct deferred *deferred; /* NULL: callchains stay as they are in their records */
	char before_events[SESSION_APART]; /* see struct session_event */
	struct session_events events;
	char behind_events[SESSION_APART];
	struct session_stats stats;
	struct callchain chain; /* of the sample that is being delivered */
	struct unwinder *unwinder; /* NULL: no sample has had a copy of its stack yet */
	struct file_places places;
	u32 max_stack, skip_frames;
	bool hide_unresolved;
	const regex_t *ignore_callees;
	bool stopped_early;   /* damage tells of a record that cannot be one */
	struct errmsg damage; /* empty: the file was read to its proper end */
	/* of the present run */
	const struct session_ops *ops;
	void *data;
};

/* session-sample.c. ahead: made of this sample earlier; NULL: none was. 0, -ENOMEM, or what a callback returned. */
int session__deliver(struct session *s, const struct order_item *item, const struct chain_key *ahead);
int session__deliver_deferred(const struct deferred_sample *deferred, void *session);
void session__count_record(struct session *s, u32 type);
void session__count_sample(struct session *s, struct session_event *event, u64 nr, u64 period);

/* session-ahead.c: fill s->ahead for items that are not more than BLOCK. */
void session__look_ahead(struct session *s, const struct read_batch *block);
/* As the thread is at present. NULL: it is not known, machine__thread() would have to make it. */
const struct thread_state *session__known_thread(struct session *s, const struct sample_parts *parts);
/* The same, but made if need be. NULL: no memory */
const struct thread_state *session__thread(struct session *s, const struct sample_parts *parts);
/* Fill ahead's key, state and repeat. */
void session__find_repeat(struct session *s, const struct sample_parts *parts, const struct thread_state *thread, struct look_ahead *ahead);

/* session-batch.c. The same returns as session__deliver(). */
int session__prepare_numbers(struct session *s);
int session__deliver_batch(struct session *s, const struct read_batch *batch);
int session__deliver_items(const struct order_item *item, size_t nr, void *session); /* whose kinds nobody has looked for yet */

/* Somebody wants samples, and what is known of their places: then it pays to look ahead. */
static inline bool session__looks_ahead(const struct session *s)
{
	return s->resolver && s->ops->sample;
}

#endif
