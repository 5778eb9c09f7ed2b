// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults of a known number: task number i, a thread or a process, has the name fault-i while it makes PAGES + i % 20 of them, and
 * another name before and after. What such a task needs beside them is touched before it takes that name.
 *
 * With a gate there are such tasks as well, but without name and faults, that start and end until a line comes on the standard input;
 * "done" is printed after the tasks that count, and the workload ends at the input's next line or end.
 */
#include "tests/workload.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM 64 /* pages of memory that a task touches again and again */
#define MAX_TASKS 100000
#define TOGETHER 200 /* tasks that there are at a time */
#define EXTRA 20

struct task {
	char name[20]; /* the kernel takes 15 characters */
	unsigned long pages; /* 0: it only comes and goes */
	char *room;	     /* its own ROOM pages */
	pthread_t thread;
	pid_t pid;
};

static long page_size;

static void rename_self(const char *name)
{
	prctl(PR_SET_NAME, name);
}

/* MADV_DONTNEED gives the pages back: the next write faults anew. */
WORKLOAD_FUNCTION void touch_pages(char *room, unsigned long pages)
{
	while (pages) {
		unsigned long now = pages < ROOM ? pages : ROOM;

		for (unsigned long i = 0; i < now; i++)
			((volatile char *)room)[i * page_size] = 1;
		madvise(room, ROOM * page_size, MADV_DONTNEED);
		pages -= now;
	}
}

static void *run_task(void *arg)
{
	struct task *task = arg;

	if (!task->pages)
		return NULL;
	rename_self("before");
	touch_pages(task->room, 1);
	rename_self(task->name);
	touch_pages(task->room, task->pages);
	rename_self("after");
	return NULL;
}

static int start_thread(struct task *task)
{
	return pthread_create(&task->thread, NULL, run_task, task);
}

static int end_thread(struct task *task)
{
	return pthread_join(task->thread, NULL);
}

static int start_process(struct task *task)
{
	task->pid = fork();
	if (!task->pid) {
		run_task(task);
		_exit(0);
	}
	return task->pid < 0 ? errno : 0;
}

static int end_process(struct task *task)
{
	int status;

	while (waitpid(task->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	return status ? ECHILD : 0;
}

struct kind {
	const char *name;
	int (*start)(struct task *task); /* 0 or an errno, as the other */
	int (*end)(struct task *task);
};

static const struct kind kinds[] = {
	{ "threads", start_thread, end_thread },
	{ "processes", start_process, end_process },
	{ NULL, NULL, NULL },
};

/* pages 0: tasks that do nothing */
static int run_tasks(const struct kind *kind, struct task *tasks, unsigned int nr, unsigned long pages)
{
	int error = 0;

	for (unsigned int first = 0; first < nr && !error; first += TOGETHER) {
		unsigned int started, end = first + TOGETHER < nr ? first + TOGETHER : nr;

		for (started = first; started < end && !error; started++) {
			struct task *task = &tasks[started % TOGETHER];

			snprintf(task->name, sizeof(task->name), "fault-%u", started);
			task->pages = pages ? pages + started % EXTRA : 0;
			error = kind->start(task);
			if (error)
				break;
		}
		while (started-- > first)
			error = kind->end(&tasks[started % TOGETHER]) ?: error;
	}
	if (error)
		warnx("%s cannot be run: %s", kind->name, strerror(error));
	return error ? -1 : 0;
}

static bool wait_for_line(int timeout)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	char c = 0;

	if (poll(&fd, 1, timeout) <= 0)
		return false;
	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
	return true;
}

/* The pauses between the crowds are chances to attach to all tasks that there are. */
static int run_gated(const struct kind *kind, struct task *tasks, unsigned int nr, unsigned long pages)
{
	int ret = 0;

	while (!ret && !wait_for_line(20))
		ret = run_tasks(kind, tasks, nr < TOGETHER ? nr : TOGETHER, 0);
	ret = ret ?: run_tasks(kind, tasks, nr, pages);
	if (ret)
		return ret;
	printf("done\n");
	fflush(stdout);
	while (!wait_for_line(-1))
		;
	return 0;
}

static int init_tasks(struct task *tasks)
{
	page_size = sysconf(_SC_PAGESIZE);
	for (int i = 0; i < TOGETHER; i++) {
		tasks[i].room = mmap(NULL, ROOM * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (tasks[i].room == MAP_FAILED)
			return -1;
		if (madvise(tasks[i].room, ROOM * page_size, MADV_NOHUGEPAGE) && errno != EINVAL) /* EINVAL: there are none at all */
			return -1;
	}
	return 0;
}

static bool take_number(const char *text, unsigned long max, unsigned long *n)
{
	char *end;

	errno = 0;
	*n = strtoul(text, &end, 10);
	return end != text && !*end && !errno && *n && *n <= max;
}

int workload_faults(int argc, char **argv)
{
	static struct task tasks[TOGETHER];
	const struct kind *kind = kinds;
	unsigned long pages, nr;

	while (argc >= 3 && kind->name && strcmp(argv[1], kind->name))
		kind++;
	if (argc < 3 || argc > 4 || !kind->name || !take_number(argv[0], 1UL << 40, &pages) || !take_number(argv[2], MAX_TASKS, &nr) ||
	    (argc == 4 && strcmp(argv[3], "gate"))) {
		warnx("usage: faults PAGES threads|processes NUMBER [gate]");
		return 1;
	}
	if (init_tasks(tasks)) {
		warn("no memory to touch");
		return 1;
	}
	return (argc == 4 ? run_gated(kind, tasks, nr, pages) : run_tasks(kind, tasks, nr, pages)) ? 1 : 0;
}
