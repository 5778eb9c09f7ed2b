/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * To whom a CPU's time belongs: the state of a CPU (struct kwork_cpu) goes from event to event. BPF programs and user space
 * (source/kwork-events.c, for files) share this code, so both count the same.
 *
 * An interrupt may come between any two instructions of what is here, and leaves nr_irqs as it was. Only the time of the last event needs
 * care: see kwork_cpu__charge().
 */
#ifndef PERF_BPF_KWORK_ACCOUNT_H
#define PERF_BPF_KWORK_ACCOUNT_H

#include "kwork.h"

#define KWORK_INLINE static inline __attribute__((always_inline))

/*
 * The time since the last event goes to who had the CPU. begin: when counting began, for the first event. If an interrupt came after the
 * caller took the time, its events have counted on already.
 */
KWORK_INLINE void kwork_cpu__charge(struct kwork_cpu *c, __u64 now, __u64 begin)
{
	__u64 last = __sync_lock_test_and_set(&c->last, now);

	if (!last)
		last = begin;
	if (last > now) {
		c->last = last;
		return;
	}
	if (c->nr_irqs) {
		c->irq[(c->nr_irqs - 1) & (KWORK_MAX_IRQS - 1)].ns += now - last;
		c->irq_ns += now - last;
	} else if (c->in_softirq) {
		c->softirq.ns += now - last;
		c->softirq_ns += now - last;
	} else {
		c->task_ns += now - last;
	}
}

KWORK_INLINE void kwork_cpu__begin_irq(struct kwork_cpu *c, __u64 id, __u64 now, __u64 begin)
{
	struct kwork_run *run;

	kwork_cpu__charge(c, now, begin);
	if (c->nr_irqs >= KWORK_MAX_IRQS) { /* their ends are missing */
		c->unended += c->nr_irqs;
		c->nr_irqs = 0;
	}
	run = &c->irq[c->nr_irqs & (KWORK_MAX_IRQS - 1)];
	run->id = id;
	run->begin = now;
	run->ns = 0;
	c->nr_irqs++;
}

/* NULL: its begin was not seen. Others that began after it have no end. */
KWORK_INLINE struct kwork_run *kwork_cpu__end_irq(struct kwork_cpu *c, __u64 id, __u64 now, __u64 begin)
{
	kwork_cpu__charge(c, now, begin);
	for (int i = 0; i < KWORK_MAX_IRQS && c->nr_irqs; i++) {
		struct kwork_run *run = &c->irq[--c->nr_irqs & (KWORK_MAX_IRQS - 1)];

		if (run->id == id)
			return run;
		c->unended++;
	}
	return (void *)0;
}

/* The first raise counts, until it runs. */
KWORK_INLINE void kwork_cpu__raise(struct kwork_cpu *c, __u32 nr, __u64 now)
{
	__u64 *raised = &c->raised[nr & (KWORK_MAX_SOFTIRQS - 1)];

	if (!*raised)
		*raised = now;
}

KWORK_INLINE void kwork_cpu__begin_softirq(struct kwork_cpu *c, __u32 nr, __u64 now, __u64 begin)
{
	__u64 *raised = &c->raised[nr & (KWORK_MAX_SOFTIRQS - 1)];

	kwork_cpu__charge(c, now, begin);
	c->unended += c->in_softirq + c->nr_calls;
	c->nr_calls = 0;
	c->softirq.id = nr;
	c->softirq.begin = now;
	c->softirq.ns = 0;
	c->softirq.raised = *raised;
	c->softirq.wait = *raised && now > *raised ? now - *raised : 0;
	*raised = 0;
	c->bh_work.id = 0;
	c->in_softirq = 1;
}

KWORK_INLINE struct kwork_run *kwork_cpu__end_softirq(struct kwork_cpu *c, __u32 nr, __u64 now, __u64 begin)
{
	kwork_cpu__charge(c, now, begin);
	if (!c->in_softirq)
		return (void *)0;
	c->in_softirq = 0;
	if (c->softirq.id == nr)
		return &c->softirq;
	c->unended++;
	return (void *)0;
}

/*
 * The time of what calls functions: of the CPU's tasks, or of the softirq or the interrupt that calls. It is the clock of works, and of
 * functions of tasklets and timers.
 */
KWORK_INLINE __u64 kwork_cpu__clock(const struct kwork_cpu *c)
{
	return c->nr_irqs ? c->irq_ns : c->in_softirq ? c->softirq_ns : c->task_ns;
}

/*
 * Functions of tasklets and timers. A timer's interrupt may come at any time, also here: it takes the place above, and leaves as many as there
 * were. So the place is taken first, and left last: by the caller, who has done with it.
 */
KWORK_INLINE void kwork_cpu__begin_call(struct kwork_cpu *c, __u32 class, __u64 object, __u64 function, __u64 now, __u64 begin)
{
	struct kwork_call *call;
	__u32 nr;

	kwork_cpu__charge(c, now, begin);
	if (c->nr_calls >= KWORK_MAX_CALLS) { /* their ends are missing */
		c->unended += c->nr_calls;
		c->nr_calls = 0;
	}
	nr = __sync_fetch_and_add(&c->nr_calls, 1);
	call = &c->call[nr & (KWORK_MAX_CALLS - 1)];
	call->object = object;
	call->class = class;
	call->run = (struct kwork_run){ .id = function, .begin = now, .mark = kwork_cpu__clock(c) };
}

/* NULL: its begin was not seen. Those that began after it have no end. The caller ends with kwork_cpu__leave_call(). */
KWORK_INLINE struct kwork_call *kwork_cpu__end_call(struct kwork_cpu *c, __u64 object, __u64 now, __u64 begin)
{
	kwork_cpu__charge(c, now, begin);
	for (__u32 i = 0; i < KWORK_MAX_CALLS && i < c->nr_calls; i++) {
		struct kwork_call *call = &c->call[(c->nr_calls - 1 - i) & (KWORK_MAX_CALLS - 1)];

		if (call->object != object)
			continue;
		c->unended += i;
		c->nr_calls -= i;
		call->run.ns = kwork_cpu__clock(c) - call->run.mark;
		return call;
	}
	return (void *)0;
}

KWORK_INLINE void kwork_cpu__leave_call(struct kwork_cpu *c)
{
	if (c->nr_calls)
		c->nr_calls--;
}

/* Works */

KWORK_INLINE void kwork_run__begin_work(struct kwork_run *run, struct kwork_cpu *c, __u64 function, __u64 now, const struct kwork_queued *queued)
{
	run->id = function;
	run->begin = now;
	run->ns = 0;
	run->mark = kwork_cpu__clock(c);
	run->raised = queued ? queued->queued : 0;
	run->wait = run->raised && now > run->raised ? now - run->raised : 0;
}

KWORK_INLINE void kwork_run__pause(struct kwork_run *run, const struct kwork_cpu *c)
{
	run->ns += kwork_cpu__clock(c) - run->mark;
}

KWORK_INLINE void kwork_run__resume(struct kwork_run *run, const struct kwork_cpu *c)
{
	run->mark = kwork_cpu__clock(c);
}

/*
 * A task leaves the CPU, which neither interrupts nor softirqs allow: what is left of them, and of what they call, has no end. Returns the time of the task's
 * turn, which began at *since.
 */
KWORK_INLINE __u64 kwork_cpu__switch(struct kwork_cpu *c, __u64 now, __u64 begin, __u64 *since)
{
	__u64 ns;

	kwork_cpu__charge(c, now, begin);
	c->unended += c->nr_irqs + c->in_softirq + c->nr_calls;
	c->nr_irqs = c->in_softirq = c->nr_calls = 0;
	ns = c->task_ns - c->turn_mark;
	*since = c->turn_begin ? c->turn_begin : begin;
	c->turn_begin = now;
	c->turn_mark = c->task_ns;
	return ns;
}

KWORK_INLINE void kwork_times__add(struct kwork_times *t, __u64 ns, __u64 begin, __u64 end)
{
	t->count++;
	t->total += ns;
	if (ns < t->greatest || (t->greatest && ns == t->greatest))
		return;
	t->greatest = ns;
	t->begin = begin;
	t->end = end;
}

#endif
