// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait for the lock of their memory map: mprotect() holds it for writing. Each thread does this until one of them has slept
 * often enough: 20 times, or as often as the second argument says. Who waits, and for whom, is known: the threads of this process.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#define SIZE (16UL << 20)
static volatile int done;
static int most_sleeps = 20;
static void *work(void *memory)
{
	struct rusage usage = { 0 };

	while (!done) {
		for (int i = 0; i < 20; i++) {
			mprotect(memory, SIZE, PROT_READ);
			mprotect(memory, SIZE, PROT_READ | PROT_WRITE);
		}
		getrusage(RUSAGE_THREAD, &usage);
		done |= usage.ru_nvcsw >= most_sleeps; /* sleeps: nothing else here sleeps */
	}
	return NULL;
}
int main(int argc, char **argv)
{
	int nr = atoi(argv[1]);
	pthread_t thread[16];

	if (argc > 2)
		most_sleeps = atoi(argv[2]);
	for (int i = 0; i < nr; i++) {
		char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		madvise(memory, SIZE, MADV_NOHUGEPAGE);
		pthread_create(&thread[i], NULL, work, memory);
	}
	for (int i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	return 7;
}
