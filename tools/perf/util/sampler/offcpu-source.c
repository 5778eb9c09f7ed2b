// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "off-cpu"

#include "util/sampler/offcpu-source.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "util/bpf_skel/target.h" /* the skeleton uses its types */
#include "util/bpf_skel/offcpu.lskel.h"
#include "util/lib/cpumap.h"
#include "util/lib/log.h"
#include "util/sampler/bpf-filter.h"
#include "util/sampler/bpf-target.h"
#include "util/sampler/kernel-table.h"
#include "util/sampler/offcpu-record.h"
#include "util/sampler/offcpu-stacks.h"

#define OUTPUT_SIZE 65536 /* of records that are handed on at once */

struct offcpu_source {
	struct sample_source base;
	struct offcpu_opts opts;
	const struct filter_table *table; /* NULL: all sleeps */
	struct perf_event_attr attr;
	u64 id;
	struct offcpu *skel;
	struct bpf_target target;
	struct ring_buffer *ring;
	struct offcpu_stacks *stacks;
	bool started, stopped, flushed;
	u64 nr_asleep, nr_sums;
	struct errmsg note; /* text for the user, or "" */
	struct offcpu_totals totals;
	/* of the running drain */
	int (*cb)(void *data, const void *records, size_t size);
	void *data;
	u64 nr_bytes;
	size_t used;
	char output[OUTPUT_SIZE] __attribute__((aligned(8)));
};

static struct offcpu_source *to_offcpu(struct sample_source *source)
{
	return (struct offcpu_source *)source;
}

/* States */

static const struct {
	const char *letter, *name;
	u32 state;
} states[] = {
	{ "S", "sleep", OFFCPU_SLEEPING },
	{ "D", "disk", OFFCPU_DISK },
	{ "I", "idle", OFFCPU_IDLE },
	{ "R", "preempted", OFFCPU_PREEMPTED },
	{ "T", "stopped", OFFCPU_STOPPED },
};

static u32 find_state(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if ((len == strlen(states[i].letter) && !strncmp(word, states[i].letter, len)) ||
		    (len == strlen(states[i].name) && !strncmp(word, states[i].name, len)))
			return states[i].state;
	}
	return 0;
}

int offcpu_states__parse(const char *list, u32 *wanted, struct errmsg *err)
{
	const char *word = list;
	size_t len;
	u32 state;

	*wanted = 0;
	for (;; word += len + 1) {
		len = strcspn(word, ",");
		state = find_state(word, len);
		if (!state)
			return errmsg__set(err, EINVAL, "there is no state \"%.*s\": a task that does not run is S (sleep), D (disk), "
					   "I (idle), R (preempted) or T (stopped)", (int)len, word);
		*wanted |= state;
		if (!word[len])
			return 0;
	}
}

/* The filter */

static bool is_known(u8 term)
{
	switch (term) {
	case FILTER_TERM_TID:
	case FILTER_TERM_PID:
	case FILTER_TERM_CPU:
	case FILTER_TERM_TIME:
	case FILTER_TERM_PERIOD:
	case FILTER_TERM_UID:
	case FILTER_TERM_GID:
	case FILTER_TERM_CGROUP:
	case FILTER_TERM_CGROUP_AT:
	case FILTER_TERM_COMM_LO:
	case FILTER_TERM_COMM_HI:
	case FILTER_TERM_COMM_GLOB:
	case FILTER_TERM_RAND:
	case FILTER_TERM_EVERY:
	case FILTER_TERM_PPID:
	case FILTER_TERM_PRIO:
	case FILTER_TERM_NICE:
		return true;
	default:
		return false;
	}
}

int offcpu_source__check_filter(const struct filter *filter, const struct filter_table *table, struct errmsg *err)
{
	const char *clause;
	unsigned int i, len;

	for (i = 0; i < table->nr; i++) {
		if (is_known(table->entry[i].term))
			continue;
		clause = filter__clause(filter, table->clause[i], &len);
		return errmsg__set(err, EINVAL, "filter: off-cpu time cannot be tested for '%.*s': a task that sleeps has pid, tid, ppid, "
				   "comm, uid, gid, cgroup, prio, nice, the cpu that it left, the time when it came back, and its "
				   "sleep as period; every and rand can be used, too", (int)len, clause);
	}
	return 0;
}

/* Nothing is asked for that is known only when the sleep is over, so that no stack need be taken for what is dropped. */
static bool judges_early(const struct filter_table *table)
{
	for (unsigned int i = 0; table && i < table->nr; i++) {
		if (table->entry[i].term == FILTER_TERM_PERIOD || table->entry[i].term == FILTER_TERM_TIME)
			return false;
	}
	return true;
}

/* Loading */

static int explain_load(int errnum, struct errmsg *err)
{
	const char *missing = bpf_filter__missing_capabilities();

	if (*missing)
		return errmsg__set(err, EPERM, "Off-cpu time is measured by BPF programs, for which this process lacks %s.\nRun perf as "
				   "root, or give it the right: setcap cap_bpf,cap_perfmon+ep $(command -v perf)", missing);
	if (errnum == ENOMEM)
		return errmsg__set(err, errnum, "Cannot measure off-cpu time: no memory is left for BPF maps. Free some and try again.");
	if (kernel_offer__probe(KERNEL_BTF) == KERNEL_LACKS)
		return errmsg__set(err, errnum, "Off-cpu time needs the kernel's type information, but there is no "
				   "/sys/kernel/btf/vmlinux.\nUse a kernel that is built with CONFIG_DEBUG_INFO_BTF=y.");
	return errmsg__set(err, errnum, "The kernel refuses the BPF programs for off-cpu time: %s. They need Linux 5.18 or newer, and no "
			   "lockdown, SELinux or seccomp policy against them.", strerror(errnum));
}

static void offcpu_source__unload(struct offcpu_source *s)
{
	ring_buffer__free(s->ring);
	s->ring = NULL;
	bpf_target__unfollow(&s->target);
	if (s->skel)
		offcpu__destroy(s->skel);
	s->skel = NULL;
	s->started = s->stopped = s->flushed = false;
}

#define RING_DEFAULT (4 << 20)

/* The kernel takes a power of two, of pages at least. */
static u32 ring_size(size_t wanted)
{
	u32 size = 1 << 16;

	if (!wanted)
		return RING_DEFAULT;
	while (size < wanted && size < 1U << 30)
		size *= 2;
	return size;
}

static int configure(struct offcpu_source *s, const struct sample_source_setup *setup, struct errmsg *err)
{
	struct offcpu__rodata *ro = s->skel->rodata;

	s->skel->maps.ring.max_entries = ring_size(setup->ring_size);
	ro->wanted_states = s->opts.states;
	ro->long_ns = s->opts.long_ns;
	ro->kernel_threads = !setup->target->system_wide || s->opts.states & OFFCPU_IDLE;
	ro->filter_early = judges_early(s->table);
	ro->has_filter = s->table;
	if (s->table) {
		memcpy(ro->filter_table, s->table->entry, sizeof(ro->filter_table));
		ro->filter_words = s->table->words;
	}
	s->skel->maps.target_seeds.max_entries = bpf_target__nr_seeds(setup->target);
	return bpf_target__configure(setup->target, &ro->target_config, err);
}

static int take_record(void *data, void *record, size_t size);

static int offcpu_source__load(struct sample_source *source, const struct evsel *evsel, const struct sample_source_setup *setup,
			       struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);
	int ret;

	offcpu_source__unload(s);
	s->attr = evsel->attr;
	s->id = setup->id;
	s->skel = offcpu__open();
	if (!s->skel)
		return errmsg__set(err, ENOMEM, "out of memory for BPF programs");
	ret = configure(s, setup, err);
	if (ret)
		return ret;
	ret = offcpu__load(s->skel);
	if (ret)
		return explain_load(-ret, err);
	s->ring = ring_buffer__new(s->skel->maps.ring.map_fd, take_record, s, NULL);
	if (!s->ring)
		return errmsg__set(err, errno, "cannot map the ring buffer of off-cpu samples: %s", strerror(errno));
	s->target = (struct bpf_target){
		.fork_prog_fd = s->skel->progs.target_fork.prog_fd,
		.seed_prog_fd = s->skel->progs.target_seed.prog_fd,
		.seeds_map_fd = s->skel->maps.target_seeds.map_fd,
		.fork_link_fd = -1,
	};
	return bpf_target__follow(&s->target, setup->target, evsel->attr.enable_on_exec, err);
}

static int offcpu_source__start(struct sample_source *source, struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);
	int ret = 0;

	if (s->opts.waker)
		ret = offcpu__note_waking__attach(s->skel);
	if (ret >= 0)
		ret = offcpu__note_switch__attach(s->skel);
	if (ret < 0)
		return errmsg__set(err, -ret, "cannot attach to the scheduler's tracepoints: %s", strerror(-ret));
	s->started = true;
	return 0;
}

/*
 * Wait until no program runs any more that was running when this was called. They run with interrupts off, which RCU waits for; where
 * full dynticks forbid the call, they have far more time than they need.
 */
static void wait_for_programs(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(10000);
}

static u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int offcpu_source__stop(struct sample_source *source)
{
	struct offcpu_source *s = to_offcpu(source);

	if (!s->started || s->stopped)
		return 0;
	offcpu__detach(s->skel);
	bpf_target__unfollow(&s->target);
	s->skel->bss->ended_at = monotonic_ns();
	wait_for_programs();
	s->stopped = true;
	return 0;
}

/* Records */

static int hand_on(struct offcpu_source *s)
{
	size_t size = s->used;

	s->used = 0;
	s->nr_bytes += size;
	return size ? s->cb(s->data, s->output, size) : 0;
}

static int put_sleep(struct offcpu_source *s, const struct offcpu_sleep *sleep, u64 nr)
{
	int ret = s->used + OFFCPU_RECORD_MAX > sizeof(s->output) ? hand_on(s) : 0;

	if (ret < 0)
		return ret;
	s->used += offcpu_record__encode(s->output + s->used, &s->attr, s->id, sleep, nr, offcpu_stacks__find(s->stacks, sleep->stack),
					 offcpu_stacks__find(s->stacks, sleep->waker));
	return 0;
}

static int take_record(void *data, void *record, size_t size)
{
	const struct offcpu_sleep *sleep = record;
	struct offcpu_source *s = data;

	if (size >= sizeof(*sleep) && sleep->type == OFFCPU_SLEEP)
		return put_sleep(s, sleep, 1);
	return offcpu_stacks__add(s->stacks, record, size, &s->note);
}

static int flush_sums(struct offcpu_source *s, int map_fd)
{
	struct offcpu_sleep sleep = { .end = s->skel->bss->ended_at };
	struct offcpu_key key, *last = NULL;
	struct offcpu_sum sum;
	int ret = 0;

	while (!ret && !bpf_map_get_next_key(map_fd, last, &key)) {
		last = &key;
		ret = bpf_map_lookup_elem(map_fd, &key, &sum) ? -errno : 0;
		if (ret)
			break;
		sleep.pid = key.pid;
		sleep.tid = key.tid;
		sleep.cpu = sum.cpu;
		sleep.ns = sum.ns;
		sleep.stack = key.stack;
		sleep.waker = key.waker;
		ret = put_sleep(s, &sleep, sum.nr);
		s->nr_sums++;
	}
	return ret;
}

/* The kernel walks through all tasks while this reads. */
static int flush_sleepers_from(struct offcpu_source *s, int fd)
{
	struct offcpu_sleep sleeps[64];
	ssize_t n, i;
	int ret = 0;

	while (!ret && (n = read(fd, sleeps, sizeof(sleeps)))) {
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		for (i = 0; i < n / (ssize_t)sizeof(*sleeps) && !ret; i++) {
			ret = put_sleep(s, &sleeps[i], 1);
			s->nr_asleep++;
		}
	}
	return ret;
}

static int flush_sleepers(struct offcpu_source *s)
{
	int link, fd, ret;

	link = bpf_link_create(s->skel->progs.show_sleeper.prog_fd, 0, BPF_TRACE_ITER, NULL);
	if (link < 0)
		return link;
	fd = bpf_iter_create(link);
	ret = fd < 0 ? fd : flush_sleepers_from(s, fd);
	if (fd >= 0)
		close(fd);
	close(link);
	return ret;
}

static int offcpu_source__drain(struct sample_source *source, int (*cb)(void *data, const void *records, size_t size), void *data,
				u64 *nr_bytes)
{
	struct offcpu_source *s = to_offcpu(source);
	int ret;

	s->cb = cb;
	s->data = data;
	s->nr_bytes = 0;
	ret = ring_buffer__consume(s->ring);
	if (ret >= 0 && s->stopped && !s->flushed) {
		s->flushed = true;
		ret = flush_sums(s, s->skel->maps.sums0.map_fd);
		if (!ret)
			ret = flush_sleepers(s);
	}
	if (ret >= 0)
		ret = hand_on(s);
	if (nr_bytes)
		*nr_bytes += s->nr_bytes;
	return ret < 0 ? ret : 0;
}

static int offcpu_source__fd(const struct sample_source *source)
{
	const struct offcpu_source *s = (const struct offcpu_source *)source;

	return s->skel->maps.ring.map_fd;
}

/* What it tells */

static int read_counts(struct offcpu_source *s, struct offcpu_counts *sum, struct errmsg *err)
{
	int nr_cpus = cpumap__possible_count(), i;
	struct offcpu_counts *percpu;
	u32 zero = 0;

	*sum = (struct offcpu_counts){ 0 };
	if (nr_cpus < 0)
		return errmsg__set(err, -nr_cpus, "cannot tell how many CPUs the system can have: %s", strerror(-nr_cpus));
	percpu = calloc(nr_cpus, sizeof(*percpu));
	if (!percpu)
		return errmsg__set(err, ENOMEM, "out of memory for counts");
	if (bpf_map_lookup_elem(s->skel->maps.offcpu_counts.map_fd, &zero, percpu)) {
		i = errno;
		free(percpu);
		return errmsg__set(err, i, "cannot read the counts of off-cpu time: %s", strerror(i));
	}
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

static int offcpu_source__counts(struct sample_source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct offcpu_source *s = to_offcpu(source);
	struct offcpu_counts c;
	int ret = read_counts(s, &c, err);

	if (ret)
		return ret;
	s->totals = (struct offcpu_totals){
		.sent = c.sent,
		.spilled = c.spilled,
		.asleep = s->nr_asleep,
		.summed = c.summed,
		.sums = s->nr_sums,
		.lost_ns = c.lost_ns,
		.lost_stacks = c.lost_stacks,
		.stacks = offcpu_stacks__nr(s->stacks),
		.stack_bytes = offcpu_stacks__bytes(s->stacks),
		.note = s->note.text,
	};
	*counts = (struct sampler_counts){
		.filtered = s->table,
		.seen = c.seen,
		.dropped = c.dropped,
		.lost_known = true,
		.lost = c.lost,
		.untracked = c.untracked + s->skel->bss->target_untracked,
		.off_cpu = &s->totals,
	};
	return 0;
}

static void offcpu_source__dump(const struct sample_source *source, FILE *fp)
{
	const struct offcpu_source *s = (const struct offcpu_source *)source;
	const char *comma = "";

	fprintf(fp, "off-cpu time by tp_btf/sched_switch%s, states ", s->opts.waker ? " and sched_waking" : "");
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (!(s->opts.states & states[i].state))
			continue;
		fprintf(fp, "%s%s", comma, states[i].letter);
		comma = ",";
	}
	fprintf(fp, "; a sample for each sleep from %" PRIu64 " ns, sums for shorter ones; filter: %s\n", s->opts.long_ns,
		!s->table ? "none" : judges_early(s->table) ? "when the task goes to sleep" : "when it comes back");
}

static void offcpu_source__delete(struct sample_source *source)
{
	struct offcpu_source *s = to_offcpu(source);

	if (!s)
		return;
	offcpu_source__unload(s);
	offcpu_stacks__delete(s->stacks);
	free(s);
}

static const struct sample_source_ops offcpu_ops = {
	.load = offcpu_source__load,
	.start = offcpu_source__start,
	.stop = offcpu_source__stop,
	.fd = offcpu_source__fd,
	.drain = offcpu_source__drain,
	.counts = offcpu_source__counts,
	.dump = offcpu_source__dump,
	.delete = offcpu_source__delete,
};

int offcpu_source__new(const struct offcpu_opts *opts, const struct filter_table *table, struct sample_source **source,
		       struct errmsg *err)
{
	struct offcpu_source *s = calloc(1, sizeof(*s));

	if (s)
		s->stacks = offcpu_stacks__new();
	if (!s || !s->stacks) {
		free(s);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	s->base.ops = &offcpu_ops;
	s->target.fork_link_fd = -1;
	s->opts = *opts;
	s->table = table;
	*source = &s->base;
	return 0;
}
