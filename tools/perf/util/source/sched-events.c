// SPDX-License-Identifier: GPL-2.0
#include "util/source/sched-events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf_skel/sched-account.bpf.h"
#include "util/lib/hash.h"
#include "util/source/recorded-filter.h"

struct task {
	UT_hash_handle hh;
	const void *key;
	struct sched_row row;
	u64 ran; /* ns in this turn */
	const void *left_at, *place; /* where it left a CPU last, and before its longest wait */
};

struct sched_events {
	struct sched_events_opts opts;
	struct task *tasks;
	struct sched_totals totals;
	u64 first;
};

void sched_totals__add_row(struct sched_totals *t, const struct sched_row *row, u64 now)
{
	const u64 ns = now > row->since ? now - row->since : 0;

	if (row->wait.greatest > t->greatest)
		t->greatest = row->wait.greatest;
	if (row->state != SCHED_WAITS)
		return;
	t->waiting++;
	if (ns < t->longest)
		return;
	t->longest = ns;
	t->longest_tid = row->tid;
	memcpy(t->longest_comm, row->comm, sizeof(t->longest_comm));
}

struct sched_events *sched_events__new(const struct sched_events_opts *opts)
{
	struct sched_events *e = calloc(1, sizeof(*e));

	if (e)
		e->opts = *opts;
	return e;
}

static struct task *task_of(struct sched_events *e, const struct sched_task *who)
{
	struct task *task;

	HASH_FIND(hh, e->tasks, &who->key, sizeof(who->key), task);
	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			return NULL;
		task->key = who->key;
		task->row.tid = who->tid;
		HASH_ADD(hh, e->tasks, key, sizeof(task->key), task);
		if (!hash_added(task)) {
			free(task);
			return NULL;
		}
	}
	if (who->pid)
		task->row.pid = who->pid;
	snprintf(task->row.comm, sizeof(task->row.comm), "%s", who->comm);
	return task;
}

int sched_events__wake(struct sched_events *e, const struct sched_task *who, u64 time)
{
	struct task *task;

	if (!who->tid)
		return 0;
	task = task_of(e, who);
	if (!task)
		return -ENOMEM;
	sched_row__wake(&task->row, time);
	return 0;
}

static bool keeps(const struct sched_events *e, const struct sched_row *row, u64 ns, const struct sched_switch *sw)
{
	const struct recorded_span span = { .pid = row->pid, .tid = row->tid, .cpu = sw->cpu, .comm = row->comm, .time = sw->time, .ns = ns };

	return sw->counted && (!e->opts.filter || recorded_filter__keeps(e->opts.filter, &span));
}

/* prev left the CPU then; NULL: unknown. */
static void note_greatest(struct task *task, const struct sched_task *prev)
{
	struct sched_row *row = &task->row;

	row->by_tid = prev ? prev->tid : SCHED_NOBODY;
	if (prev)
		snprintf(row->by_comm, sizeof(row->by_comm), "%s", prev->comm);
	task->place = task->left_at;
}

/* A turn begins, after a wait or not. Whether it counts is in row.kept. */
static void count_wait(struct sched_events *e, struct task *task, const struct sched_task *prev, bool waited, u64 ns, u64 end,
		       const struct sched_switch *sw)
{
	struct sched_row *row = &task->row;

	row->kept = keeps(e, row, waited ? ns : 0, sw);
	if (!sw->counted)
		return;
	e->totals.unwoken += !waited;
	e->totals.dropped += waited && !row->kept;
	if (!waited || !row->kept)
		return;
	e->totals.kept++;
	e->totals.bucket[sched_bucket(ns, e->opts.sched->linear)]++;
	if (sched_waits__add(&row->wait, ns, end - ns, end))
		note_greatest(task, prev);
}

static void begin_unseen_turn(struct sched_events *e, struct task *task, const struct sched_switch *sw)
{
	__u64 ns = 0, end = sw->time;
	const bool waited = e->opts.has_runtimes && sched_row__guess_enter(&task->row, sw->time, task->ran, &ns, &end);

	e->totals.unseen += waited && sw->counted;
	count_wait(e, task, NULL, waited, ns, end, sw);
	if (e->opts.filter && task->row.kept) /* sched_events__run() could not know it yet */
		task->row.runtime += task->ran;
}

static int end_turn(struct sched_events *e, const struct sched_switch *sw)
{
	struct task *task = task_of(e, &sw->prev);
	struct sched_row *row;

	if (!task)
		return -ENOMEM;
	row = &task->row;
	if (row->state == SCHED_UNKNOWN)
		row->kept = keeps(e, row, 0, sw);
	else if (row->state != SCHED_RUNS)
		begin_unseen_turn(e, task, sw);
	if (!e->opts.has_runtimes && row->kept && row->state == SCHED_RUNS && sw->time > row->since)
		row->runtime += sw->time - row->since;
	task->left_at = sw->place;
	task->ran = 0;
	sched_row__leave(row, sw->time, sw->runnable);
	return 0;
}

static int begin_turn(struct sched_events *e, const struct sched_switch *sw)
{
	struct task *task = task_of(e, &sw->next);
	__u64 ns, begin;
	bool waited;

	if (!task)
		return -ENOMEM;
	waited = sched_row__enter(&task->row, sw->time, &ns, &begin);
	task->ran = 0;
	count_wait(e, task, &sw->prev, waited, ns, sw->time, sw);
	return 0;
}

int sched_events__switch(struct sched_events *e, const struct sched_switch *sw)
{
	int ret = 0;

	if (!e->first)
		e->first = sw->time;
	e->totals.switches += sw->counted;
	if (sw->prev.tid)
		ret = end_turn(e, sw);
	if (!ret && sw->next.tid)
		ret = begin_turn(e, sw);
	return ret;
}

int sched_events__run(struct sched_events *e, const struct sched_task *who, u64 ns, bool counted)
{
	struct task *task = who->tid ? task_of(e, who) : NULL;

	if (!who->tid)
		return 0;
	if (!task)
		return -ENOMEM;
	task->ran += ns;
	/* Of a turn whose begin was not seen nobody knows yet whether the filter takes it. */
	if (counted && (task->row.state == SCHED_RUNS ? task->row.kept : !e->opts.filter))
		task->row.runtime += ns;
	return 0;
}

int sched_events__finish(struct sched_events *e, u64 now, struct errmsg *err)
{
	struct task *task, *next;
	int ret = 0;

	e->totals.elapsed = now > e->first ? now - e->first : 0;
	HASH_ITER(hh, e->tasks, task, next) {
		struct sched_row *row = &task->row;

		sched_totals__add_row(&e->totals, row, now);
		if (row->state == SCHED_RUNS && row->kept && !e->opts.has_runtimes && now > row->since)
			row->runtime += now - row->since;
		ret = e->opts.row(e->opts.data, row, task->key, task->place, err);
		if (ret)
			break;
	}
	return ret;
}

const struct sched_totals *sched_events__totals(const struct sched_events *e)
{
	return &e->totals;
}

void sched_events__delete(struct sched_events *e)
{
	struct task *task, *next;

	if (!e)
		return;
	HASH_ITER(hh, e->tasks, task, next) {
		HASH_DEL(e->tasks, task);
		free(task);
	}
	free(e);
}
