// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that want one lock of the kernel all the time: each writes a byte to the same pipe and reads one, which takes the pipe's mutex twice.
 * Arguments: the number of threads, and how often each does so.
 */
#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 64

static int ends[2];
static long nr_rounds;

static void *work(void *unused)
{
	char byte = 'x';

	for (long i = 0; i < nr_rounds; i++) {
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			err(1, "pipe");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int nr_threads = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t thread[MAX_THREADS];

	if (nr_threads < 1 || nr_threads > MAX_THREADS)
		errx(129, "usage: lock-load THREADS ROUNDS");
	nr_rounds = atol(argv[2]);
	if (pipe(ends))
		err(1, "pipe");
	for (int i = 0; i < nr_threads; i++) {
		if (pthread_create(&thread[i], NULL, work, NULL))
			errx(1, "cannot start a thread");
	}
	for (int i = 0; i < nr_threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
