// SPDX-License-Identifier: GPL-2.0
#include "util/source/lock-pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/hash.h"
#include "util/source/recorded-filter.h"
#include "util/source/task-filter.h"

struct wait {
	UT_hash_handle hh;
	struct lock_waiter waiter;
	u64 begin, place[2];
	struct tally_row row; /* its kstack is frame */
	u64 frame[];
};

struct lock_pairs {
	struct lock_pairs_opts opts;
	bool late; /* the filter judges when a wait ends */
	struct wait *waits;
	struct lock_totals totals;
};

/* Filters */

int lock_pairs__check_filter(const struct filter *filter, const struct filter_table *table, struct errmsg *err)
{
	return recorded_filter__check(filter, table, "recorded waits", "pid, tid, comm and cpu of who waits, the time when it went on, and its wait as "
				      "period", "perf lock record", err);
}

static bool keeps(struct lock_pairs *p, const struct lock_hit *hit, u64 ns)
{
	const struct recorded_span span = {
		.pid = hit->pid, .tid = hit->tid, .cpu = hit->cpu, .comm = hit->comm, .time = hit->time, .ns = ns,
	};

	return recorded_filter__keeps(p->opts.filter, &span);
}

/* Begin */

static bool wants(struct lock_pairs *p, const struct lock_hit *hit)
{
	const struct lock_opts *locks = p->opts.locks;
	u32 i = 0;

	if (!(locks->types >> (hit->flags % LOCK_NR_FLAGS) & 1))
		return false;
	while (locks->addresses && i < locks->nr_addresses && locks->addresses[i] != hit->lock)
		i++;
	return !locks->addresses || i < locks->nr_addresses;
}

static struct wait *find(const struct lock_pairs *p, const struct lock_hit *hit)
{
	const struct lock_waiter waiter = { .lock = hit->lock, .tid = hit->tid, .cpu = hit->tid ? 0 : hit->cpu };
	struct wait *w;

	HASH_FIND(hh, p->waits, &waiter, sizeof(waiter), w);
	return w;
}

static void drop(struct lock_pairs *p, struct wait *w)
{
	HASH_DEL(p->waits, w);
	free(w);
}

static struct wait *wait__new(const struct lock_hit *hit)
{
	struct wait *w = calloc(1, sizeof(*w) + hit->nr_frames * sizeof(*w->frame));

	if (!w)
		return NULL;
	w->waiter = (struct lock_waiter){ .lock = hit->lock, .tid = hit->tid, .cpu = hit->tid ? 0 : hit->cpu };
	w->begin = hit->time;
	memcpy(w->place, hit->place, sizeof(w->place));
	w->row = (struct tally_row){
		.pid = hit->pid,
		.tid = hit->tid,
		.cpu = hit->cpu,
		.cgroup = hit->cgroup,
		.lock = hit->lock,
		.lock_type = hit->flags & LOCK_FLAG_MUTEX ? LOCK_FLAG_MUTEX : hit->flags,
		.kstack = w->frame,
		.nr_kstack = hit->nr_frames,
		.count = 1,
	};
	strncpy(w->row.comm, hit->comm, sizeof(w->row.comm) - 1);
	if (hit->nr_frames)
		memcpy(w->frame, hit->frame, hit->nr_frames * sizeof(*w->frame));
	return w;
}

/* As in the kernel: a mutex begins anew each time its waiter goes from spinning to sleeping or back, and that is one wait. */
int lock_pairs__begin(struct lock_pairs *p, const struct lock_hit *hit)
{
	struct wait *w;

	if (!wants(p, hit))
		return 0;
	w = find(p, hit);
	if (w && hit->flags & LOCK_FLAG_MUTEX)
		return 0;
	if (w) {
		p->totals.unended++;
		drop(p, w);
	}
	if (p->opts.filter && !p->late && !keeps(p, hit, 0))
		return 0;
	w = wait__new(hit);
	if (!w)
		return -ENOMEM;
	HASH_ADD(hh, p->waits, waiter, sizeof(w->waiter), w);
	if (!hash_added(w)) {
		free(w);
		return -ENOMEM;
	}
	p->totals.begins++;
	p->totals.no_stack += !hit->nr_frames;
	return 0;
}

/* End */

static int pass_on(struct lock_pairs *p, struct wait *w, u64 now)
{
	const u64 ns = now > w->begin ? now - w->begin : 0;

	w->row.period = w->row.least = w->row.greatest = ns;
	w->row.first_time = w->row.last_time = now;
	return p->opts.cb(p->opts.data, &w->row, w->place);
}

/* Otherwise the ends of waits that nobody wanted have no begin either. */
static bool counts_all(const struct lock_pairs *p)
{
	return !p->opts.selected && !p->opts.filter && !p->opts.locks->addresses && !~p->opts.locks->types;
}

int lock_pairs__end(struct lock_pairs *p, const struct lock_hit *hit)
{
	struct wait *w = find(p, hit);
	int ret = 0;

	if (!w) {
		p->totals.early += counts_all(p);
		return 0;
	}
	p->totals.ends++;
	if (!p->late || keeps(p, hit, hit->time > w->begin ? hit->time - w->begin : 0))
		ret = pass_on(p, w, hit->time);
	drop(p, w);
	return ret;
}

int lock_pairs__finish(struct lock_pairs *p, u64 now)
{
	struct wait *w, *next;
	int ret = 0;

	HASH_ITER(hh, p->waits, w, next) {
		p->totals.open++;
		p->totals.unjudged += p->late;
		if (!p->late && !ret)
			ret = pass_on(p, w, now);
		drop(p, w);
	}
	return ret;
}

const struct lock_totals *lock_pairs__totals(const struct lock_pairs *p)
{
	return &p->totals;
}

struct lock_pairs *lock_pairs__new(const struct lock_pairs_opts *opts)
{
	struct lock_pairs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->opts = *opts;
	p->late = opts->filter && task_filter__is_late(opts->filter);
	return p;
}

void lock_pairs__delete(struct lock_pairs *p)
{
	struct wait *w, *next;

	if (!p)
		return;
	HASH_ITER(hh, p->waits, w, next)
		drop(p, w);
	free(p);
}
