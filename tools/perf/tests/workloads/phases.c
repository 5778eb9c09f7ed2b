// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of which each spends its time in one way, for about the given ms: they compute, sleep, read from a slow pipe, wait for a mutex, and
 * two rivals compute on one CPU. With a number of threads so many sleep instead. Each prints its name, its tid, when it ended by CLOCK_MONOTONIC,
 * and in ns its life, its time on CPUs, its time ready to run, and what is left: how long it slept, by the clocks of the kernel. What a host stole
 * from its CPU is left, too.
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
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 40000000LL

struct thread {
	const char *name;
	void (*spend)(void);
	pthread_t thread;
};

static long long spent_ns = 1000000000LL;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int slow_pipe[2];
static atomic_bool waits_for_mutex;
static volatile unsigned long work;

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void nap(long long ns)
{
	struct timespec t = { ns / 1000000000LL, ns % 1000000000LL };

	nanosleep(&t, NULL);
}

WORKLOAD_FUNCTION void compute_for(long long ns)
{
	while (now(CLOCK_THREAD_CPUTIME_ID) < ns) {
		for (int i = 0; i < 10000; i++)
			work++;
	}
}

WORKLOAD_FUNCTION void phase_compute(void)
{
	compute_for(spent_ns);
}

WORKLOAD_FUNCTION void phase_sleep(void)
{
	for (long long slept = 0; slept < spent_ns; slept += STEP_NS)
		nap(STEP_NS);
}

WORKLOAD_FUNCTION void phase_read(void)
{
	char byte;

	while (read(slow_pipe[0], &byte, 1) == 1)
		;
}

WORKLOAD_FUNCTION void phase_write(void)
{
	for (long long slept = 0; slept < spent_ns; slept += STEP_NS) {
		nap(STEP_NS);
		if (write(slow_pipe[1], "", 1) != 1)
			err(1, "cannot write to the pipe");
	}
	close(slow_pipe[1]);
}

/* main holds the mutex until this thread waits, and as long as the others take. */
WORKLOAD_FUNCTION void phase_mutex(void)
{
	waits_for_mutex = true;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void stay_on_a_cpu(void)
{
	cpu_set_t set;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		err(1, "cannot read the CPUs of the thread");
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot keep the thread on a CPU");
}

WORKLOAD_FUNCTION void phase_rival(void)
{
	stay_on_a_cpu();
	compute_for(spent_ns / 2);
}

/* What the kernel knows of this thread at one moment, in ns */
struct clocks {
	long long time, running, ready;
};

static long long read_ready(void)
{
	FILE *fp = fopen("/proc/thread-self/schedstat", "r");
	long long ready;

	if (!fp || fscanf(fp, "%*u %lld", &ready) != 1)
		errx(1, "cannot read /proc/thread-self/schedstat");
	fclose(fp);
	return ready;
}

/* Who loses the CPU between two of the clocks looks at them again. */
static struct clocks read_clocks(void)
{
	struct clocks c;

	do {
		c.ready = read_ready();
		c.running = now(CLOCK_THREAD_CPUTIME_ID);
		c.time = now(CLOCK_MONOTONIC);
	} while (c.ready != read_ready());
	return c;
}

static void *run_thread(void *data)
{
	struct thread *t = data;
	const struct clocks begin = read_clocks();
	struct clocks end;
	long long life;

	prctl(PR_SET_NAME, t->name);
	t->spend();
	end = read_clocks();
	life = end.time - (begin.time - begin.running - begin.ready);
	printf("%s %d %lld %lld %lld %lld %lld\n", t->name, gettid(), end.time, life, end.running, end.ready, life - end.running - end.ready);
	return NULL;
}

static void start(struct thread *t)
{
	if (pthread_create(&t->thread, NULL, run_thread, t))
		errx(1, "cannot create a thread");
}

static int run_many(size_t nr)
{
	struct thread *thread = calloc(nr, sizeof(*thread));

	if (!thread)
		err(1, "cannot make threads");
	for (size_t i = 0; i < nr; i++) {
		thread[i] = (struct thread){ .name = "sleeps", .spend = phase_sleep };
		start(&thread[i]);
	}
	for (size_t i = 0; i < nr; i++)
		pthread_join(thread[i].thread, NULL);
	free(thread);
	return 0;
}

int workload_phases(int argc, char **argv)
{
	struct thread waits = { .name = "waits", .spend = phase_mutex }, thread[] = {
		{ .name = "computes", .spend = phase_compute }, { .name = "sleeps", .spend = phase_sleep },
		{ .name = "reads", .spend = phase_read }, { .name = "writes", .spend = phase_write },
		{ .name = "rival", .spend = phase_rival }, { .name = "rival", .spend = phase_rival },
	};
	unsigned long ms = 1000, nr = 0;

	if ((argc && workload__parse_loops(1, argv, &ms)) || (argc > 1 && workload__parse_loops(argc - 1, argv + 1, &nr)))
		return 1;
	spent_ns = ms * 1000000LL;
	if (nr)
		return run_many(nr);
	if (pipe2(slow_pipe, O_CLOEXEC))
		err(1, "cannot make a pipe");
	pthread_mutex_lock(&mutex);
	start(&waits);
	while (!waits_for_mutex)
		nap(1000000);
	for (size_t i = 0; i < sizeof(thread) / sizeof(*thread); i++)
		start(&thread[i]);
	for (size_t i = 0; i < sizeof(thread) / sizeof(*thread); i++)
		pthread_join(thread[i].thread, NULL);
	pthread_mutex_unlock(&mutex);
	pthread_join(waits.thread, NULL);
	return 0;
}
