// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/counter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/lib/cpumap.h"
#include "util/sampler/bpf-filter.h"
#include "util/sampler/bpf-ring.h"
#include "util/sampler/count-program.h"
#include "util/sampler/counted-keys.h"

#define MAX_KEYS (1 << 24)
#define MAX_RING_SIZE (1UL << 30)

struct counter {
	struct count_program program;
	struct bpf_ring ring;
	struct count_slot *slots; /* both sets */
	u32 nr_slots;		  /* of both */
	struct count_control *control;
	struct counted_keys *keys[2]; /* by set */
	int barrier_fd;
	int failed; /* -errno: something that was in the ring could not be kept */
};

/*
 * A table that is half empty when it has max_keys: then one key in ten thousand finds no slot in COUNT_PROBES steps.
 */
static u32 slots_of_a_set(u32 max_keys)
{
	u32 nr = COUNT_PROBES;

	while (nr < 2 * max_keys)
		nr *= 2;
	return nr;
}

static size_t ring_size(const struct counter_opts *opts)
{
	bool stacks = opts->key & (COUNTER_KEY_KSTACK | COUNTER_KEY_USTACK);
	size_t frames = stacks ? 2 * opts->max_stack : 0;
	size_t record = BPF_RINGBUF_HDR_SZ + offsetof(struct count_record, frame) + frames * sizeof(u64);

	return bpf_ring__size(opts->max_stacks * record);
}

u64 counter__sample_type(const struct counter_opts *opts)
{
	u64 type = PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;

	if (opts->key & (COUNTER_KEY_PID | COUNTER_KEY_TID))
		type |= PERF_SAMPLE_TID;
	if (opts->key & (COUNTER_KEY_IP | COUNTER_KEY_SYM))
		type |= PERF_SAMPLE_IP;
	return type;
}

static int check_opts(const struct counter_opts *opts, struct errmsg *err)
{
	if (!opts->max_keys || opts->max_keys > MAX_KEYS)
		return errmsg__set(err, EINVAL, "cannot count %u keys at once: take 1 to %d", opts->max_keys, MAX_KEYS);
	if (!opts->max_stack || opts->max_stack > COUNTER_MAX_STACK)
		return errmsg__set(err, EINVAL, "cannot count stacks of %u frames: take 1 to %d", opts->max_stack, COUNTER_MAX_STACK);
	if (!opts->max_stacks || ring_size(opts) > MAX_RING_SIZE)
		return errmsg__set(err, EINVAL, "cannot have a ring buffer for %u stacks: take 1 to %zu", opts->max_stacks,
				   opts->max_stacks ? opts->max_stacks * MAX_RING_SIZE / ring_size(opts) : MAX_RING_SIZE);
	return 0;
}

static int make_setup(const struct counter_opts *opts, const struct filter_table *table, struct count_program_setup *setup)
{
	*setup = (struct count_program_setup){
		.config = {
			.key = opts->key & ~COUNTER_KEY_SYM,
			.last_slot = slots_of_a_set(opts->max_keys) - 1,
			.stack_size = opts->max_stack * sizeof(u64),
			.filtered = table != NULL,
			.both = opts->both,
		},
		.table = table,
		.ring_size = ring_size(opts),
	};
	if (opts->key & COUNTER_KEY_SYM)
		setup->config.key |= COUNTER_KEY_IP;
	setup->config.wake_at = setup->ring_size / 4;
	if (getrandom(setup->config.seed, sizeof(setup->config.seed), 0) != sizeof(setup->config.seed))
		return -errno;
	return 0;
}

/* Of size bytes; NULL with errno. */
static void *map_array(int map_fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/*
 * Changing a map of maps returns after all programs have ended that ran when it was changed, since they may still use the
 * map that was in there before (kernel/bpf/syscall.c, maybe_wait_bpf_programs; Linux 4.20). Nothing else in the interface of the kernel
 * waits for them. No program looks at this one.
 */
static int make_barrier(int inner_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = inner_fd);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "count_barrier", sizeof(u32), sizeof(u32), 1, &opts);

	return fd < 0 ? -errno : fd;
}

static int wait_for_programs(const struct counter *c)
{
	u32 zero = 0;

	return bpf_map_update_elem(c->barrier_fd, &zero, &c->program.filter.counts_fd, BPF_ANY) ? -errno : 0;
}

static int counter__map(struct counter *c, const struct count_program_setup *setup, struct errmsg *err)
{
	c->nr_slots = 2 * (setup->config.last_slot + 1);
	c->slots = map_array(c->program.slots_fd, c->nr_slots * sizeof(*c->slots));
	c->control = map_array(c->program.control_fd, sizeof(*c->control));
	if (!c->slots || !c->control)
		return errmsg__set(err, errno, "cannot map the table that samples are counted in: %s", strerror(errno));
	c->keys[0] = counted_keys__new();
	c->keys[1] = counted_keys__new();
	if (!c->keys[0] || !c->keys[1])
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	c->barrier_fd = make_barrier(c->program.filter.counts_fd);
	if (c->barrier_fd < 0)
		return errmsg__set(err, -c->barrier_fd, "cannot create a map of BPF maps, which tells when programs have ended: %s",
				   strerror(-c->barrier_fd));
	return bpf_ring__map(&c->ring, c->program.ring_fd, setup->ring_size, err);
}

static int load(const struct counter_opts *opts, const struct filter_table *table, bool old, struct counter **counter,
		struct errmsg *err)
{
	struct count_program_setup setup;
	struct counter *c;
	int ret;

	ret = check_opts(opts, err);
	if (ret)
		return ret;
	ret = make_setup(opts, table, &setup);
	if (ret)
		return errmsg__set(err, -ret, "cannot get random numbers for counting samples: %s", strerror(-ret));
	setup.old = old;
	c = calloc(1, sizeof(*c));
	if (!c)
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	c->program = COUNT_PROGRAM_NONE;
	c->barrier_fd = -1;
	ret = count_program__load(&c->program, &setup, err);
	if (!ret)
		ret = counter__map(c, &setup, err);
	if (ret) {
		counter__delete(c);
		return ret;
	}
	*counter = c;
	return 0;
}

int counter__load(const struct counter_opts *opts, const struct filter_table *table, struct counter **counter, struct errmsg *err)
{
	return load(opts, table, false, counter, err);
}

int counter__load_old(const struct counter_opts *opts, const struct filter_table *table, struct counter **counter,
		      struct errmsg *err)
{
	return load(opts, table, true, counter, err);
}

int counter__attach(struct counter *c, int perf_fd, struct errmsg *err)
{
	return bpf_filter__attach(&c->program.filter, perf_fd, err);
}

int counter__fd(const struct counter *c)
{
	return c->program.ring_fd;
}

static int add_records(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	struct counter *c = data;

	while (at < end) {
		const struct count_record *record = (const void *)at;
		int ret = counted_keys__add(c->keys[record->set & 1], record);

		if (ret)
			return ret;
		at += record->size;
	}
	return 0;
}

int counter__drain(struct counter *c)
{
	if (!c->failed)
		c->failed = bpf_ring__drain(&c->ring, add_records, c, NULL);
	return c->failed;
}

/*
 * Everything that programs have sent until now. One that has begun to send since may stop the reading before it until it is
 * done, which takes it less than a microsecond if its CPU is not taken away from it by a hypervisor.
 */
static int drain_all(struct counter *c)
{
	unsigned long end = __atomic_load_n(c->ring.producer, __ATOMIC_ACQUIRE);

	while (!counter__drain(c) && (long)(*c->ring.consumer - end) < 0)
		sched_yield();
	return c->failed;
}

/* After this no program counts in the set that is returned, and all of its keys are known; -errno. */
static int counter__swap(struct counter *c)
{
	u32 set = c->control->set;
	int ret;

	__atomic_store_n(&c->control->set, !set, __ATOMIC_SEQ_CST); /* behind the clearing of the other set's slots */
	ret = wait_for_programs(c);
	if (!ret)
		ret = drain_all(c);
	return ret ? ret : (int)set;
}

int counter__collect(struct counter *c, int (*cb)(void *data, const struct counter_row *row), void *data, struct errmsg *err)
{
	int set = counter__swap(c), ret;
	struct counted_keys *keys;

	if (set == -ENOMEM)
		return errmsg__set(err, ENOMEM, "out of memory for what was counted: take fewer keys, or collect more often");
	if (set < 0)
		return errmsg__set(err, -set, "cannot fetch what was counted: %s", strerror(-set));
	keys = c->keys[set];
	counted_keys__take_slots(keys, c->slots, c->nr_slots);
	ret = counted_keys__for_each(keys, cb, data);
	counted_keys__clear(keys);
	return ret;
}

static u64 map_bytes(const struct counter *c)
{
	u64 nr_cpus = cpumap__possible_count(); /* has been asked with success before */

	return c->nr_slots * sizeof(*c->slots) + c->ring.size + sizeof(*c->control) +
	       nr_cpus * (sizeof(struct count_scratch) + sizeof(struct filter_counts));
}

int counter__counts(struct counter *c, struct counter_counts *counts, struct errmsg *err)
{
	struct filter_counts judged;
	struct count_counts counted;
	int ret;

	ret = bpf_filter__counts(&c->program.filter, 0, &judged, err);
	if (!ret)
		ret = count_program__counts(&c->program, &counted, err);
	if (ret)
		return ret;
	*counts = (struct counter_counts){
		.seen = judged.seen,
		.dropped = judged.dropped,
		.undecided = judged.undecided,
		.counted = counted.counted + counted.spilled,
		.lost_stacks = counted.lost_stacks,
		.spilled = counted.spilled,
		.lost_keys = counted.lost_keys,
		.lost_spill = counted.lost_spill,
		.map_bytes = map_bytes(c),
	};
	return 0;
}

void counter__delete(struct counter *c)
{
	if (!c)
		return;
	bpf_ring__unmap(&c->ring);
	if (c->slots)
		munmap(c->slots, c->nr_slots * sizeof(*c->slots));
	if (c->control)
		munmap(c->control, sizeof(*c->control));
	if (c->barrier_fd >= 0)
		close(c->barrier_fd);
	counted_keys__delete(c->keys[0]);
	counted_keys__delete(c->keys[1]);
	count_program__close(&c->program);
	free(c);
}
