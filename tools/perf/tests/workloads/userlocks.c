// SPDX-License-Identifier: GPL-2.0
/*
 * Two tasks, lock-a and lock-b, hold a lock in turn and sleep meanwhile, so that the other one waits as long. They measure their waits and
 * print the sum in ns. Waits are long: what a busy machine adds between a clock and a system call does not matter. Only those for a ball are
 * short.
 */
#include "tests/workload.h"

#include <err.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 15
#define HOLD 40 /* ms */
#define PAUSE 2

struct locks {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_cond_t changed;
	unsigned long long waited[2];
	int turn;
	int ball[2];
};

static struct locks user_locks = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, PTHREAD_COND_INITIALIZER, { 0, 0 }, 0, { 0, 0 } };
static struct locks *locks = &user_locks;

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void pass(unsigned int ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

WORKLOAD_FUNCTION void take_mutex(int who)
{
	const unsigned long long begin = now();

	pthread_mutex_lock(&locks->mutex);
	locks->waited[who] += now() - begin;
	pass(HOLD);
	pthread_mutex_unlock(&locks->mutex);
	pass(PAUSE);
}

/* lock-a reads, lock-b writes. */
WORKLOAD_FUNCTION void take_rwlock(int who)
{
	const unsigned long long begin = now();

	if (who)
		pthread_rwlock_wrlock(&locks->rwlock);
	else
		pthread_rwlock_rdlock(&locks->rwlock);
	locks->waited[who] += now() - begin;
	pass(HOLD);
	pthread_rwlock_unlock(&locks->rwlock);
	pass(PAUSE);
}

/* Each waits for its turn and gives the other one the next. */
WORKLOAD_FUNCTION void take_turn(int who)
{
	unsigned long long begin;

	pthread_mutex_lock(&locks->mutex);
	while (locks->turn != who) {
		begin = now();
		pthread_cond_wait(&locks->changed, &locks->mutex);
		locks->waited[who] += now() - begin;
	}
	pthread_mutex_unlock(&locks->mutex);
	pass(HOLD);
	pthread_mutex_lock(&locks->mutex);
	locks->turn = !who;
	pthread_mutex_unlock(&locks->mutex);
	pthread_cond_signal(&locks->changed);
}

static void futex(int *word, int op, int value)
{
	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void throw_to(int who)
{
	__atomic_store_n(&locks->ball[who], 1, __ATOMIC_SEQ_CST);
	futex(&locks->ball[who], FUTEX_WAKE, 1);
}

/* As fast as they can: a task that is woken waits again while the other one is still in the system call that wakes it. */
WORKLOAD_FUNCTION void play_ball(int who)
{
	unsigned long long begin;

	for (int i = 0; i < 1000; i++) {
		if (who)
			throw_to(0);
		begin = now();
		while (!__atomic_exchange_n(&locks->ball[who], 0, __ATOMIC_SEQ_CST))
			futex(&locks->ball[who], FUTEX_WAIT, 0);
		locks->waited[who] += now() - begin;
		if (!who)
			throw_to(1);
	}
}

static const struct kind {
	const char *name;
	void (*take)(int who);
} kinds[] = {
	{ "mutex", take_mutex },
	{ "rwlock", take_rwlock },
	{ "condition", take_turn },
	{ "ball", play_ball },
	{ "shared", take_mutex },
};
static const struct kind *kind;

static void *work(void *which)
{
	const int who = which != NULL;

	prctl(PR_SET_NAME, who ? "lock-b" : "lock-a");
	for (int i = 0; i < ROUNDS; i++)
		kind->take(who);
	return NULL;
}

static int run_threads(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++) {
		if (pthread_create(&thread[i], NULL, work, i ? &thread : NULL))
			errx(1, "cannot create a thread");
	}
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* Processes share the lock in a file. */
static int run_processes(void)
{
	pthread_mutexattr_t attr;
	int fd = memfd_create("locks", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*locks)))
		err(1, "no file to share");
	locks = mmap(NULL, sizeof(*locks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (locks == MAP_FAILED)
		err(1, "no memory to share");
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&locks->mutex, &attr);
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "cannot fork");
		if (!pid) {
			work(i ? &attr : NULL);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

int workload_userlocks(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && argc == 1; i++) {
		if (!strcmp(kinds[i].name, argv[0]))
			kind = &kinds[i];
	}
	if (!kind) {
		warnx("name one of mutex, rwlock, condition, ball and shared");
		return 1;
	}
	if (strcmp(kind->name, "shared") ? run_threads() : run_processes())
		return 1;
	printf("%llu\n", locks->waited[0] + locks->waited[1]);
	return 0;
}
