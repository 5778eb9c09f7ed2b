// SPDX-License-Identifier: GPL-2.0
/*
 * Off-CPU time: BPF programs on the scheduler's tracepoints (util/bpf_skel/offcpu.bpf.c). A sleep becomes a sample with the stack of
 * the sleeping task and the nanoseconds as period. If sleeps are counted, none becomes a sample, however long it is.
 *
 * Wall-clock time is the same with all states of a task (util/bpf_skel/wall.bpf.c), and a clock on each CPU that takes the stacks of those
 * who run. Its sums are written several times a second, so that they have a time.
 */
#define LOG_DOMAIN "off-cpu"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "util/bpf/barrier.h"
#include "util/bpf/kernel-features.h"
#include "util/bpf/kernel-table.h"
#include "util/bpf/map-bytes.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/programs.h"
#include "util/bpf/ring.h"
#include "util/bpf/token.h"
#include "util/bpf_skel/histogram.bpf.h"
#include "util/bpf_skel/target.h"
#include "util/lib/advice.h"
#include "util/lib/clock.h"
#include "util/lib/cpumap.h"
#include "util/lib/log.h"
#include "util/judge/bpf-filter.h"
#include "util/source/bpf-target.h"
#include "util/source/histogram-opts.h"
#include "util/source/offcpu-opts.h"
#include "util/source/offcpu-record.h"
#include "util/source/offcpu-stacks.h"
#include "util/source/sleepers.h"
#include "util/source/sources.h"
#include "util/source/task-filter.h"
#include "util/bpf/first-namespace.h"
#include "util/judge/program-table.h"
#include "util/lib/array.h"

#define OUTPUT_SIZE 65536 /* size of the buffer for records that are passed on together */

struct offcpu_source {
	struct source base;
	struct offcpu_opts opts;
	u64 id;
	struct bpf_programs *programs;
	struct bpf_barrier barrier;
	struct bpf_target target;
	struct sleepers *sleepers; /* NULL: none are to be expected, or they cannot be read */
	bool seeded; /* off-CPU time of threads that sleep when it begins counts */
	struct bpf_ring ring;
	struct offcpu_stacks *stacks;
	int link[9], nr_links; /* while it is started */
	int *clock, nr_clocks; /* one for each of clock_cpus; the same */
	struct cpumap *clock_cpus;
	bool wall; /* wall-clock time */
	u64 next_sums; /* when sums are due, of wall-clock time */
	bool left; /* it was stopped, and who sleeps is not taken yet */
	bool sums_left; /* it has ended, and its sums are not taken yet; when they are counted, each stop is an end */
	bool was_enabled;
	u64 nr_asleep, nr_sums;
	u32 nr_unread; /* threads that slept from the start */
	struct errmsg note; /* message for the user, or "" */
	struct offcpu_totals totals;
	struct unwind_finisher finisher;
	struct unwind_totals unwound;
	struct offcpu_sleep *pending;
	size_t nr_pending, pending_room;
	/* of the running drain or collection */
	source_records_cb cb;
	source_row_cb row_cb;
	int cb_ret; /* result of row_cb */
	void *data;
	u64 nr_bytes;
	size_t used;
	char output[OUTPUT_SIZE] __attribute__((aligned(8)));
};

static struct offcpu_source *to_offcpu(const struct source *source)
{
	return (struct offcpu_source *)source;
}

/* Then no stack is taken for sleeps that the filter drops. */
static bool judges_early(const struct filter_table *table)
{
	return !table || !task_filter__is_late(table);
}

/* Loading */

static int explain_load(const struct offcpu_source *s, int errnum, struct errmsg *err)
{
	const char *what = s->wall ? "Wall-clock time" : "Off-cpu time";
	const char *missing = bpf_filter__missing_capabilities();

	if (*missing)
		return errmsg__set(err, EPERM, "%s is measured by BPF programs, for which this process lacks %s.\n%s, "
				   "or give it the right: setcap cap_bpf,cap_perfmon+ep $(command -v perf)", what, missing, advice__root());
	if (errnum == EPERM && bpf_token__explain(what, err))
		return -EPERM;
	if (errnum == ENOMEM)
		return errmsg__set(err, errnum, "%s cannot be measured: no memory is left for BPF maps. Free some and try again.", what);
	if (errnum == EMFILE || errnum == ENFILE)
		return errmsg__set(err, errnum, "%s cannot be measured: %s. Raise the limit (ulimit -n, also its hard limit).", what,
				   strerror(errnum));
	if (kernel_offer__probe(KERNEL_BTF) == KERNEL_LACKS)
		return errmsg__set(err, errnum, "%s needs the kernel's type information, but there is no "
				   "/sys/kernel/btf/vmlinux.\nUse a kernel that is built with CONFIG_DEBUG_INFO_BTF=y.", what);
	return errmsg__set(err, errnum, "The kernel refuses the BPF programs for %s time: %s. They need Linux %s or newer, and no "
			   "lockdown, SELinux or seccomp policy against them.", s->wall ? "wall-clock" : "off-cpu", strerror(errnum),
			   s->wall ? "5.19" : "5.18");
}

static void offcpu_source__detach(struct offcpu_source *s)
{
	while (s->nr_links)
		close(s->link[--s->nr_links]);
	while (s->nr_clocks)
		close(s->clock[--s->nr_clocks]);
	free(s->clock);
	free(s->clock_cpus);
	s->clock = NULL;
	s->clock_cpus = NULL;
}

static void offcpu_source__unload(struct offcpu_source *s)
{
	offcpu_source__detach(s);
	bpf_ring__unmap(&s->ring);
	bpf_target__unfollow(&s->target);
	bpf_barrier__exit(&s->barrier);
	bpf_programs__delete(s->programs);
	s->programs = NULL;
	sleepers__delete(s->sleepers);
	s->sleepers = NULL;
	s->left = s->sums_left = false;
}

/* The kernel requires a power of two of at least one page. */
static u32 ring_size(size_t wanted)
{
	u32 size = 1 << 16;

	if (!wanted)
		return bpf_ring__for_cpus(sysconf(_SC_NPROCESSORS_ONLN));
	while (size < wanted && size < 1U << 30)
		size *= 2;
	return size;
}

static int configure(struct offcpu_source *s, const struct source_setup *setup, struct errmsg *err)
{
	struct bpf_programs *p = s->programs;

	bpf_programs__resize(p, "ring", ring_size(setup->ring_size));
	bpf_programs__resize(p, "sums1", s->base.tallied || s->wall ? 0 : 1); /* 0: the size in the program's declaration */
	if (s->wall) {
		bpf_programs__set(p, "by_state", (bool)true);
		bpf_programs__set(p, "sent_states", (u32)(s->base.tallied ? 0 : OFFCPU_RUNS));
	} else {
		bpf_programs__set(p, "wanted_states", (u32)s->opts.states);
		bpf_programs__set(p, "kernel_threads", (bool)(!setup->target->system_wide || s->opts.states & OFFCPU_IDLE));
	}
	bpf_programs__set(p, "long_ns", s->base.tallied ? (u64)UINT64_MAX : (u64)s->opts.long_ns);
	if (s->base.tally.histogram)
		bpf_programs__set(p, "histogram", *s->base.tally.histogram);
	bpf_programs__set(p, "wakers", (bool)s->opts.waker);
	bpf_programs__set(p, "filter_early", (bool)judges_early(s->base.filter.table));
	bpf_programs__set(p, "has_filter", (bool)s->base.filter.table);
	return program_table__put(s->base.filter.table, p, err) ?: bpf_target__configure(setup->target, p, err);
}

static int take_entry(void *data, void *entry, size_t size);

static const struct bpf_image *image_of(const struct offcpu_source *s)
{
	if (s->wall)
		return s->base.tables ? &bpf_image_wall_tables : &bpf_image_wall;
	return s->base.tables ? &bpf_image_offcpu_tables : &bpf_image_offcpu;
}

static int load_programs(struct offcpu_source *s, const struct source_setup *setup, struct errmsg *err)
{
	int ret;

	s->programs = bpf_programs__open(image_of(s));
	if (!s->programs)
		return errmsg__set(err, ENOMEM, "out of memory for BPF programs");
	ret = configure(s, setup, err);
	if (ret)
		return ret;
	ret = source__share_tables(&s->base, s->programs) ?: bpf_programs__load(s->programs);
	if (ret && s->base.tables && unwind_tables__explain(err))
		return -EOPNOTSUPP;
	return ret ? explain_load(s, -ret, err) : bpf_barrier__init(&s->barrier, bpf_programs__map(s->programs, "sums0"), err);
}

/*
 * A command's threads come later. Nearly all of the system's sleep all the time, which wall-clock time shows, but off-CPU time does not, nor does
 * a histogram count what it does not know the begin of.
 */
static void open_sleepers(struct offcpu_source *s, const struct sampler_target *target)
{
	struct errmsg why;

	s->seeded = !s->wall && !target->system_wide && !target->waits && !s->base.tally.histogram;
	if (s->base.tally.histogram || (s->wall ? target->waits : !s->seeded))
		return;
	if (sleepers__new(target, &s->sleepers, &why))
		pr_debug("threads that sleep from the start will have the kernel's part of their stacks only: %s\n", why.text);
}

static int load(struct source *source, const struct source_setup *setup, struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);
	int ret;

	offcpu_source__unload(s);
	s->id = setup->id;
	s->finisher = (struct unwind_finisher){ .feeder = unwind_tables__feeder(s->base.tables) };
	ret = load_programs(s, setup, err);
	if (ret)
		return ret;
	ret = bpf_ring__map(&s->ring, bpf_programs__map(s->programs, "ring"), ring_size(setup->ring_size), err);
	if (ret)
		return ret;
	open_sleepers(s, setup->target);
	return bpf_target__follow(&s->target, s->programs, setup->target, source->evsel->attr.enable_on_exec, err);
}

static int attach(struct offcpu_source *s, const char *prog)
{
	int link = bpf_programs__attach_raw(s->programs, prog);

	if (link < 0)
		return link;
	s->link[s->nr_links++] = link;
	return 0;
}

static int attach_all(struct offcpu_source *s)
{
	static const char *const wall[] = {
		"note_exit", "note_wakeup", "note_contention", "note_lock", "note_switch", NULL,
	};
	static const char *const off_cpu[] = { "note_exit", "note_switch", NULL };
	int ret = s->opts.waker ? attach(s, "note_waking") : 0;

	for (const char *const *prog = s->wall ? wall : off_cpu; *prog && !ret; prog++)
		ret = attach(s, *prog);
	return ret;
}

/* It samples whoever runs on the CPU; the program knows the target. */
static int open_clock(const struct offcpu_source *s, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000ULL / s->opts.clock_hz,
		.exclude_idle = 1,
		.disabled = 1,
	};
	int fd = sys_perf_event_open(&attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_programs__prog(s->programs, "take_run"));
	if (!ret && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

static int reopen_cpu(struct source *source, int cpu, struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);

	for (int i = 0; i < s->nr_clocks; i++) {
		int fd;

		if (s->clock_cpus->cpu[i] != cpu)
			continue;
		fd = open_clock(s, cpu);
		if (fd < 0)
			return errmsg__set(err, -fd, "cannot open the clock for samples of running threads: %s", strerror(-fd));
		close(s->clock[i]);
		s->clock[i] = fd;
		return 1;
	}
	return 0;
}

static int open_clocks(struct offcpu_source *s, struct errmsg *err)
{
	struct cpumap *cpus = cpumap__online(err);
	int ret = cpus ? 0 : -errno;

	if (ret)
		return ret;
	s->clock_cpus = cpus;
	s->clock = calloc(cpus->nr, sizeof(*s->clock));
	if (!s->clock)
		ret = -ENOMEM;
	for (int i = 0; i < cpus->nr && !ret; i++) {
		int fd = open_clock(s, cpus->cpu[i]);

		if (fd < 0)
			ret = fd;
		else
			s->clock[s->nr_clocks++] = fd;
	}
	return ret ? errmsg__set(err, -ret, "cannot open the clocks for samples of running threads: %s", strerror(-ret)) : 0;
}

/* Stored before the ring brings the kernel's part under the same hash. */
static int add_sleeper(void *data, const struct thread_stack *sleeper)
{
	const struct snapshot_task *task = sleeper->task;
	struct offcpu_source *s = data;
	struct offcpu_stack stack = { .type = OFFCPU_STACK, .hash = offcpu_seed(task->tid, task->started, task->switches) };
	u32 nr_user = 0;

	for (u32 i = 0, user = 0; i < sleeper->nr; i++) {
		user |= sleeper->chain[i] == PERF_CONTEXT_USER;
		if (sleeper->chain[i] >= (u64)PERF_CONTEXT_MAX || (user ? nr_user : stack.nr_kernel) == OFFCPU_MAX_FRAMES)
			continue;
		stack.ip[stack.nr++] = sleeper->chain[i];
		nr_user += user;
		stack.nr_kernel += !user;
	}
	return offcpu_stacks__add_read(s->stacks, &stack);
}

/* What threads sleep in is noted by the program first: who has run since then has another hash. */
static int seed(struct offcpu_source *s, struct errmsg *err)
{
	struct errmsg why;
	int ret = s->wall || s->seeded ? bpf_programs__run_iterator(s->programs, "visit_task") : 0;

	if (ret)
		return errmsg__set(err, -ret, "cannot read what the tasks do: %s", strerror(-ret));
	ret = s->sleepers ? sleepers__take(s->sleepers, OFFCPU_MAX_FRAMES, add_sleeper, s, &s->nr_unread, &why) : 0;
	if (ret == -ENOMEM)
		return errmsg__set(err, ENOMEM, "out of memory for stacks");
	if (ret)
		pr_debug("threads that sleep from the start have the kernel's part of their stacks only: %s\n", why.text);
	return 0;
}

/* What tasks do is noted before the first of their events counts. */
static int begin_wall(struct offcpu_source *s, struct errmsg *err)
{
	int ret = seed(s, err);

	if (!ret)
		bpf_programs__set(s->programs, "began_at", clock__ns(CLOCK_MONOTONIC));
	return ret;
}

/* May be called after a stop, for the next span of the recording. */
static int enable(struct source *source, struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);
	int ret;

	if (s->nr_links)
		return 0;
	bpf_programs__set(s->programs, "began_at", s->wall ? (u64)WALL_NEVER : clock__ns(CLOCK_MONOTONIC));
	bpf_programs__set(s->programs, "ended_at", WALL_NEVER);
	ret = attach_all(s);
	if (ret)
		errmsg__set(err, -ret, "cannot attach to the scheduler's tracepoints: %s", strerror(-ret));
	else if (s->wall)
		ret = open_clocks(s, err) ?: begin_wall(s, err);
	else
		ret = seed(s, err);
	if (ret)
		offcpu_source__detach(s);
	else
		s->was_enabled = true;
	return ret;
}

/* Keep following children, as recording may start again. */
static int disable(struct source *source)
{
	struct offcpu_source *s = to_offcpu(source);

	/* sums go on in the next span; what is written with their time must come last */
	s->sums_left |= s->was_enabled && (source->ended || source->tallied || s->wall);
	if (!s->nr_links)
		return 0;
	/* First nothing begins any more, then the time is taken: whatever has begun did so before it. */
	bpf_programs__set(s->programs, "ended_at", (u64)0);
	__sync_synchronize();
	bpf_programs__set(s->programs, "ended_at", clock__ns(CLOCK_MONOTONIC));
	offcpu_source__detach(s);
	s->left = true;
	return bpf_barrier__wait(&s->barrier);
}

/* Records */

static int hand_on(struct offcpu_source *s)
{
	size_t size = s->used;

	s->used = 0;
	s->nr_bytes += size;
	return size ? s->cb(s->data, s->output, size) : 0;
}

/* Record for a file */
static int put_record(struct offcpu_source *s, const struct offcpu_sleep *sleep, const struct offcpu_sum *sum)
{
	int ret = s->used + OFFCPU_RECORD_MAX > sizeof(s->output) ? hand_on(s) : 0;

	if (ret < 0)
		return ret;
	s->used += offcpu_record__encode(s->output + s->used, &s->base.evsel->attr, s->id, sleep, sum ? sum->nr : 1,
					 offcpu_stacks__find(s->stacks, sleep->stack), offcpu_stacks__find(s->stacks, sleep->waker));
	return 0;
}

/* While sleeps are counted, the ring is read by collect(). */
static int keep_pending(struct offcpu_source *s, const struct offcpu_sleep *sleep)
{
	if (array__grow(s->pending, s->nr_pending, s->pending_room))
		return -ENOMEM;
	s->pending[s->nr_pending++] = *sleep;
	return 0;
}

static void put_row_stack(struct tally_row *row, unsigned int key, const struct offcpu_stack *stack)
{
	if (!stack)
		return;
	if (key & TALLY_KEY_KSTACK) {
		row->kstack = (const u64 *)stack->ip;
		row->nr_kstack = stack->nr_kernel;
	}
	if (key & TALLY_KEY_USTACK) {
		row->ustack = (const u64 *)stack->ip + stack->nr_kernel;
		row->nr_ustack = offcpu_stack__nr_user(stack);
	}
	if (key & (TALLY_KEY_IP | TALLY_KEY_SYM) && stack->nr) {
		row->ip = stack->ip[0];
		row->cpumode = stack->nr_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	}
}

/* The same function converts values to ranks and back. */
static void put_row_value(struct tally_row *row, const struct histogram_config *histogram, const struct offcpu_sleep *sleep,
			  const struct offcpu_sum *sum)
{
	row->histogram = histogram;
	row->bucket = sleep->bucket;
	row->period = sum ? sum->ns : sleep->value;
	row->least = sum ? histogram__rank(histogram, sum->least) : sleep->value;
	row->greatest = sum ? histogram__rank(histogram, sum->greatest) : sleep->value;
}

/* Row for counting */
static int put_row(struct offcpu_source *s, const struct offcpu_sleep *sleep, const struct offcpu_sum *sum)
{
	unsigned int key = s->base.tally.key;
	struct tally_row row = {
		.pid = key & TALLY_KEY_PID ? sleep->who.pid : 0,
		.tid = key & TALLY_KEY_TID ? sleep->who.tid : 0,
		.cpu = key & TALLY_KEY_CPU ? sleep->who.cpu : 0,
		.uid = key & TALLY_KEY_UID ? sleep->who.uid : 0,
		.cgroup = key & TALLY_KEY_CGROUP ? sleep->who.cgroup : 0,
		.count = sum ? sum->nr : 1,
		.period = sleep->ns,
		.first_time = sleep->end,
		.last_time = sleep->end,
	};

	if (s->wall)
		row.state = sleep->state;
	if (key & TALLY_KEY_COMM)
		memcpy(row.comm, sleep->who.comm, sizeof(row.comm));
	if (s->base.tally.histogram)
		put_row_value(&row, s->base.tally.histogram, sleep, sum);
	else
		put_row_stack(&row, key, offcpu_stacks__find(s->stacks, sleep->stack));
	s->cb_ret = s->row_cb(s->data, &row);
	return s->cb_ret;
}

static int add_finished(void *data, const void *stack, size_t size)
{
	struct offcpu_source *s = data;

	return offcpu_stacks__add(s->stacks, stack, size, &s->finisher.last, &s->note);
}

/* Process a record from the ring */
static int take_entry(void *data, void *entry, size_t size)
{
	const struct offcpu_sleep *sleep = entry;
	struct offcpu_source *s = data;

	if (size >= sizeof(sleep->type) && sleep->type == UNWIND_UNFINISHED)
		return unwind_finisher__pass(&s->finisher, entry, size, add_finished, s);
	if (size < sizeof(*sleep) || sleep->type != OFFCPU_SLEEP)
		return offcpu_stacks__add(s->stacks, entry, size, NULL, &s->note);
	return s->base.tallied ? keep_pending(s, sleep) : put_record(s, sleep, NULL);
}

/* sum NULL: one sleep; otherwise sleep describes all of a sum */
typedef int (*put_sleep)(struct offcpu_source *s, const struct offcpu_sleep *sleep, const struct offcpu_sum *sum);

struct taken_sum {
	struct offcpu_key key; /* with the first ones of equal stacks */
	struct offcpu_sum sum;
};

struct taken_sums {
	struct taken_sum *sum;
	size_t nr, room;
};

/* Read one of the two maps of sums, which no program uses now, and empty it. */
static int read_sums(const struct offcpu_source *s, int map_fd, struct taken_sums *t)
{
	for (;;) {
		struct taken_sum *next;

		if (array__grow(t->sum, t->nr, t->room))
			return -ENOMEM;
		next = &t->sum[t->nr];
		if (bpf_map_get_next_key(map_fd, NULL, &next->key))
			return errno == ENOENT ? 0 : -errno;
		if (bpf_map_lookup_elem(map_fd, &next->key, &next->sum) || bpf_map_delete_elem(map_fd, &next->key))
			return -errno;
		next->key.stack = offcpu_stacks__first(s->stacks, next->key.stack);
		next->key.waker = offcpu_stacks__first(s->stacks, next->key.waker);
		t->nr++;
	}
}

static int compare_sums(const void *a, const void *b)
{
	const struct taken_sum *x = a, *y = b;

	return memcmp(&x->key, &y->key, sizeof(x->key));
}

static void add_sum(struct offcpu_sum *to, const struct offcpu_sum *from)
{
	to->ns += from->ns;
	to->nr += from->nr;
	if (from->least < to->least)
		to->least = from->least;
	if (from->greatest > to->greatest)
		to->greatest = from->greatest;
}

static void join_equal(struct taken_sums *t)
{
	size_t nr = 0;

	if (t->nr)
		qsort(t->sum, t->nr, sizeof(*t->sum), compare_sums);
	for (size_t i = 0; i < t->nr; i++) {
		if (nr && !compare_sums(&t->sum[nr - 1], &t->sum[i]))
			add_sum(&t->sum[nr - 1].sum, &t->sum[i].sum);
		else
			t->sum[nr++] = t->sum[i];
	}
	t->nr = nr;
}

static int put_sums(struct offcpu_source *s, const struct taken_sums *t, u64 time, put_sleep put)
{
	int ret = 0;

	for (size_t i = 0; i < t->nr && !ret; i++) {
		const struct taken_sum *taken = &t->sum[i];
		const struct offcpu_sleep sleep = {
			.end = time, .who = taken->sum.who, .ns = taken->sum.ns, .stack = taken->key.stack, .waker = taken->key.waker,
			.bucket = taken->key.bucket, .state = taken->key.state,
		};

		ret = put(s, &sleep, &taken->sum);
		s->nr_sums++;
	}
	return ret;
}

static int take_sums(struct offcpu_source *s, int map_fd, u64 time, put_sleep put)
{
	struct taken_sums t = { 0 };
	int ret = read_sums(s, map_fd, &t);

	if (!ret) {
		join_equal(&t);
		ret = put_sums(s, &t, time, put);
	}
	free(t.sum);
	return ret;
}

/* Reading runs the iterator's program on all tasks. */
static int take_sleepers_from(struct offcpu_source *s, int fd, put_sleep put)
{
	struct offcpu_sleep sleeps[64];
	ssize_t n, i;
	int ret = 0;

	while (!ret && (n = read(fd, sleeps, sizeof(sleeps)))) {
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		for (i = 0; i < n / (ssize_t)sizeof(*sleeps) && !ret; i++) {
			ret = put(s, &sleeps[i], NULL);
			s->nr_asleep++;
		}
	}
	return ret;
}

static int take_sleepers(struct offcpu_source *s, put_sleep put)
{
	int fd = bpf_programs__iterate(s->programs, "visit_task"), ret;

	if (fd < 0)
		return fd;
	ret = take_sleepers_from(s, fd, put);
	close(fd);
	return ret;
}

static int sums_in_use(const struct offcpu_source *s)
{
	return bpf_programs__map(s->programs, bpf_programs__get(s->programs, "sums_in_use", u32) ? "sums1" : "sums0");
}

/* After a stop: read what is left */
static int take_rest(struct offcpu_source *s, put_sleep put)
{
	int ret = 0;

	if (s->left)
		ret = take_sleepers(s, put);
	s->left = false;
	if (s->sums_left && !ret)
		ret = take_sums(s, sums_in_use(s), s->base.tallied || s->wall ? bpf_programs__get(s->programs, "ended_at", u64) : OFFCPU_SUM_TIME, put);
	s->sums_left = false;
	return ret;
}

/* Read the sums so far, while programs go on with the other map. */
static int take_round(struct offcpu_source *s, put_sleep put)
{
	u64 time = clock__ns(CLOCK_MONOTONIC);
	int map_fd = sums_in_use(s), ret;

	bpf_programs__get(s->programs, "sums_in_use", u32) ^= 1;
	ret = bpf_barrier__wait(&s->barrier);
	if (ret)
		return ret;
	ret = bpf_ring__drain_entries(&s->ring, take_entry, s); /* the stacks of these sums, and sleeps that did not fit into the map */
	for (size_t i = 0; i < s->nr_pending && ret >= 0; i++)
		ret = put(s, &s->pending[i], NULL);
	s->nr_pending = 0;
	return ret < 0 ? ret : take_sums(s, map_fd, time, put);
}

#define SUMS_NS 100000000ULL

static bool sums_are_due(struct offcpu_source *s)
{
	u64 now = clock__ns(CLOCK_MONOTONIC);

	if (!s->wall || !s->nr_links || now < s->next_sums)
		return false;
	s->next_sums = now + SUMS_NS;
	return true;
}

static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct offcpu_source *s = to_offcpu(source);
	int ret;

	s->cb = cb;
	s->data = data;
	s->nr_bytes = 0;
	ret = bpf_ring__drain_entries(&s->ring, take_entry, s);
	if (ret >= 0 && !s->base.tallied && sums_are_due(s))
		ret = take_round(s, put_record);
	if (ret >= 0 && !s->base.tallied)
		ret = take_rest(s, put_record);
	if (ret >= 0)
		ret = hand_on(s);
	if (nr_bytes)
		*nr_bytes += s->nr_bytes;
	return ret < 0 ? ret : 0;
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);
	int ret;

	s->row_cb = cb;
	s->data = data;
	s->cb_ret = 0;
	ret = take_round(s, put_row);
	if (!ret)
		ret = take_rest(s, put_row);
	if (ret && !s->cb_ret)
		errmsg__set(err, -ret, "cannot fetch what was counted of off-cpu time: %s", strerror(-ret));
	return ret;
}

static int fd(const struct source *source)
{
	const struct offcpu_source *s = to_offcpu(source);

	return bpf_programs__map(s->programs, "ring");
}

static struct bpf_ring *ring(struct source *source)
{
	return &to_offcpu(source)->ring;
}

/* Counts and messages */

static int read_counts(struct offcpu_source *s, struct offcpu_counts *sum, struct errmsg *err)
{
	struct offcpu_counts *percpu;
	int nr_cpus, i;

	*sum = (struct offcpu_counts){ 0 };
	percpu = percpu_map__read(bpf_programs__map(s->programs, "offcpu_counts"), 0, sizeof(*percpu), &nr_cpus, "the counts of off-cpu time", err);
	if (!percpu)
		return -errno;
	for (i = 0; i < nr_cpus; i++) {
		sum->seen += percpu[i].seen;
		sum->dropped += percpu[i].dropped;
		sum->sent += percpu[i].sent;
		sum->summed += percpu[i].summed;
		sum->spilled += percpu[i].spilled;
		sum->lost += percpu[i].lost;
		sum->lost_ns += percpu[i].lost_ns;
		sum->lost_stacks += percpu[i].lost_stacks;
		sum->untracked += percpu[i].untracked;
	}
	free(percpu);
	return 0;
}

/* Programs send a stack once, and count how often they meet it: always with the same end. */
static void add_ends_met(void *data, u64 hash, const struct unwind_ends *ends)
{
	struct offcpu_source *s = data;
	u32 met;

	if (bpf_map_lookup_elem(bpf_programs__map(s->programs, "sent_stacks"), &hash, &met) || !met)
		return;
	s->unwound.finished.began[ends->began] += met - 1;
	s->unwound.finished.ended[ends->ended] += met - 1;
}

static int read_unwound(struct offcpu_source *s, struct errmsg *err)
{
	int ret = unwind_totals__read(&s->unwound, bpf_programs__map(s->programs, "unwind_counts"), &s->finisher, err);

	if (!ret)
		offcpu_stacks__for_each_finished(s->stacks, add_ends_met, s);
	return ret;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);
	struct offcpu_counts c;
	int ret = read_counts(s, &c, err);

	if (!ret && s->base.tables)
		ret = read_unwound(s, err);
	if (ret)
		return ret;
	s->totals = (struct offcpu_totals){
		.wall = s->wall,
		.sent = c.sent,
		.spilled = c.spilled,
		.asleep = s->nr_asleep,
		.summed = c.summed,
		.sums = s->nr_sums,
		.lost_ns = c.lost_ns,
		.lost_stacks = c.lost_stacks,
		.unread = s->nr_unread,
		.stacks = offcpu_stacks__nr(s->stacks),
		.stack_bytes = offcpu_stacks__bytes(s->stacks),
		.note = s->note.text,
	};
	*counts = (struct sampler_counts){
		.filtered = s->base.filter.table,
		.seen = c.seen,
		.dropped = c.dropped,
		.lost_known = true,
		.lost = c.lost,
		.untracked = c.untracked + bpf_programs__get(s->programs, "target_untracked", u64),
		.totals = &s->totals,
		.unwound = s->base.tables ? &s->unwound : NULL,
	};
	return 0;
}

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);
	struct offcpu_counts c;
	int ret = read_counts(s, &c, err);

	if (ret)
		return ret;
	*counts = (struct tally_counts){
		.seen = c.seen,
		.dropped = c.dropped,
		.counted = s->wall ? c.sent + c.summed + c.spilled : c.seen - c.dropped - c.lost,
		.lost_stacks = c.lost_stacks,
		.spilled = c.spilled,
		.lost_spill = c.lost,
		.map_bytes = map_bytes(bpf_programs__map(s->programs, "ring")) + map_bytes(bpf_programs__map(s->programs, "sent_stacks")) +
			     map_bytes(bpf_programs__map(s->programs, "sums0")) + map_bytes(bpf_programs__map(s->programs, "sums1")) +
			     map_bytes(bpf_programs__map(s->programs, "stacks")) + map_bytes(bpf_programs__map(s->programs, s->wall ? "wall_tasks" : "tasks")),
	};
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	const struct offcpu_source *s = to_offcpu(source);
	char buf[16];

	if (s->wall)
		fprintf(fp, "engine: BPF programs on sched_switch, sched_wakeup and a clock of %u Hz on each CPU", s->opts.clock_hz);
	else
		fprintf(fp, "engine: BPF programs on sched_switch%s, states %s", s->opts.waker ? " and sched_waking" : "",
			offcpu_states__text(s->opts.states, buf, sizeof(buf)));
	if (s->base.tallied)
		fputs("; sleeps are summed", fp);
	else if (s->opts.long_ns)
		fprintf(fp, "; a sample for each sleep from %" PRIu64 " ms, sums for shorter ones", s->opts.long_ns / 1000000);
	else
		fputs("; a sample for each sleep", fp);
	if (s->base.filter.table)
		fprintf(fp, "; %u entr%s of the filter, tested %s", s->base.filter.table->nr, plural_y(s->base.filter.table->nr),
			judges_early(s->base.filter.table) ? "when the task goes to sleep" : "when it comes back");
	fputc('\n', fp);
}

static void delete(struct source *source)
{
	struct offcpu_source *s = to_offcpu(source);

	offcpu_source__unload(s);
	offcpu_stacks__delete(s->stacks);
	free(s->pending);
	source__free(source);
}

/* Choosing */

static int check_wish(const struct offcpu_source *s, const struct source_wish *wish, struct errmsg *err)
{
	const struct source *base = &s->base;
	int ret = 0;

	if (wish->histogram)
		ret = offcpu_histogram__check(&base->histogram.number, wish->histogram->number, err);
	if (ret)
		return ret;
	if (wish->tally && s->opts.waker)
		return errmsg__set(err, EINVAL, "perf sample-bpf cannot count by --off-cpu-waker: record it (perf record --off-cpu --off-cpu-waker)");
	if (s->wall && wish->histogram)
		return errmsg__set(err, EINVAL, "--hist does not know wall-clock time: count it by state (perf sample-bpf --wall)");
	if (s->wall && wish->tally && wish->tally->key & TALLY_KEY_UID)
		return errmsg__set(err, EINVAL, "wall-clock time is counted by state, and not by uid: leave uid out of --key, and take a --filter");
	if (!pid_namespace__is_first())
		return errmsg__set(err, EOPNOTSUPP, "%s time is measured by BPF programs, which see the ids that tasks have outside of this "
				   "pid namespace.\nRun perf outside of the container.", s->wall ? "Wall-clock" : "Off-cpu");
	if (wish->tally && wish->tally->both)
		return errmsg__set(err, EINVAL, "%s cannot be both counted in the kernel and written: write its samples with perf record, and "
						"count them with perf report", base->evsel->name);
	return 0;
}

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	static const struct offcpu_opts defaults = OFFCPU_OPTS_DEFAULT;
	struct offcpu_source *s;
	int ret = 0;

	s = source__new(sizeof(*s), &offcpu_source_ops, wish);
	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	*source = &s->base;
	s->target = (struct bpf_target)BPF_TARGET_NONE;
	s->barrier = (struct bpf_barrier)BPF_BARRIER_NONE;
	s->wall = wish->evsel->kind == &wall_kind;
	s->opts = *(const struct offcpu_opts *)(wish->evsel->kind_opts ?: &defaults);
	s->stacks = offcpu_stacks__new();
	if (!s->stacks)
		return errmsg__set(err, ENOMEM, "out of memory");
	if (s->base.filter.table)
		ret = offcpu_filter__check(s->base.filter.tree, s->base.filter.table, err);
	if (!ret && wish->tally)
		ret = source__set_tally(&s->base, wish, err);
	return ret ?: check_wish(s, wish, err);
}

const struct source_ops offcpu_source_ops = {
	.name = "off-cpu",
	.kind = { &off_cpu_kind, &wall_kind },
	.stand_in = true,
	.choose = choose,
	.load = load,
	.enable = enable,
	.reopen_cpu = reopen_cpu,
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
