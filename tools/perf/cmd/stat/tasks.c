// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stat"

#include "cmd/stat/tasks.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/lib/fs.h"

static int add(struct stat_tasks *tasks, pid_t tid)
{
	if (array__extend(tasks->tid, tasks->nr))
		return -ENOMEM;
	tasks->tid[tasks->nr++] = tid;
	return 0;
}

static bool is_of_user(const char *process, uid_t uid)
{
	char path[300], *status;
	const char *line;
	unsigned int found;
	bool is;

	snprintf(path, sizeof(path), "/proc/%s/status", process);
	status = fs__read_file(AT_FDCWD, path, NULL);
	line = status ? strstr(status, "\nUid:") : NULL;
	is = line && sscanf(line, "\nUid: %u", &found) == 1 && found == uid;
	free(status);
	return is;
}

/* A process may end at any time. */
static int add_process(struct stat_tasks *tasks, const char *process)
{
	struct fs_names *threads;
	char path[300];
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%s/task", process);
	threads = fs_names__read(AT_FDCWD, path);
	if (!threads)
		return fs__own_error(-errno);
	for (size_t i = 0; i < threads->nr && !ret; i++)
		ret = add(tasks, atoi(threads->name[i]));
	fs_names__delete(threads);
	return ret;
}

int stat_tasks__list(struct stat_tasks *tasks, const uid_t *uid, struct errmsg *err)
{
	struct fs_names *names = fs_names__read(AT_FDCWD, "/proc");
	int ret = names ? 0 : -errno;

	*tasks = (struct stat_tasks){ 0 };
	for (size_t i = 0; names && i < names->nr && !ret; i++) {
		if (isdigit((unsigned char)names->name[i][0]) && (!uid || is_of_user(names->name[i], *uid)))
			ret = add_process(tasks, names->name[i]);
	}
	fs_names__delete(names);
	if (ret)
		errmsg__set(err, -ret, "cannot list the threads in /proc: %s", strerror(-ret));
	else if (!tasks->nr)
		ret = errmsg__set(err, ESRCH, "no process of user %u runs: there is nothing to count", uid ? *uid : 0);
	if (ret)
		stat_tasks__exit(tasks);
	return ret;
}

void stat_tasks__exit(struct stat_tasks *tasks)
{
	free(tasks->tid);
	*tasks = (struct stat_tasks){ 0 };
}
