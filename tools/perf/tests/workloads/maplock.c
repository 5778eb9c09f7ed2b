// SPDX-License-Identifier: GPL-2.0
/*
 * One thread runs in libc and in this program, half and half; another one holds the lock of their memory map for writing most of
 * the time, so that who wants to know which file that code is in often cannot look.
 */
#include "tests/workload.h"

#include <err.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LOCKED_SIZE (128UL << 20) /* mprotect() changes 32768 pages under the lock */
#define TURN 200000

WORKLOAD_FUNCTION void own_code(void)
{
	for (volatile unsigned int i = 0; i < TURN; i++)
		;
}

WORKLOAD_FUNCTION void libc_code(void)
{
	static char text[64 * TURN];

	memset(text, 'x', sizeof(text) - 1);
	if (strlen(text) != sizeof(text) - 1)
		abort();
}

WORKLOAD_FUNCTION void *lock_map(void *memory)
{
	while (!workload_done) {
		mprotect(memory, LOCKED_SIZE, PROT_READ);
		mprotect(memory, LOCKED_SIZE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

int workload_maplock(int argc, char **argv)
{
	pthread_t thread;
	void *memory;
	int err;

	if (workload__start(argc, argv))
		return 1;
	memory = mmap(NULL, LOCKED_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, LOCKED_SIZE, MADV_NOHUGEPAGE)) {
		warn("no memory to lock");
		return 1;
	}
	/* Later the first touch of each page would wait for the lock, for seconds. */
	memset(memory, 1, LOCKED_SIZE);
	libc_code();
	err = pthread_create(&thread, NULL, lock_map, memory);
	if (err) {
		warnx("cannot create a thread: %s", strerror(err));
		return 1;
	}
	while (!workload_done) {
		own_code();
		libc_code();
	}
	pthread_join(thread, NULL);
	return 0;
}
