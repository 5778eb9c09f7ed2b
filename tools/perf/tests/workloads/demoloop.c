// SPDX-License-Identifier: GPL-2.0
/*
 * Three threads whose shares of the CPU time are known whatever else runs: they work in rounds, each for its share of
 * milliseconds of its own CPU time, and wait for one another at the end of a round.
 */
#include "tests/workload.h"

#include <err.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "util/lib/types.h"

#define SPINS 20000 /* some 10 us: the clock is read rarely enough not to show */

static pthread_barrier_t round_end;
static bool last_round; /* written by one thread, between two waits of all */

static u64 thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* One function of each thread's own, so that symbols tell them apart as well as their names do. */
#define DEFINE_WORK(name)						\
	WORKLOAD_FUNCTION void name(unsigned int ms)			\
	{								\
		u64 end = thread_ns() + ms * 1000000ull;		\
		volatile unsigned int spins;				\
									\
		while (thread_ns() < end) {				\
			for (spins = 0; spins < SPINS; spins++)		\
				;					\
		}							\
	}

DEFINE_WORK(render_frame)
DEFINE_WORK(parse_input)
DEFINE_WORK(write_log)

static struct role {
	const char *name;
	void (*work)(unsigned int ms);
	unsigned int ms; /* of CPU time in each round */
	pthread_t thread;
} roles[] = {
	{ "render", render_frame, 6, 0 },
	{ "parse", parse_input, 3, 0 },
	{ "log", write_log, 1, 0 },
};

static void *play(void *arg)
{
	struct role *role = arg;

	pthread_setname_np(pthread_self(), role->name);
	for (;;) {
		role->work(role->ms);
		pthread_barrier_wait(&round_end);
		if (role == &roles[0])
			last_round = workload_done;
		pthread_barrier_wait(&round_end);
		if (last_round)
			return NULL;
	}
}

int workload_demoloop(int argc, char **argv)
{
	size_t i;
	int err;

	if (workload__start(argc, argv))
		return 1;
	pthread_barrier_init(&round_end, NULL, ARRAY_SIZE(roles));
	for (i = 0; i < ARRAY_SIZE(roles); i++) {
		err = pthread_create(&roles[i].thread, NULL, play, &roles[i]);
		if (err) {
			warnx("cannot create a thread: %s", strerror(err));
			return 1;
		}
	}
	for (i = 0; i < ARRAY_SIZE(roles); i++)
		pthread_join(roles[i].thread, NULL);
	return 0;
}
