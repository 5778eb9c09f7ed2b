// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SHORT_SLEEPS 30
#define LONG_SLEEPS 3

static void sleep_ms(int ms)
{
	struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

WORKLOAD_FUNCTION void nap(void)
{
	sleep_ms(20);
	__asm__ volatile(""); /* no tail call: the frame is to stay */
}

WORKLOAD_FUNCTION void slumber(void)
{
	sleep_ms(400);
	__asm__ volatile("");
}

WORKLOAD_FUNCTION void *naps(void *arg)
{
	for (int i = 0; i < SHORT_SLEEPS; i++)
		nap();
	return NULL;
}

WORKLOAD_FUNCTION void *slumbers(void *arg)
{
	for (int i = 0; i < LONG_SLEEPS; i++)
		slumber();
	return NULL;
}

static int in_threads(void)
{
	pthread_t napper, slumberer;
	int err = pthread_create(&napper, NULL, naps, NULL);

	if (!err) {
		err = pthread_create(&slumberer, NULL, slumbers, NULL);
		if (!err)
			pthread_join(slumberer, NULL);
		pthread_join(napper, NULL);
	}
	if (err)
		warnx("cannot create a thread: %s", strerror(err));
	return err != 0;
}

/* One read that is blocked until a thread has slept a while: the reader and who wakes it are known. */
struct pair {
	int fd[2];
};

static bool main_thread_sleeps(void)
{
	char line[128] = "";
	FILE *f = fopen("/proc/self/stat", "r");
	const char *state;

	if (!f)
		return false;
	state = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return state && state[2] == 'S';
}

WORKLOAD_FUNCTION void write_byte(const struct pair *pair)
{
	if (write(pair->fd[1], "", 1) != 1)
		warn("write");
}

WORKLOAD_FUNCTION void wake_reader(const struct pair *pair)
{
	write_byte(pair);
	__asm__ volatile("");
}

static void *writer(void *arg)
{
	while (!main_thread_sleeps()) /* in its read */
		sleep_ms(1);
	slumber();
	wake_reader(arg);
	return NULL;
}

/* The C library may be compiled without frame pointers; then who calls it is not in the chain, but who calls that is. */
WORKLOAD_FUNCTION int read_byte(const struct pair *pair)
{
	char byte;

	return read(pair->fd[0], &byte, 1) == 1 ? 0 : 1;
}

WORKLOAD_FUNCTION int wait_in_read(const struct pair *pair)
{
	int err = read_byte(pair);

	__asm__ volatile("");
	return err;
}

static int in_read(void)
{
	struct pair pair;
	pthread_t thread;
	int err;

	if (pipe(pair.fd)) {
		warn("pipe");
		return 1;
	}
	err = pthread_create(&thread, NULL, writer, &pair);
	if (err) {
		warnx("cannot create a thread: %s", strerror(err));
		return 1;
	}
	err = wait_in_read(&pair);
	pthread_join(thread, NULL);
	return err;
}

WORKLOAD_FUNCTION void wait_for_signal(void)
{
	pause();
	__asm__ volatile("");
}

WORKLOAD_FUNCTION void for_ever(void)
{
	for (;;)
		wait_for_signal();
}

/* How often this thread has given its CPU away, by the kernel's own count */
static long nr_sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Where a CPU is late to go to sleep the time may be over: so this tells how many sleeps there were. */
static int in_turn(void)
{
	long before = nr_sleeps(), between;

	naps(NULL);
	between = nr_sleeps();
	slumbers(NULL);
	printf("nap: %ld sleeps, slumber: %ld sleeps\n", between - before, nr_sleeps() - between);
	return 0;
}

int workload_sleepy(int argc, char **argv)
{
	const char *mode = argc ? argv[0] : "";

	if (argc > 1 || (argc && strcmp(mode, "threads") && strcmp(mode, "read") && strcmp(mode, "ever"))) {
		warnx("sleepy takes nothing, or threads, read or ever");
		return 1;
	}
	if (!strcmp(mode, "threads"))
		return in_threads();
	if (!strcmp(mode, "read"))
		return in_read();
	if (!strcmp(mode, "ever"))
		for_ever();
	return in_turn();
}
