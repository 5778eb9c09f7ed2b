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
	c->unended += c->in_softirq;
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

/* Works. The clock of a work is its CPU's time of tasks, or of the softirq that executes it. */

KWORK_INLINE __u64 kwork_cpu__work_clock(const struct kwork_cpu *c)
{
	return c->in_softirq ? c->softirq_ns : c->task_ns;
}

KWORK_INLINE void kwork_run__begin_work(struct kwork_run *run, struct kwork_cpu *c, __u64 function, __u64 now, const struct kwork_queued *queued)
{
	run->id = function;
	run->begin = now;
	run->ns = 0;
	run->mark = kwork_cpu__work_clock(c);
	run->raised = queued ? queued->queued : 0;
	run->wait = run->raised && now > run->raised ? now - run->raised : 0;
}

KWORK_INLINE void kwork_run__pause(struct kwork_run *run, const struct kwork_cpu *c)
{
	run->ns += kwork_cpu__work_clock(c) - run->mark;
}

KWORK_INLINE void kwork_run__resume(struct kwork_run *run, const struct kwork_cpu *c)
{
	run->mark = kwork_cpu__work_clock(c);
}

/*
 * A task leaves the CPU, which neither interrupts nor softirqs allow: what is left of them has no end. Returns the time of the task's
 * turn, which began at *since.
 */
KWORK_INLINE __u64 kwork_cpu__switch(struct kwork_cpu *c, __u64 now, __u64 begin, __u64 *since)
{
	__u64 ns;

	kwork_cpu__charge(c, now, begin);
	c->unended += c->nr_irqs + c->in_softirq;
	c->nr_irqs = c->in_softirq = 0;
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
