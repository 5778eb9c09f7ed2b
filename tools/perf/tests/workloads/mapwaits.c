// SPDX-License-Identifier: GPL-2.0
/*
 * A thread, lock-holder, changes the protection of a mapping all the time, for which it holds the mmap_lock of the process for writing.
 * Another one, lock-waiter, touches pages of that mapping for the first time, one by one, and has to wait for the lock. Prints the least that
 * lock-waiter waited, which is how long it slept, without the time it was ready to run; the most, which is the time that the touches took, by
 * its own clock; the ids of holder and waiter; the number of touches for which it slept; and how long it did not run in these. The times are
 * sums in ns. The true sum lies between least and most, however busy the machine is.
 */
#include "tests/workload.h"

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS 20   /* until so many touches had to sleep, */
#define ROUNDS 1000 /* of so many */
#define HELD_SIZE (64UL << 20) /* the longer, the more pages are changed under the lock */

static char *memory; /* HELD_SIZE that has pages, then one for each round */
static long page_size;
static atomic_int holder, waiter; /* tids */
static atomic_uint nr_calls;
static atomic_bool calls, done, over; /* calls: lock-holder is in the system call, or about to be; over: it makes no more */

struct times {
	long long wall, running, ready; /* ns; ready: to run, on another task's CPU */
	long sleeps;
};

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *hold_map(void *data)
{
	const size_t size = HELD_SIZE + ROUNDS * page_size;

	prctl(PR_SET_NAME, "lock-holder");
	holder = gettid();
	for (int i = 0; !done; i++) {
		nr_calls++;
		calls = true;
		if (mprotect(memory, size, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ))
			err(1, "cannot change memory");
		calls = false;
	}
	over = true;
	return NULL;
}

static void take_times(int schedstat, struct times *t)
{
	struct rusage usage;
	char text[128] = "";
	long long ready;

	if (pread(schedstat, text, sizeof(text) - 1, 0) <= 0 || sscanf(text, "%*s %lld", &ready) != 1)
		errx(1, "no times in schedstat");
	getrusage(RUSAGE_THREAD, &usage);
	t->sleeps = usage.ru_nvcsw;
	t->ready = ready;
	t->running = now(CLOCK_THREAD_CPUTIME_ID);
	t->wall = now(CLOCK_MONOTONIC);
}

/* At the end: the clock is read first, so that what is subtracted is at least what lies between the two readings of the clock. */
static void take_times_after(int schedstat, struct times *t)
{
	const long long wall = now(CLOCK_MONOTONIC);

	take_times(schedstat, t);
	t->wall = wall;
}

WORKLOAD_FUNCTION void touch_page(const char *page)
{
	if (*(const volatile char *)page)
		errx(1, "a new page is not empty");
}

/* lock-holder may leave its CPU in between, without the lock; then only the next call may make anybody wait. */
static void await_call(void)
{
	static unsigned int seen;

	while (!calls || nr_calls == seen)
		sched_yield();
	seen = nr_calls;
}

static void *wait_for_map(void *data)
{
	int schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	long long *sum = data, off_cpu;
	struct times begin, end;

	if (schedstat < 0)
		err(1, "no schedstat");
	prctl(PR_SET_NAME, "lock-waiter");
	/* What this touches has pages then, so that it waits for nothing later. */
	take_times(schedstat, &begin);
	take_times_after(schedstat, &end);
	waiter = gettid();
	for (int i = 0; i < ROUNDS && sum[2] < SLEEPS; i++) {
		await_call();
		take_times(schedstat, &begin);
		touch_page(memory + HELD_SIZE + i * page_size);
		take_times_after(schedstat, &end);
		sum[1] += end.wall - begin.wall;
		if (end.sleeps == begin.sleeps)
			continue;
		off_cpu = end.wall - begin.wall - (end.running - begin.running);
		sum[0] += off_cpu - (end.ready - begin.ready);
		sum[2]++;
		sum[3] += off_cpu;
	}
	done = true;
	/* At its end a thread takes the lock once more, to give back its stack: not while it is held. */
	while (!over)
		sched_yield();
	return NULL;
}

int workload_mapwaits(int argc, char **argv)
{
	long long sum[4] = { 0 }; /* least, most, sleeps, not running */
	pthread_t thread[2];

	page_size = sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, HELD_SIZE + ROUNDS * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "no memory");
	/* A huge page would change in no time. */
	madvise(memory, HELD_SIZE + ROUNDS * page_size, MADV_NOHUGEPAGE);
	memset(memory, 1, HELD_SIZE);
	if (pthread_create(&thread[0], NULL, wait_for_map, sum))
		errx(1, "cannot create a thread");
	while (!waiter)
		usleep(1000);
	if (pthread_create(&thread[1], NULL, hold_map, NULL))
		errx(1, "cannot create a thread");
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	if (sum[2] < SLEEPS)
		errx(1, "lock-waiter seldom had to wait");
	printf("%lld %lld %d %d %lld %lld\n", sum[0], sum[1], holder, waiter, sum[2], sum[3]);
	return 0;
}
