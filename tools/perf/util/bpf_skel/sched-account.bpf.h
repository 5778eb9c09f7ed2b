/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * What each event means for the row of a task. BPF programs and user space, which reads recordings, share this code, so that both tell
 * the same of the same events.
 */
#ifndef PERF_BPF_SCHED_ACCOUNT_BPF_H
#define PERF_BPF_SCHED_ACCOUNT_BPF_H

#include "sched.h"

#ifndef __bpf__
#include <stdbool.h>
#define SCHED_INLINE static inline
#else
#define SCHED_INLINE static __always_inline
#endif

/*
 * Somebody wakes the task. One that has not left its CPU yet goes on there, and one that waits already waits since then.
 */
SCHED_INLINE void sched_row__wake(struct sched_row *row, __u64 now)
{
	if (row->state == SCHED_RUNS || row->state == SCHED_WAITS)
		return;
	row->state = SCHED_WAITS;
	row->since = now;
}

/* The task leaves its CPU. runnable: another one took it. */
SCHED_INLINE void sched_row__leave(struct sched_row *row, __u64 now, bool runnable)
{
	row->state = runnable ? SCHED_WAITS : SCHED_SLEEPS;
	row->since = now;
}

/*
 * The task gets a CPU. true: it had waited for *ns, since *begin. That is 0 ns for a task of which nothing was seen before: its wait may have
 * begun at any time.
 */
SCHED_INLINE bool sched_row__enter(struct sched_row *row, __u64 now, __u64 *ns, __u64 *begin)
{
	const __u8 state = row->state;

	*begin = state == SCHED_WAITS ? row->since : now;
	*ns = now - *begin;
	row->state = SCHED_RUNS;
	row->since = now;
	return (state == SCHED_WAITS && *begin <= now) || state == SCHED_UNKNOWN;
}

/*
 * The task leaves a CPU without having got it: no switch was seen. true: it had waited for *ns until *end, since what it ran is known.
 */
SCHED_INLINE bool sched_row__guess_enter(struct sched_row *row, __u64 now, __u64 ran, __u64 *ns, __u64 *end)
{
	if (row->state != SCHED_WAITS)
		return false;
	*end = now > ran && now - ran > row->since ? now - ran : row->since;
	*ns = *end - row->since;
	return true;
}

/* true: it is the greatest so far. */
SCHED_INLINE bool sched_waits__add(struct sched_waits *w, __u64 ns, __u64 begin, __u64 end)
{
	w->count++;
	w->total += ns;
	if (ns <= w->greatest)
		return false;
	w->greatest = ns;
	w->begin = begin;
	w->end = end;
	return true;
}

#define SCHED_LINEAR_NS 100000

/* Buckets are of 100 us each, or of powers of two of 1 us; the last one has all that is longer. */
SCHED_INLINE __u32 sched_bucket(__u64 ns, bool linear)
{
	const __u32 last = SCHED_NR_BUCKETS - 1;
	__u64 us = ns / 1000;
	__u32 nr = 0;

	if (linear)
		return ns / SCHED_LINEAR_NS < last ? ns / SCHED_LINEAR_NS : last;
	for (nr = 0; nr < last && us; nr++)
		us >>= 1;
	return nr;
}

#endif
