// SPDX-License-Identifier: GPL-2.0
#include "util/source/snapshot-proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "util/lib/fs.h"

struct snapshot_proc {
	const char *proc;
	pid_t *tids; /* NULL: all */
	int nr_tids;
	struct fs_text text;
};

struct snapshot_proc *snapshot_proc__new(const struct sampler_target *target, const char *proc)
{
	struct snapshot_proc *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->proc = proc ?: "/proc";
	if (target->system_wide)
		return p;
	p->nr_tids = target->nr_tids;
	p->tids = calloc(target->nr_tids + 1, sizeof(*p->tids));
	if (!p->tids) {
		free(p);
		return NULL;
	}
	memcpy(p->tids, target->tids, target->nr_tids * sizeof(*p->tids));
	return p;
}

void snapshot_proc__delete(struct snapshot_proc *p)
{
	if (!p)
		return;
	fs_text__exit(&p->text);
	free(p->tids);
	free(p);
}

/* One task */

static int read_file(struct snapshot_proc *p, pid_t tid, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/%s", p->proc, tid, name);
	return fs_text__read(&p->text, AT_FDCWD, path);
}

/* The line of status that begins so; the name before it holds no newline. */
static u64 status_number(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* The last number of the line: of NSpid the id in the innermost namespace */
static u32 last_number(const char *status, const char *key)
{
	const char *at = strstr(status, key);
	u32 number = 0;

	for (at = at ? at + strlen(key) : ""; *at && *at != '\n'; at++) {
		if (*at == ' ' || *at == '\t')
			number = strtoul(at, NULL, 10);
	}
	return number;
}

static u32 state_of(const char *status)
{
	const char *at = strstr(status, "\nState:\t");

	switch (at ? at[strlen("\nState:\t")] : 0) {
	case 'R':
		return OFFCPU_RUNNING; /* or it waits for a CPU */
	case 'S':
		return OFFCPU_SLEEPING;
	case 'D':
		return OFFCPU_DISK;
	case 'I':
		return OFFCPU_IDLE;
	case 'T':
	case 't':
		return OFFCPU_STOPPED;
	default:
		return 0;
	}
}

static void read_status(struct snapshot_task *task, const char *status)
{
	const char *end = strchr(status, '\n'), *name = status + strlen("Name:\t");
	const size_t len = end && end > name ? (size_t)(end - name) : 0;

	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, name, len < sizeof(task->comm) ? len : sizeof(task->comm) - 1);
	task->pid = status_number(status, "\nTgid:\t");
	task->inner_tid = last_number(status, "\nNSpid:");
	task->state = state_of(status);
	task->switches = status_number(status, "\nvoluntary_ctxt_switches:\t") + status_number(status, "\nnonvoluntary_ctxt_switches:\t");
}

/* "202 0x7f... 0x80 0x2 0x0 0x0 0x0 0x7ff... 0x7f...", or "-1 0x7ff... 0x7f..." outside of calls, or "running" */
static void read_call(struct snapshot_task *task, const char *text)
{
	u64 word[2 + SNAPSHOT_MAX_ARGS], *at = word;
	const char *rest = text;
	char *end;
	long call = strtol(rest, &end, 10);
	u32 nr;

	if (end == rest) {
		task->state = OFFCPU_RUNNING;
		return;
	}
	for (nr = 0, rest = end; nr < ARRAY_SIZE(word); nr++, rest = end) {
		word[nr] = strtoull(rest, &end, 16);
		if (end == rest)
			break;
	}
	if (nr == ARRAY_SIZE(word))
		at += SNAPSHOT_MAX_ARGS;
	else if (nr != 2)
		return;
	task->compat = at[0] <= UINT32_MAX && at[1] <= UINT32_MAX; /* a 64-bit program has its stack above */
	if (nr == ARRAY_SIZE(word)) {
		task->call = trace_number(call, task->compat);
		memcpy(task->arg, word, sizeof(task->arg));
	}
	task->has_regs = SNAPSHOT_PLACE_ONLY;
	task->regs[SNAPSHOT_SP] = at[0];
	task->regs[SNAPSHOT_IP] = at[1];
}

/* Of stat, by its number in proc(5); it is behind the name in parentheses, which may hold anything */
static u64 stat_field(const char *stat, int number)
{
	const char *at = strrchr(stat, ')');

	for (int field = 2; at && field < number; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

static u32 namespace_of(const struct snapshot_proc *p, pid_t tid)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%d/ns/pid", p->proc, tid);
	return stat(path, &st) ? 0 : st.st_ino;
}

int snapshot_proc__look(struct snapshot_proc *p, pid_t tid, struct snapshot_task *task)
{
	int ret;

	*task = (struct snapshot_task){ .size = offsetof(struct snapshot_task, frame), .tid = tid, .call = -1 };
	if (read_file(p, tid, "stat"))
		return -ESRCH;
	task->started = stat_field(p->text.text, 22);
	task->cpu = stat_field(p->text.text, 39);
	if (read_file(p, tid, "status"))
		return -ESRCH;
	read_status(task, p->text.text);
	if (!task->state || !task->pid) /* it has ended */
		return -ESRCH;
	task->pid_ns = namespace_of(p, tid);
	ret = read_file(p, tid, "syscall");
	if (ret == -EACCES || ret == -EPERM)
		return ret;
	if (ret)
		return -ESRCH;
	read_call(task, p->text.text);
	return 0;
}

/* All */

static int pass(struct snapshot_proc *p, pid_t tid, int (*cb)(void *data, const struct snapshot_task *task), void *data)
{
	struct snapshot_task task;
	int ret = snapshot_proc__look(p, tid, &task);

	if (p->tids && (ret == -EACCES || ret == -EPERM))
		return ret;
	return ret ? 0 : cb(data, &task);
}

static int pass_threads(struct snapshot_proc *p, const char *pid, int (*cb)(void *data, const struct snapshot_task *task), void *data)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%.20s/task", p->proc, pid);
	dir = opendir(path);
	while (dir && !ret && (entry = readdir(dir))) {
		if (atoi(entry->d_name) > 0)
			ret = pass(p, atoi(entry->d_name), cb, data);
	}
	if (dir)
		closedir(dir);
	return ret;
}

static int pass_all(struct snapshot_proc *p, int (*cb)(void *data, const struct snapshot_task *task), void *data)
{
	DIR *dir = opendir(p->proc);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		if (atoi(entry->d_name) > 0)
			ret = pass_threads(p, entry->d_name, cb, data);
	}
	closedir(dir);
	return ret;
}

int snapshot_proc__list(struct snapshot_proc *p, int (*cb)(void *data, const struct snapshot_task *task), void *data)
{
	int ret = 0;

	if (!p->tids)
		return pass_all(p, cb, data);
	for (int i = 0; i < p->nr_tids && !ret; i++)
		ret = pass(p, p->tids[i], cb, data);
	return ret;
}
