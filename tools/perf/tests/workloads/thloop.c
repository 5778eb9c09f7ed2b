// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#include <err.h>
#include <pthread.h>
#include <stddef.h>
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

int workload_thloop(int argc, char **argv)
{
	pthread_t thread;
	int err;

	if (workload__start(argc, argv))
		return 1;
	err = pthread_create(&thread, NULL, thfunc, NULL);
	if (err) {
		warnx("cannot create a thread: %s", strerror(err));
		return 1;
	}
	test_loop();
	pthread_join(thread, NULL);
	return 0;
}
