// SPDX-License-Identifier: GPL-2.0
/* Starts a task for each byte that it reads, and answers with a byte: the test says when. */
#include "tests/workload.h"

#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/sched.h>

#define NAP_MS 10

static int life[2]; /* tasks live until the program that started them ends, and this pipe hangs up */

/* It leaves the CPU again and again, and takes little of it, as there may be hundreds. */
static void *nap_on(void *arg)
{
	struct pollfd pfd = { .fd = life[0] };

	while (!poll(&pfd, 1, NAP_MS))
		;
	return NULL;
}

static int start_thread(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 1 << 16);
	ret = pthread_create(&thread, &attr, nap_on, NULL);
	pthread_attr_destroy(&attr);
	return ret ? -1 : 0;
}

static int start_process(unsigned long flags)
{
	long pid = syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);

	if (pid)
		return pid < 0 ? -1 : 0;
	close(life[1]);
	nap_on(NULL);
	_exit(0);
}

static int start_child(void)
{
	return start_process(0);
}

static int start_sibling(void)
{
	return start_process(CLONE_PARENT);
}

static const struct {
	const char *name;
	int (*start)(void);
} kinds[] = {
	{ "threads", start_thread },
	{ "children", start_child },
	{ "siblings", start_sibling },
};

int workload_starter(int argc, char **argv)
{
	unsigned int kind = 0;
	char byte;

	while (argc == 1 && kind < sizeof(kinds) / sizeof(*kinds) && strcmp(kinds[kind].name, argv[0]))
		kind++;
	if (argc != 1 || kind == sizeof(kinds) / sizeof(*kinds)) {
		warnx("expected what to start: threads, children or siblings");
		return 1;
	}
	if (pipe(life)) {
		warn("pipe");
		return 1;
	}
	while (read(STDIN_FILENO, &byte, 1) == 1) {
		if (kinds[kind].start() || write(STDOUT_FILENO, &byte, 1) != 1) {
			warn("cannot start %s", kinds[kind].name);
			return 1;
		}
	}
	return 0;
}
