// SPDX-License-Identifier: GPL-2.0
#include "util/source/snapshot.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "util/bpf/kernel-table.h"
#include "util/judge/program-table.h"
#include "util/lib/advice.h"
#include "util/source/snapshot-proc.h"
#include "util/source/task-filter.h"
#include "util/source/tp-programs.h"
#include "util/source/watch.h"

#define READ_ROOM 65536 /* more than the kernel passes at once */

struct snapshot {
	struct tp_programs programs;
	struct filter_table *table; /* the programs' copy; NULL: keep all */
	char *records;
	struct snapshot_proc *proc; /* takes the place of all; NULL: not needed */
};

/* The filter */

static int compile(const struct snapshot_opts *opts, struct filter *filter, struct filter_table **prepared, struct errmsg *err)
{
	static const char has[] = "a task has " TASK_FILTER_TERMS " and cpu, there is time, and period is the "
				  "time for which it has been off CPU";
	const struct filter_env env = { .period_is_time = true };
	struct filter_table table;
	int ret = filter__check(filter, &env, err) ?: filter__lower(filter, &table, err);

	ret = ret ?: task_filter__check(filter, &table, "a task", has, err);
	return ret ?: program_table__new(&table, prepared, err);
}

static int set_filter(struct snapshot *s, const struct snapshot_opts *opts, struct errmsg *err)
{
	struct filter *filter;
	int ret;

	if (!opts->nr_filters)
		return 0;
	ret = filter__parse_all(opts->filters, opts->nr_filters, &filter, err);
	if (ret)
		return ret;
	ret = compile(opts, filter, &s->table, err);
	filter__delete(filter);
	return ret;
}

/* Loading */

static int load(struct snapshot *s, const struct sampler_target *target, struct errmsg *err)
{
	const struct tp_programs_setup setup = { .image = &bpf_image_snapshot, .table = s->table, .target = target };
	int ret = tp_programs__check_rights("stacks of sleeping tasks are read", err) ?: tp_programs__open(&s->programs, &setup, err);

	if (ret)
		return ret;
	bpf_programs__set(s->programs.programs, "has_filter", (bool)(s->table != NULL));
	bpf_programs__set(s->programs.programs, "has_cache_lookup", (bool)(kernel_offer__probe(KERNEL_KFUNC_CACHE) == KERNEL_HAS));
	bpf_programs__set(s->programs.programs, "page_size", (u32)sysconf(_SC_PAGESIZE));
	ret = tp_programs__load(&s->programs);
	if (ret)
		return watch__explain_load(-ret, "read the stacks of tasks", "not enough memory for the BPF programs that read stacks", err);
	return tp_programs__follow(&s->programs, &setup, false, err);
}

/* Of rights, or of what the kernel has */
static bool is_lack(int ret)
{
	return ret == -EPERM || ret == -EACCES || ret == -EOPNOTSUPP;
}

static int take_proc(struct snapshot *s, const struct snapshot_opts *opts, struct errmsg *err)
{
	s->proc = snapshot_proc__new(opts->target, NULL);
	if (!s->proc)
		return errmsg__set(err, ENOMEM, "out of memory");
	opts->without_bpf(opts->data, err);
	return 0;
}

int snapshot__new(const struct snapshot_opts *opts, struct snapshot **snapshot, struct errmsg *err)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	s->programs = TP_PROGRAMS_INIT;
	s->records = malloc(READ_ROOM);
	ret = s->records ? set_filter(s, opts, err) ?: load(s, opts->target, err) : errmsg__set(err, ENOMEM, "out of memory");
	if (is_lack(ret) && opts->without_bpf && !opts->nr_filters)
		ret = take_proc(s, opts, err);
	if (ret)
		snapshot__delete(s);
	else
		*snapshot = s;
	return ret;
}

void snapshot__delete(struct snapshot *s)
{
	if (!s)
		return;
	tp_programs__unload(&s->programs);
	free(s->table);
	free(s->records);
	snapshot_proc__delete(s->proc);
	free(s);
}

/* Reading */

/* The program compares the scheduler's clock with that of a task which has just got a CPU: this one. */
static void set_clock(struct snapshot *s)
{
	const struct timespec shortly = { .tv_nsec = 1 };

	bpf_programs__get(s->programs.programs, "snapshot_behind", volatile s64) = INT64_MAX;
	nanosleep(&shortly, NULL);
}

/* Filters count and throw dice: they judge a task once. */
static void set_again(struct snapshot *s, bool again)
{
	bpf_programs__get(s->programs.programs, "snapshot_again", volatile bool) = again;
	bpf_programs__get(s->programs.programs, "snapshot_judged", volatile u32) = 0;
}

/* A read returns whole records. */
static int pass_records(const char *records, ssize_t size, int (*cb)(void *data, const struct snapshot_task *task), void *data)
{
	int ret = 0;

	while (size > 0 && !ret) {
		const struct snapshot_task *task = (const void *)records;

		ret = cb(data, task);
		records += task->size;
		size -= task->size;
	}
	return ret;
}

static int read_all(struct snapshot *s, int fd, int (*cb)(void *data, const struct snapshot_task *task), void *data)
{
	ssize_t size;
	int ret = 0;

	while (!ret && (size = read(fd, s->records, READ_ROOM)) != 0) {
		if (size < 0 && errno != EINTR && errno != EAGAIN)
			ret = -errno;
		else if (size > 0)
			ret = pass_records(s->records, size, cb, data);
	}
	close(fd);
	return ret;
}

static int explain_proc(int ret, struct errmsg *err)
{
	if (ret == -EPERM || ret == -EACCES)
		return errmsg__set(err, -ret, "this user may not read the stacks of that process: that takes the right to trace it (ptrace(2), "
				   "kernel.yama.ptrace_scope). %s", advice__root());
	return errmsg__set(err, -ret, "cannot look at tasks in /proc: %s", strerror(-ret));
}

static int list(struct snapshot *s, bool again, int (*cb)(void *data, const struct snapshot_task *task), void *data, struct errmsg *err)
{
	int fd, ret;

	if (s->proc) {
		ret = snapshot_proc__list(s->proc, cb, data);
		return ret < 0 ? explain_proc(ret, err) : ret;
	}
	set_clock(s);
	set_again(s, again);
	fd = bpf_programs__iterate(s->programs.programs, "snapshot_list");
	ret = fd < 0 ? fd : read_all(s, fd, cb, data);
	return ret < 0 ? errmsg__set(err, -ret, "cannot list tasks by a BPF program: %s", strerror(-ret)) : ret;
}

int snapshot__list(struct snapshot *s, int (*cb)(void *data, const struct snapshot_task *task), void *data, struct errmsg *err)
{
	return list(s, false, cb, data, err);
}

int snapshot__list_again(struct snapshot *s, int (*cb)(void *data, const struct snapshot_task *task), void *data, struct errmsg *err)
{
	return list(s, true, cb, data, err);
}

struct looking {
	u32 tid;
	struct snapshot_task *task;
};

static int take_one(void *data, const struct snapshot_task *task)
{
	struct looking *l = data;

	if (task->tid != l->tid)
		return 0;
	memcpy(l->task, task, task->size);
	return 1;
}

int snapshot__look(struct snapshot *s, pid_t tid, struct snapshot_task *task)
{
	struct looking l = { .tid = tid, .task = task };
	int fd, ret;

	if (s->proc)
		return snapshot_proc__look(s->proc, tid, task);
	set_again(s, true);
	fd = bpf_programs__iterate_thread(s->programs.programs, "snapshot_list", tid);

	if (fd == -EINVAL) /* before Linux 6.1: look through all */
		fd = bpf_programs__iterate(s->programs.programs, "snapshot_list");
	if (fd < 0)
		return fd;
	ret = read_all(s, fd, take_one, &l);
	return ret > 0 ? 0 : ret ?: -ESRCH;
}

bool snapshot_task__slept(const struct snapshot_task *before, const struct snapshot_task *after)
{
	return before->tid == after->tid && before->started == after->started && before->switches == after->switches &&
	       before->state != OFFCPU_RUNNING && after->state != OFFCPU_RUNNING;
}

bool snapshot__has_bpf(const struct snapshot *s)
{
	return !s->proc;
}
