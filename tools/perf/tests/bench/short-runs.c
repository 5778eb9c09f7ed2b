// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose tasks live or run for a short time each, for clock.py. Arguments: which one, and how many times.
 *	vfork		start /bin/true
 *	threads		start a thread that works for 1 ms
 *	pipes		send a byte to another process, and wait for its answer
 *	server		start a process that works for 0.3 ms, as servers do for each request
 *	bursts		sleep for 50 ms, then start 20 processes that work for 0.3 ms
 *	spin		work for 1 ms
 * With a third argument it begins when there is a line to read.
 */
#include <err.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(long us)
{
	struct timespec now;
	long end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	end = now.tv_sec * 1000000 + now.tv_nsec / 1000 + us;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec * 1000000 + now.tv_nsec / 1000 < end);
}

static void vfork_one(void)
{
	char *const argv[] = { "true", NULL }, *const env[] = { NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, env) || waitpid(pid, NULL, 0) != pid)
		errx(1, "cannot run /bin/true");
}

static void *thread(void *unused)
{
	work(1000);
	return unused;
}

static void thread_one(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
		errx(1, "cannot start a thread");
}

static void serve_one(void)
{
	pid_t pid = fork();

	if (!pid) {
		work(300);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		err(1, "fork");
}

static void burst(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	for (int i = 0; i < 20; i++)
		serve_one();
}

static void spin(void)
{
	work(1000);
}

static void pipes(long nr)
{
	int there[2], back[2];
	char byte;

	if (pipe(there) || pipe(back))
		err(1, "pipe");
	if (!fork()) {
		close(back[0]);
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (nr--) {
		if (write(there[1], "x", 1) != 1 || read(back[0], &byte, 1) != 1)
			err(1, "pipe");
	}
	close(there[1]);
	wait(NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*one)(void);
	} kinds[] = { { "vfork", vfork_one }, { "threads", thread_one }, { "server", serve_one }, { "bursts", burst }, { "spin", spin } };
	long nr = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (argc > 3)
		getchar();
	if (argc > 2 && !strcmp(argv[1], "pipes")) {
		pipes(nr);
		return 0;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (argc < 3 || strcmp(argv[1], kinds[i].name))
			continue;
		while (nr--)
			kinds[i].one();
		return 0;
	}
	errx(1, "see the head of short-runs.c");
}
