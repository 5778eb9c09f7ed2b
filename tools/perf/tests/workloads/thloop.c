// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#include <err.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned int counter;

WORKLOAD_FUNCTION void test_loop(void)
{
	while (!workload_done)
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
}

WORKLOAD_FUNCTION void *thfunc(void *arg)
{
	test_loop();
	return NULL;
}

#define MAX_THREADS 1024

/* How many threads, the first one included; 0 after a message. */
static unsigned int nr_threads(int argc, char **argv)
{
	char *end;
	long nr;

	if (argc < 2)
		return 2;
	nr = strtol(argv[1], &end, 10);
	if (argc == 2 && end != argv[1] && !*end && nr >= 1 && nr <= MAX_THREADS)
		return nr;
	warnx("'%s' is no number of threads from 1 to %d, or there are more arguments", argv[1], MAX_THREADS);
	return 0;
}

int workload_thloop(int argc, char **argv)
{
	unsigned int nr = nr_threads(argc, argv);
	pthread_t thread[MAX_THREADS];

	if (!nr || workload__start_threads(argc > 1 ? 1 : argc, argv, nr))
		return 1;
	for (unsigned int i = 1; i < nr; i++) {
		int err = pthread_create(&thread[i], NULL, thfunc, NULL);

		if (err) {
			warnx("cannot create a thread: %s", strerror(err));
			return 1;
		}
	}
	test_loop();
	for (unsigned int i = 1; i < nr; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
