/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends profiles to a receiver from a thread of its own, so that nothing waits for the network or the disk but that thread. While the
 * receiver is away, profiles go to a spool, and a try follows after a delay that grows.
 */
#ifndef PERF_PUSH_PUSH_H
#define PERF_PUSH_PUSH_H

#include "util/push/spool.h"
#include "util/push/target.h"

#define PUSH_QUEUE_BYTES (16 << 20) /* the most that waits in memory for the thread */
#define PUSH_END_MS 5000	    /* the most that the end waits for the receiver */

struct push;

struct push_opts { /* the strings must outlive the push */
	const struct push_target *target;
	const struct push_secrets *secrets;
	const char *spool; /* directory */
	u64 spool_bytes;   /* 0: no spool */
	void (*tell)(bool good, const char *text); /* called in that thread: the receiver is away, or it is back (good) */
	u64 (*rejected)(const u8 *answer, size_t size); /* of an answer of success: what the receiver did not take; NULL: nothing says so */
};

struct push_counts { /* profiles; each is sent, lost or waits in the end */
	u64 added;
	u64 found;	     /* in the spool, from an earlier perf */
	u64 sent, sent_bytes;
	u64 spooled;	     /* that were in the spool of this perf */
	u64 waiting;	     /* in the spool, for the next perf */
	u64 refused;	     /* lost: the receiver does not want them */
	u64 given_up;	     /* lost: the receiver failed at them for TRIES_GIVE_UP_MS, while it took others */
	u64 thrown_out;	     /* lost: the spool had no room, or could not be read again */
	u64 no_room;	     /* lost: neither the spool nor memory had room */
	u64 not_kept;	     /* lost: they were in memory at the end, and there is no spool */
	u64 failures;	     /* tries that failed */
	u64 partly;	     /* samples that the receiver says it has dropped from profiles that it took */
	u64 others;	     /* in the spool, for a receiver of another kind */
	char why[512];	     /* the last failure; "": none */
	char why_refused[512]; /* the last refusal */
	char why_no_room[512]; /* of the spool */
};

/* 0 or -errno: libcurl is missing, or the spool cannot be opened. Nothing is sent before the first push__add(). */
int push__new(const struct push_opts *opts, struct push **push, struct errmsg *err);
/* Takes over body and query, both malloc'ed. Never waits. query: of the URL, "" without one. */
void push__add(struct push *push, char *query, void *body, size_t size);
/* Send what is left for at most PUSH_END_MS, and put the rest into the spool. */
void push__finish(struct push *push, struct push_counts *counts);
void push__delete(struct push *push); /* NULL is fine; finishes first */

#endif
