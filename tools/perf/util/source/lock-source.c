// SPDX-License-Identifier: GPL-2.0
/*
 * Waits for locks, counted by key: of the kernel by util/bpf_skel/lock.bpf.c, of user space by lock-futex.bpf.c. Their only result is what
 * collect() returns.
 */
#define LOG_DOMAIN "lock"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/kernel-table.h"
#include "util/bpf/map-bytes.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf_skel/lock-wait.h"
#include "util/judge/program-table.h"
#include "util/lib/clock.h"
#include "util/lib/cpumap.h"
#include "util/lib/log.h"
#include "util/source/lock-opts.h"
#include "util/source/lock-places.h"
#include "util/source/lock-seeds.h"
#include "util/source/sources.h"
#include "util/source/task-filter.h"
#include "util/source/tp-programs.h"
#include "util/source/watch.h"

#define MAX_OWNERS 16384 /* locks whose last owner is known */

struct lock_source {
	struct source base;
	const struct lock_opts *opts;
	struct filter_table *table; /* the programs' copy; NULL: none */
	struct tp_programs programs;
	struct lock_totals totals;
	u64 ended_at; /* CLOCK_MONOTONIC */
	struct unwind_totals unwound;
	u64 nr_open, nr_unjudged;
	bool rows_pending; /* it was stopped, and who waits is not taken yet */
	struct lock_seeds *seeds;   /* NULL: waits that threads are in do not count */
	struct lock_places *places; /* NULL: no lock needed it so far */
};

static struct lock_source *of(const struct source *source)
{
	return (struct lock_source *)source; /* its first member */
}

/* Which programs. The end of waits comes first, so that no begin that is seen misses it. */

static const struct bpf_image *image_of(const struct lock_source *s)
{
	static const struct bpf_image *const images[2][2] = { /* on raw tracepoints, and on perf's events of them */
		{ &bpf_image_lock_futex, &bpf_image_lock_futex_event },
		{ &bpf_image_lock_futex_tables, &bpf_image_lock_futex_tables_event },
	};

	if (s->opts->futexes)
		return images[s->base.tables != NULL][tp_programs__by_event()];
	return s->base.tables ? &bpf_image_lock_tables : &bpf_image_lock;
}

static const struct tp_hook kernel_hooks[] = { TP_HOOK_RAW("lock_end"), TP_HOOK_RAW("lock_begin"), {} };
static const struct tp_hook futex_hooks[] = { TP_HOOK_EXIT("futex_exit"), TP_HOOK_ENTER("futex_enter"), {} };
static const struct tp_hook futex_hooks_with_wakers[] = { TP_HOOK_EXIT("futex_exit"), TP_HOOK_RAW("futex_waking"), TP_HOOK_ENTER("futex_enter"), {} };

static const struct tp_hook *hooks_of(const struct lock_source *s)
{
	if (!s->opts->futexes)
		return kernel_hooks;
	return s->opts->by == LOCK_BY_WAITER ? futex_hooks : futex_hooks_with_wakers;
}

/* Loading */

static int explain_load(const struct lock_source *s, int errnum, struct errmsg *err)
{
	char why[128];

	if (errnum != ENOMEM && s->base.tables && unwind_tables__explain(err))
		return -EOPNOTSUPP;
	if (errnum != ENOMEM && !s->opts->futexes && kernel_offer__probe(KERNEL_LOCK_TRACEPOINTS) == KERNEL_LACKS)
		return errmsg__set(err, EOPNOTSUPP, "waits for locks are watched by BPF programs, for which this kernel lacks %s",
				   kernel_offer__explain(KERNEL_LOCK_TRACEPOINTS, why, sizeof(why)));
	return watch__explain_load(errnum, "watch locks", "not enough memory for counting waits: take room for fewer (-M)", err);
}

static bool judges_early(const struct lock_source *s)
{
	return s->table && !task_filter__is_late(s->table);
}

static bool judges_late(const struct lock_source *s)
{
	return s->table && task_filter__is_late(s->table);
}

static bool has_stacks(const struct lock_source *s)
{
	return s->base.tally.key & (TALLY_KEY_KSTACK | TALLY_KEY_USTACK);
}

static void configure(struct lock_source *s)
{
	struct bpf_programs *p = s->programs.programs;
	const struct lock_config config = {
		.types = s->opts->types,
		.by = s->opts->by,
		.named = s->opts->named,
		.some_locks = s->opts->addresses != NULL,
		.filtered = s->table != NULL,
		.filter_early = judges_early(s),
		.stack_size = has_stacks(s) ? s->opts->max_frames * sizeof(u64) : 0,
		.user_stack = s->opts->user_stacks,
		.has_task_lookup = s->opts->by == LOCK_BY_OWNER_STACK && kernel_offer__probe(KERNEL_KFUNC_TASK) == KERNEL_HAS,
		.has_cache_lookup = s->opts->named && kernel_offer__probe(KERNEL_KFUNC_CACHE) == KERNEL_HAS,
		.page_size = sysconf(_SC_PAGESIZE),
	};

	bpf_programs__set(p, "lock_config", config);
	bpf_programs__resize(p, "lock_waits", s->opts->max_waits);
	bpf_programs__resize(p, "lock_addresses", s->opts->nr_addresses ?: 1);
	if (s->opts->futexes) {
		bpf_programs__resize(p, "lock_seeds", s->seeds ? s->opts->max_waits : 1);
		bpf_programs__resize(p, "lock_woken", s->opts->by == LOCK_BY_WAITER ? 1 : s->opts->max_waits);
		return;
	}
	bpf_programs__resize(p, "lock_run_queues", cpumap__possible_count());
	bpf_programs__resize(p, "lock_owners", s->opts->by == LOCK_BY_WAITER ? 1 : MAX_OWNERS);
}

static int find_run_queues(const struct bpf_programs *programs, struct errmsg *err)
{
	int ret = bpf_programs__run_iterator(programs, "lock_find_run_queues");

	return ret ? errmsg__set(err, -ret, "cannot look at the run queues: %s", strerror(-ret)) : 0;
}

static int put_addresses(const struct lock_source *s, struct errmsg *err)
{
	const u32 one = 1;

	for (u32 i = 0; s->opts->addresses && i < s->opts->nr_addresses; i++) {
		if (bpf_map_update_elem(bpf_programs__map(s->programs.programs, "lock_addresses"), &s->opts->addresses[i], &one, BPF_ANY))
			return errmsg__set(err, errno, "cannot choose locks: %s", strerror(errno));
	}
	return 0;
}

/* As for off-CPU time: a command's threads come later, and nearly all threads of a system wait for work. */
static void open_seeds(struct lock_source *s, const struct sampler_target *target)
{
	struct errmsg why;

	lock_seeds__delete(s->seeds);
	s->seeds = NULL;
	if (!s->opts->futexes || target->system_wide || target->waits)
		return;
	if (lock_seeds__new(target, s->opts->max_frames, &s->seeds, &why))
		pr_debug("waits that threads are in already will not count: %s\n", why.text);
}

static int load(struct source *source, const struct source_setup *wanted, struct errmsg *err)
{
	struct lock_source *s = of(source);
	struct tally_setup tally;
	const struct tp_programs_setup setup = {
		.image = image_of(s), .table = s->table, .tally = &tally, .target = wanted->target,
	};
	int ret = tally_table__configure(&source->tally, &tally, err);

	tally.config.extremes = true;
	ret = ret ?: tp_programs__open(&s->programs, &setup, err);
	if (ret)
		return ret;
	open_seeds(s, wanted->target);
	configure(s);
	ret = source__share_tables(source, s->programs.programs) ?: tp_programs__load(&s->programs);
	if (ret)
		return explain_load(s, -ret, err);
	ret = put_addresses(s, err);
	if (!ret && s->opts->named && !s->opts->futexes)
		ret = find_run_queues(s->programs.programs, err);
	return ret ?: tp_programs__follow(&s->programs, &setup, source->evsel->attr.enable_on_exec, err);
}

/* Running */

static int enable(struct source *source, struct errmsg *err)
{
	struct lock_source *s = of(source);
	int ret = tp_programs__attach_all(&s->programs, hooks_of(s), err);
	struct errmsg why;

	if (!ret && s->seeds && lock_seeds__put(s->seeds, s->programs.programs, &why))
		pr_debug("waits that threads are in already do not count: %s\n", why.text);
	return ret;
}

/* Of waits that go on */
static void find_holders(struct lock_source *s)
{
	struct errmsg why;

	if (s->seeds && lock_seeds__look(s->seeds, &why))
		pr_debug("who holds the locks that threads wait for is unknown: %s\n", why.text);
}

static int disable(struct source *source)
{
	struct lock_source *s = of(source);

	if (!s->programs.nr_links)
		return 0;
	tp_programs__detach(&s->programs);
	s->ended_at = clock__ns(CLOCK_MONOTONIC);
	s->rows_pending = true;
	find_holders(s);
	return 0;
}

static int fd(const struct source *source)
{
	return tally_table__fd(of(source)->programs.tally);
}

static struct bpf_ring *ring(struct source *source)
{
	return tally_table__ring(of(source)->programs.tally);
}

/* Into the tables of keys: cb gets no records, collect() passes rows. */
static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct lock_source *s = of(source);

	return s->programs.tally ? tally_table__drain(s->programs.tally) : 0;
}

static struct tally_row row_of(const struct lock_source *s, const struct lock_wait *w)
{
	const u64 ns = s->ended_at > w->begin ? s->ended_at - w->begin : 0;
	const u32 nr_frames = w->nr_frames <= LOCK_MAX_FRAMES ? w->nr_frames : 0;
	struct tally_row row = {
		.pid = w->key.pid,
		.tid = w->key.tid,
		.cpu = w->key.cpu,
		.uid = w->key.uid,
		.cgroup = w->key.cgroup,
		.lock = w->key.lock,
		.lock_type = w->key.lock_type,
		.lock_name = &w->lock,
		.kstack = (const u64 *)w->frame,
		.nr_kstack = w->user_frames ? 0 : nr_frames,
		.ustack = (const u64 *)w->frame,
		.nr_ustack = w->user_frames ? nr_frames : 0,
		.count = 1,
		.period = ns,
		.least = ns,
		.greatest = ns,
		.first_time = s->ended_at,
		.last_time = s->ended_at,
	};

	memcpy(row.comm, w->key.comm, sizeof(row.comm));
	return row;
}

/* Nobody has woken it yet: it is the turn of who holds the lock. */
static void set_holder(const struct lock_source *s, u32 tid, struct lock_wait *w)
{
	const struct lock_holder *holder = s->seeds && s->opts->by != LOCK_BY_WAITER ? lock_seeds__holder(s->seeds, tid) : NULL;

	if (!holder)
		return;
	w->key.pid = holder->pid;
	w->key.tid = holder->tid;
	memcpy(w->key.comm, holder->comm, sizeof(w->key.comm));
	w->user_frames = 1;
	w->nr_frames = has_stacks(s) ? holder->nr_frames : 0;
	memcpy(w->frame, holder->frame, w->nr_frames * sizeof(*w->frame));
}

/* After a stop: the waits that go on, with their time so far. */
static int take_open(struct lock_source *s, source_row_cb cb, void *data, struct errmsg *err)
{
	const int map_fd = bpf_programs__map(s->programs.programs, "lock_waits");
	struct lock_waiter waiter;
	struct lock_wait wait;
	int ret = 0;

	while (!ret) {
		struct tally_row row;

		if (bpf_map_get_next_key(map_fd, NULL, &waiter))
			return errno == ENOENT ? 0 : errmsg__set(err, errno, "cannot fetch the waits that go on: %s", strerror(errno));
		if (bpf_map_lookup_elem(map_fd, &waiter, &wait) || bpf_map_delete_elem(map_fd, &waiter))
			return errmsg__set(err, errno, "cannot fetch the waits that go on: %s", strerror(errno));
		s->nr_open++;
		if (judges_late(s)) {
			s->nr_unjudged++;
			continue;
		}
		set_holder(s, waiter.tid, &wait);
		row = row_of(s, &wait);
		ret = cb(data, &row);
	}
	return ret;
}

/* Names: complete what the programs know of a lock. */

struct naming {
	struct lock_source *source;
	source_row_cb cb;
	void *data;
};

static int name_row(void *data, const struct tally_row *row)
{
	const struct naming *to = data;
	struct lock_source *s = to->source;
	struct tally_row named = *row;
	struct lock_name name = *row->lock_name;

	if (!s->places)
		s->places = lock_places__new(bpf_programs__map(s->programs.programs, "lock_run_queues"),
					     bpf_programs__get(s->programs.programs, "lock_some_page", u64));
	if (!s->places)
		return -ENOMEM;
	lock_places__find(s->places, row->lock, &name);
	named.lock_name = &name;
	return to->cb(to->data, &named);
}

static int collect_rows(struct lock_source *s, source_row_cb cb, void *data, struct errmsg *err)
{
	int ret = tally_table__collect(s->programs.tally, cb, data, err);

	if (ret || !s->rows_pending)
		return ret;
	s->rows_pending = false;
	return take_open(s, cb, data, err);
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	struct lock_source *s = of(source);
	struct naming naming = { .source = s, .cb = cb, .data = data };

	return s->opts->named && !s->opts->futexes ? collect_rows(s, name_row, &naming, err) : collect_rows(s, cb, data, err);
}

/* Counts */

/* Otherwise an end without begin may be that of a wait that nobody wants. */
static bool wants_all(const struct lock_source *s)
{
	return !s->table && !s->opts->addresses && !s->opts->chosen_late && !~s->opts->types;
}

static int read_totals(struct lock_source *s, u64 *dropped, struct errmsg *err)
{
	struct lock_counts *percpu;
	int nr_cpus;

	percpu = percpu_map__read(bpf_programs__map(s->programs.programs, "lock_counts"), 0, sizeof(*percpu), &nr_cpus, "the counts of waits", err);
	if (!percpu)
		return -errno;
	s->totals = (struct lock_totals){
		.open = s->nr_open,
		.unjudged = s->nr_unjudged,
		.missed = watch__missed(&s->programs, hooks_of(s)),
	};
	if (s->seeds)
		s->totals.holder = lock_seeds__holders(s->seeds, &s->totals.nr_holders);
	*dropped = 0;
	for (int i = 0; i < nr_cpus; i++) {
		s->totals.begins += percpu[i].begins - percpu[i].no_waits; /* a call may end on another CPU; the sums are right */
		s->totals.ends += percpu[i].ends;
		s->totals.unended += percpu[i].unended;
		s->totals.lost += percpu[i].lost;
		s->totals.nested += percpu[i].nested;
		s->totals.no_stack += percpu[i].no_stack;
		s->totals.timed_out += percpu[i].timed_out;
		s->totals.interrupted += percpu[i].interrupted;
		s->totals.seeded += percpu[i].seeded;
		s->totals.late_owners += percpu[i].late_owners;
		if (wants_all(s))
			s->totals.early += percpu[i].lone_ends;
		*dropped += percpu[i].dropped;
	}
	s->totals.early -= s->totals.early < s->totals.lost ? s->totals.early : s->totals.lost; /* the ends of lost waits are alone, too */
	free(percpu);
	return 0;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct lock_source *s = of(source);
	u64 dropped;
	int ret = read_totals(s, &dropped, err);

	if (!ret && s->base.tables)
		ret = unwind_totals__read(&s->unwound, bpf_programs__map(s->programs.programs, "unwind_counts"), NULL, err);
	if (ret)
		return ret;
	counts->unwound = s->base.tables ? &s->unwound : NULL;
	counts->filtered = s->table;
	counts->seen = s->totals.begins + (judges_early(s) ? dropped : 0);
	counts->dropped = dropped;
	counts->untracked = bpf_programs__get(s->programs.programs, "target_untracked", u64);
	counts->totals = &s->totals;
	return 0;
}

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct lock_source *s = of(source);
	u64 dropped;
	int ret = read_totals(s, &dropped, err) ?: tp_programs__tally_counts(&s->programs, counts, err);

	if (ret)
		return ret;
	counts->seen = s->totals.begins + (judges_early(s) ? dropped : 0);
	counts->dropped = dropped;
	counts->counted += s->totals.open - s->totals.unjudged;
	counts->lost_stacks = s->totals.no_stack;
	counts->lost_starts = s->totals.lost;
	counts->open_starts = s->totals.unended;
	counts->map_bytes += map_bytes(bpf_programs__map(s->programs.programs, "lock_waits"));
	if (s->opts->futexes)
		counts->map_bytes += map_bytes(bpf_programs__map(s->programs.programs, "lock_woken"));
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	const struct lock_source *s = of(source);

	watch__explain(source, hooks_of(s), judges_early(s) ? "when a wait begins" : "when it ends", fp);
}

static void delete(struct source *source)
{
	struct lock_source *s = of(source);

	tp_programs__unload(&s->programs);
	lock_places__delete(s->places);
	lock_seeds__delete(s->seeds);
	source__free(source);
}

/* Choosing */

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	static const struct watch_words words = {
		"waits for locks",
		"a task that waits has " TASK_FILTER_TERMS ", cpu, the time when it went on, and its wait as period",
		"waits for locks are watched",
	};
	struct lock_source *s;

	s = source__new(sizeof(*s), &lock_source_ops, wish);
	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	*source = &s->base;
	s->opts = wish->evsel->kind_opts;
	s->programs = TP_PROGRAMS_INIT;
	s->table = s->base.filter.table;
	return watch__settle(&s->base, wish, &words, err);
}

const struct source_ops lock_source_ops = {
	.name = "lock",
	.kind = { &contention_kind },
	.stand_in = true,
	.choose = choose,
	.load = load,
	.enable = enable,
	.disable = disable,
	.fd = fd,
	.ring = ring,
	.drain = drain,
	.collect = collect,
	.counts = counts,
	.tally_counts = tally_counts,
	.explain = explain,
	.delete = delete,
};
