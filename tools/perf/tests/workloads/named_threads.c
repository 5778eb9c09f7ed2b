// SPDX-License-Identifier: GPL-2.0
/* Threads with names of their own, each in a function of its own. */
#include "tests/workload.h"

#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define MAX_NAMED 25
#define DEFAULT_LOOPS 500

static volatile unsigned long work;
static unsigned long loops = DEFAULT_LOOPS;

#define THREAD(n)                                              \
	WORKLOAD_FUNCTION void *named_threads_thread##n(void *arg) \
	{                                                      \
		prctl(PR_SET_NAME, "thread" #n);               \
		for (unsigned long i = 0; i < loops; i++)      \
			work++;                                \
		return NULL;                                   \
	}
THREAD(1) THREAD(2) THREAD(3) THREAD(4) THREAD(5) THREAD(6) THREAD(7) THREAD(8) THREAD(9) THREAD(10) THREAD(11) THREAD(12) THREAD(13)
THREAD(14) THREAD(15) THREAD(16) THREAD(17) THREAD(18) THREAD(19) THREAD(20) THREAD(21) THREAD(22) THREAD(23) THREAD(24) THREAD(25)
#undef THREAD

#define THREAD(n) named_threads_thread##n
static void *(*const functions[MAX_NAMED])(void *arg) = {
	THREAD(1), THREAD(2), THREAD(3), THREAD(4), THREAD(5), THREAD(6), THREAD(7), THREAD(8), THREAD(9), THREAD(10), THREAD(11), THREAD(12),
	THREAD(13), THREAD(14), THREAD(15), THREAD(16), THREAD(17), THREAD(18), THREAD(19), THREAD(20), THREAD(21), THREAD(22), THREAD(23),
	THREAD(24), THREAD(25),
};

static int run_threads(unsigned int nr)
{
	pthread_t thread[MAX_NAMED];

	for (unsigned int i = 0; i < nr; i++) {
		int err = pthread_create(&thread[i], NULL, functions[i], NULL);

		if (err) {
			warnx("cannot create a thread: %s", strerror(err));
			return 1;
		}
	}
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

int workload_named_threads(int argc, char **argv)
{
	unsigned long nr = 1;

	if (argc && workload__parse_loops(1, argv, &nr))
		return 1;
	if (nr < 1 || nr > MAX_NAMED) {
		warnx("'%s' is no number of threads from 1 to %d", argv[0], MAX_NAMED);
		return 1;
	}
	return (argc > 1 && workload__parse_loops(argc - 1, argv + 1, &loops)) || run_threads(nr);
}
