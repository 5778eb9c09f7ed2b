// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "run"

#include "util/run/target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/comma-list.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"

static int append(pid_t **list, int *nr, pid_t value)
{
	pid_t *new;

	if (!(*nr & (*nr - 1))) { /* full at each power of two */
		new = realloc(*list, sizeof(**list) * (*nr ? *nr * 2 : 1));
		if (!new)
			return -ENOMEM;
		*list = new;
	}
	(*list)[(*nr)++] = value;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return *(const pid_t *)a < *(const pid_t *)b ? -1 : *(const pid_t *)a > *(const pid_t *)b;
}

static void sort_unique(pid_t *list, int *nr)
{
	int i, n = 0;

	if (*nr)
		qsort(list, *nr, sizeof(*list), compare);
	for (i = 0; i < *nr; i++) {
		if (!n || list[n - 1] != list[i])
			list[n++] = list[i];
	}
	*nr = n;
}

/* All threads of a process, into tids */
static int add_threads(struct run_target *t, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	for (errno = 0; !ret && (entry = readdir(dir)); errno = 0) {
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = append(&t->tids, &t->nr_tids, atoi(entry->d_name));
	}
	if (!ret)
		ret = fs__own_error(-errno);
	closedir(dir);
	return ret;
}

/* Add the process of a thread to pids */
static int add_process(struct run_target *t, pid_t tid)
{
	struct fs_text status = { 0 };
	const char *tgid = NULL;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	ret = fs_text__read(&status, AT_FDCWD, path);
	if (!ret)
		tgid = strstr(status.text, "\nTgid:");
	if (tgid)
		ret = append(&t->pids, &t->nr_pids, atoi(tgid + strlen("\nTgid:")));
	else
		ret = fs__own_error(ret) ?: -ESRCH;
	fs_text__exit(&status);
	return ret;
}

static int add_one(struct run_target *t, pid_t id, bool is_process, struct errmsg *err)
{
	const char *what = is_process ? "process" : "thread";
	int ret;

	ret = add_process(t, id);
	if (!ret)
		ret = is_process ? add_threads(t, id) : append(&t->tids, &t->nr_tids, id);
	if (ret == -ESRCH)
		return errmsg__set(err, ESRCH, "there is no %s with id %d", what, id);
	return ret ? errmsg__set(err, -ret, "cannot find the threads of %s %d: %s", what, id, strerror(-ret)) : 0;
}

/* Check the whole list first: its syntax does not depend on which tasks exist. */
static int check_list(const char *list, bool is_process, struct errmsg *err)
{
	const char *s = list;
	char *end;

	for (;; s = end + 1) {
		long id = strtol(s, &end, 10);

		if (!isdigit((unsigned char)*s) || (*end && *end != ',') || id <= 0 || id > INT_MAX)
			return errmsg__set(err, EINVAL, "wrong list of %s ids \"%s\": expected numbers with commas between, as in "
					   "12,345", is_process ? "process" : "thread", list);
		if (!*end)
			return 0;
	}
}

/* Some may have ended since a script listed them: then the others are followed. err has what is said of the last one that is missing. */
static int add_list(struct run_target *t, const char *list, bool is_process, struct errmsg *err)
{
	unsigned int nr_found = 0, nr_missing = 0;
	int ret = check_list(list, is_process, err);

	comma_list__for_each(list, id) {
		if (ret)
			break;
		ret = add_one(t, atoi(id.text), is_process, err);
		nr_found += !ret;
		nr_missing += ret == -ESRCH;
		if (ret == -ESRCH)
			ret = 0;
	}
	if (!ret && nr_missing && !nr_found)
		return -ESRCH;
	if (!ret && nr_missing == 1)
		pr_warn("%s: the others are followed\n", err->text);
	else if (!ret && nr_missing)
		pr_warn("%s, and %u more of the list %s missing: the others are followed\n", err->text, nr_missing - 1,
			nr_missing == 2 ? "is" : "are");
	return ret;
}

int run_target__resolve(struct run_target *t, const char *pids, const char *tids, const char *cpus, struct errmsg *err)
{
	int ret = 0;

	if (pids)
		ret = add_list(t, pids, true, err);
	if (!ret && tids)
		ret = add_list(t, tids, false, err);
	if (!ret && cpus) {
		t->cpus = cpumap__parse(cpus, err);
		ret = t->cpus ? 0 : -errno;
	}
	sort_unique(t->tids, &t->nr_tids);
	sort_unique(t->pids, &t->nr_pids);
	return ret;
}

/* Both lists are ascending. */
static bool has_all(const pid_t *list, int nr, const pid_t *wanted, int nr_wanted)
{
	int i;

	for (i = 0; i < nr_wanted; i++) {
		if (!nr || !bsearch(&wanted[i], list, nr, sizeof(*list), compare))
			return false;
	}
	return true;
}

int run_target__update(struct run_target *t, struct errmsg *err)
{
	struct run_target now = { 0 };
	int i, ret = 0;

	for (i = 0; i < t->nr_pids && !ret; i++) {
		ret = add_threads(&now, t->pids[i]);
		if (ret == -ESRCH) /* it has ended in the meantime */
			ret = 0;
	}
	if (ret) {
		errmsg__set(err, -ret, "cannot find the threads of the processes: %s", strerror(-ret));
	} else {
		sort_unique(now.tids, &now.nr_tids);
		ret = !has_all(t->tids, t->nr_tids, now.tids, now.nr_tids);
	}
	if (ret > 0) {
		free(t->tids);
		t->tids = now.tids;
		t->nr_tids = now.nr_tids;
	} else {
		free(now.tids);
	}
	return ret;
}

void run_target__exit(struct run_target *t)
{
	free(t->tids);
	free(t->pids);
	free(t->cpus);
	*t = (struct run_target){ 0 };
}
