// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps rings from getting full while their reader waits for something that another user can make slow: reading /proc, opening files, making tables.
 * A timer ticks as long as the reader works. It costs two system calls for each time that the reader wakes up, and wakes the thread only if the
 * reader is busy for longer than a tick.
 */
#include "util/sampler/sampler-state.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include "util/bpf/ring.h"
#include "util/lib/clock.h"
#include "util/lib/threads.h"

#define TICK_NS 3000000L
#define MAX_ASIDE (64ULL << 20)
#define KEEPER_NICE (-10) /* if it may not have a real-time priority */

struct keeper {
	struct sampler *s;
	pthread_t thread;
	int timer_fd;
	bool over, works; /* works: the reader does. These and what follows are atomic */
	u64 looked[NR_RINGS], longest_ns, bytes; /* looked: when all rings of a kind were */
	u64 aside;	  /* bytes of the kernel's rings that wait; the thread's, and the reader sets 0 after it has looked */
};

static void keeper__note_gap(struct keeper *k, enum ring_kind kind, u64 now)
{
	const u64 before = __atomic_exchange_n(&k->looked[kind], now, __ATOMIC_RELAXED);
	u64 longest = __atomic_load_n(&k->longest_ns, __ATOMIC_RELAXED);

	while (before && now > before && now - before > longest &&
	       !__atomic_compare_exchange_n(&k->longest_ns, &longest, now - before, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Bytes that may still be set aside */
static size_t keeper__room(const struct keeper *k)
{
	const u64 aside = __atomic_load_n(&k->aside, __ATOMIC_RELAXED);

	return aside < MAX_ASIDE ? MAX_ASIDE - aside : 0;
}

static void keeper__count(struct keeper *k, size_t size)
{
	__atomic_add_fetch(&k->aside, size, __ATOMIC_RELAXED);
	__atomic_add_fetch(&k->bytes, size, __ATOMIC_RELAXED);
}

static void keeper__look_at_kernel(struct keeper *k)
{
	const struct sampler *s = k->s;

	for (unsigned int i = 0; i < s->nr_sets * s->nr_rings; i++) {
		if (s->ring[i].control && !s->ring[i].overwrite && keeper__room(k))
			keeper__count(k, ring__set_aside(&s->ring[i], keeper__room(k)));
	}
}

static void keeper__look_at_programs(struct keeper *k)
{
	const struct sampler *s = k->s;

	for (unsigned int i = 0; i < s->evlist->nr; i++) {
		struct source *source = s->event[i].source;
		struct bpf_ring *ring = source->ops->ring ? source->ops->ring(source) : NULL;

		if (ring) /* each has its own room, as one drain may pass much more than that */
			__atomic_add_fetch(&k->bytes, bpf_ring__set_aside(ring, MAX_ASIDE), __ATOMIC_RELAXED);
	}
}

/* With little time since the last look at rings of this kind there is nothing to do. */
static bool keeper__is_late(const struct keeper *k, enum ring_kind kind)
{
	return clock__ns(CLOCK_MONOTONIC) - __atomic_load_n(&k->looked[kind], __ATOMIC_RELAXED) >= TICK_NS / 2;
}

static void keeper__look(struct keeper *k)
{
	static void (*const look_at[])(struct keeper *k) = {
		[RINGS_OF_KERNEL] = keeper__look_at_kernel, [RINGS_OF_PROGRAMS] = keeper__look_at_programs,
	};

	for (enum ring_kind kind = 0; kind < NR_RINGS; kind++) {
		if (!keeper__is_late(k, kind))
			continue;
		look_at[kind](k);
		if (__atomic_load_n(&k->works, __ATOMIC_RELAXED))
			keeper__note_gap(k, kind, clock__ns(CLOCK_MONOTONIC));
	}
}

static bool is_nice(void)
{
	return getpriority(PRIO_PROCESS, 0) > 0;
}

static void *keeper__run(void *data)
{
	struct keeper *k = data;
	u64 ticks;

	if (!is_nice() && getpriority(PRIO_PROCESS, 0) > KEEPER_NICE)
		setpriority(PRIO_PROCESS, 0, KEEPER_NICE);
	while (!__atomic_load_n(&k->over, __ATOMIC_ACQUIRE)) {
		if (read(k->timer_fd, &ticks, sizeof(ticks)) == sizeof(ticks) && __atomic_load_n(&k->works, __ATOMIC_RELAXED))
			keeper__look(k);
	}
	return NULL;
}

static void keeper__set_timer(const struct keeper *k, long ns)
{
	timerfd_settime(k->timer_fd, 0, &(struct itimerspec){ .it_value.tv_nsec = ns, .it_interval.tv_nsec = ns }, NULL);
}

/*
 * It hardly runs, and not later than those whose samples it keeps, however many these are: on a busy machine no niceness is enough for that, nor may
 * it wait for its first turn. Where perf shall be nice to others, it stays so.
 */
static void keeper__hurry(const struct keeper *k)
{
	const struct sched_param least = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	if (sched_getscheduler(0) == SCHED_OTHER && !is_nice())
		pthread_setschedparam(k->thread, SCHED_FIFO, &least);
}

static struct keeper *keeper__new(struct sampler *s)
{
	struct keeper *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->s = s;
	k->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (k->timer_fd >= 0 && !threads__start(&k->thread, keeper__run, k)) {
		keeper__hurry(k);
		return k;
	}
	close_fd(&k->timer_fd);
	free(k);
	return NULL;
}

void sampler__delete_keeper(struct sampler *s)
{
	struct keeper *k = s->keeper;

	if (!k)
		return;
	__atomic_store_n(&k->over, true, __ATOMIC_RELEASE);
	keeper__set_timer(k, 1);
	pthread_join(k->thread, NULL);
	close_fd(&k->timer_fd);
	free(k);
	s->keeper = NULL;
}

void sampler__note_look(struct sampler *s, enum ring_kind kind)
{
	if (!s->keeper)
		return;
	if (kind == RINGS_OF_KERNEL)
		__atomic_store_n(&s->keeper->aside, 0, __ATOMIC_RELAXED);
	if (__atomic_load_n(&s->keeper->works, __ATOMIC_RELAXED))
		keeper__note_gap(s->keeper, kind, clock__ns(CLOCK_MONOTONIC));
}

/* With readers of their own, rings are kept all the time. */
void sampler__begin_work(struct sampler *s)
{
	s->keeper = s->keeper ?: keeper__new(s);
	if (!s->keeper)
		return;
	for (enum ring_kind kind = 0; kind < NR_RINGS; kind++)
		__atomic_store_n(&s->keeper->looked[kind], clock__ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
	__atomic_store_n(&s->keeper->works, true, __ATOMIC_RELAXED);
	keeper__set_timer(s->keeper, TICK_NS);
}

void sampler__end_work(struct sampler *s)
{
	if (!s->keeper || s->nr_readers > 1)
		return;
	__atomic_store_n(&s->keeper->works, false, __ATOMIC_RELAXED);
	for (enum ring_kind kind = 0; kind < NR_RINGS; kind++)
		keeper__note_gap(s->keeper, kind, clock__ns(CLOCK_MONOTONIC));
	keeper__set_timer(s->keeper, 0);
}

struct sampler_kept sampler__kept(const struct sampler *s)
{
	const struct keeper *k = s->keeper;

	return k ? (struct sampler_kept){ .bytes = k->bytes, .longest_ns = k->longest_ns } : (struct sampler_kept){ 0 };
}
