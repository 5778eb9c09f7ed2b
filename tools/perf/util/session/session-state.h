/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a session, which the files session*.c share; private to them. session.h is what others see.
 *
 * session.c opens files and runs through them, session-batch.c goes through what was read and looks ahead in it, session-sample.c
 * delivers one record.
 */
#ifndef PERF_SESSION_SESSION_STATE_H
#define PERF_SESSION_SESSION_STATE_H

#include <errno.h>
#include "util/callchain/unwind.h"
#include "util/session/deferred.h"
#include "util/session/events.h"
#include "util/session/known-parts.h"
#include "util/session/order.h"
#include "util/session/read-ahead.h"
#include "util/session/read-values.h"
#include "util/session/repeats.h"
#include "util/session/session.h"

/* So many samples before a sample is delivered what it needs starts to be fetched from memory, see session-batch.c. */
#define LOOK_FAR 16

struct look_ahead { /* at a sample */
	struct chain_key key; /* word NULL: none; maps_version is there in any case */
	const struct kind_of_sample *leaf; /* its own address is most likely all that is looked for; NULL: not so */
};

struct session {
	struct perfdata_reader *reader; /* NULL: live */
	struct look_ahead ahead[LOOK_FAR]; /* at those to be delivered next */
	u32 nr_loaded_ahead; /* samples */
	struct read_ahead *to_widen; /* NULL: it stays as it is, or will be */
	u64 last_sample;		/* live: latest time of a sample */
	struct machine *machine;
	struct resolver *resolver; /* NULL: no_resolve */
	struct tp_formats *formats;
	struct order *order; /* NULL: not live, see read.h */
	struct sample_kinds *kinds; /* of the thread that reads ahead, while there is one; NULL: all samples are delivered in full */
	struct repeats *repeats; /* NULL: samples are not counted, see ops->again */
	struct known_parts *parts; /* NULL: nobody asks, see ops->known */
	struct session_again again; /* of the sample that is being delivered; by_parts only then */
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

/* session-batch.c. The same returns. */
int session__prepare_kinds(struct session *s);
int session__deliver_batch(struct session *s, const struct read_batch *batch);
int session__deliver_items(const struct order_item *item, size_t nr, void *session); /* whose kinds nobody has looked for yet */

/* Somebody wants samples, and what is known of their places: then it pays to look ahead. */
static inline bool session__looks_ahead(const struct session *s)
{
	return s->resolver && s->ops->sample;
}

#endif
