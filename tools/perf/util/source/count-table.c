// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/barrier.h"
#include "util/source/count-table.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/percpu-map.h"
#include "util/bpf/ring.h"
#include "util/lib/cpumap.h"
#include "util/lib/fs.h"
#include "util/source/counted-keys.h"

#define MAX_KEYS (1 << 24)
#define MAX_RING_SIZE (1UL << 30)

struct count_table {
	struct count_maps maps;
	struct bpf_ring ring;
	struct count_slot *slots; /* both sets */
	u32 nr_slots;
	struct count_control *control;
	struct counted_keys *keys[2]; /* by set */
	struct bpf_barrier barrier;
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

int count_table__configure(const struct counter_opts *opts, struct count_setup *setup, struct errmsg *err)
{
	int ret = check_opts(opts, err);

	if (ret)
		return ret;
	*setup = (struct count_setup){
		.config = {
			.key = opts->key & ~COUNTER_KEY_SYM,
			.last_slot = slots_of_a_set(opts->max_keys) - 1,
			.stack_size = opts->max_stack * sizeof(u64),
			.both = opts->both,
		},
		.nr_slots = 2 * slots_of_a_set(opts->max_keys),
		.ring_size = ring_size(opts),
	};
	if (opts->hist)
		setup->config.hist = *opts->hist;
	if (opts->key & COUNTER_KEY_SYM)
		setup->config.key |= COUNTER_KEY_IP;
	setup->config.wake_at = setup->ring_size / 4;
	if (getrandom(setup->config.seed, sizeof(setup->config.seed), 0) == sizeof(setup->config.seed))
		return 0;
	return errmsg__set(err, errno, "cannot get random numbers for counting samples: %s", strerror(errno));
}

int count_setup__explain_memory(const struct count_setup *setup, struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "not enough memory for counting samples, which takes %zu MiB with these options: "
			   "take fewer keys (--max-keys) or stacks (--max-stacks)",
			   (setup->nr_slots * sizeof(struct count_slot) + setup->ring_size) >> 20);
}

/* Of size bytes; NULL with errno. */
static void *map_array(int map_fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int count_table__map(struct count_table *t, const struct count_setup *setup, struct errmsg *err)
{
	t->nr_slots = setup->nr_slots;
	t->slots = map_array(t->maps.slots_fd, t->nr_slots * sizeof(*t->slots));
	t->control = map_array(t->maps.control_fd, sizeof(*t->control));
	if (!t->slots || !t->control)
		return errmsg__set(err, errno, "cannot map the table that samples are counted in: %s", strerror(errno));
	t->keys[0] = counted_keys__new(&setup->config.hist);
	t->keys[1] = counted_keys__new(&setup->config.hist);
	if (!t->keys[0] || !t->keys[1])
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	return bpf_barrier__init(&t->barrier, t->maps.scratch_fd, err) ?:
	       bpf_ring__map(&t->ring, t->maps.ring_fd, setup->ring_size, err);
}

void count_maps__close(const struct count_maps *maps)
{
	const int fds[] = { maps->slots_fd, maps->ring_fd, maps->control_fd, maps->scratch_fd };

	fs__close_many(fds, ARRAY_SIZE(fds));
}

void count_setup__put(const struct count_setup *setup, struct bpf_programs *programs)
{
	bpf_programs__set(programs, "count_config", setup->config);
	bpf_programs__resize(programs, "count_slots", setup->nr_slots);
	bpf_programs__resize(programs, "count_ring", setup->ring_size);
}

void count_maps__take(struct count_maps *maps, struct bpf_programs *programs)
{
	maps->slots_fd = bpf_programs__take_map(programs, "count_slots");
	maps->ring_fd = bpf_programs__take_map(programs, "count_ring");
	maps->control_fd = bpf_programs__take_map(programs, "count_control");
	maps->scratch_fd = bpf_programs__take_map(programs, "count_scratch");
}

int count_table__new(const struct count_maps *maps, const struct count_setup *setup, struct count_table **table, struct errmsg *err)
{
	struct count_table *t = calloc(1, sizeof(*t));
	int ret;

	if (!t) {
		count_maps__close(maps);
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	}
	t->maps = *maps;
	t->barrier = (struct bpf_barrier)BPF_BARRIER_NONE;
	ret = count_table__map(t, setup, err);
	if (ret)
		count_table__delete(t);
	else
		*table = t;
	return ret;
}

int count_table__fd(const struct count_table *t)
{
	return t->maps.ring_fd;
}

static int add_records(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	struct count_table *t = data;

	while (at < end) {
		const struct count_record *record = (const void *)at;
		int ret = counted_keys__add(t->keys[record->set & 1], record);

		if (ret)
			return ret;
		at += record->size;
	}
	return 0;
}

int count_table__drain(struct count_table *t)
{
	if (!t->failed)
		t->failed = bpf_ring__drain(&t->ring, add_records, t, NULL);
	return t->failed;
}

/* Everything that programs have sent until now. */
static int drain_all(struct count_table *t)
{
	if (!t->failed)
		t->failed = bpf_ring__drain_all(&t->ring, add_records, t);
	return t->failed;
}

/* After this no program counts in the set that is returned, and all of its keys are known; -errno. */
static int count_table__swap(struct count_table *t)
{
	u32 set = t->control->set;
	int ret;

	__atomic_store_n(&t->control->set, !set, __ATOMIC_SEQ_CST); /* behind the clearing of the other set's slots */
	ret = bpf_barrier__wait(&t->barrier);
	if (!ret)
		ret = drain_all(t);
	return ret ? ret : (int)set;
}

int count_table__collect(struct count_table *t, int (*cb)(void *data, const struct counter_row *row), void *data,
			 struct errmsg *err)
{
	int set = count_table__swap(t), ret;
	struct counted_keys *keys;

	if (set == -ENOMEM)
		return errmsg__set(err, ENOMEM, "out of memory for what was counted: take fewer keys, or collect more often");
	if (set < 0)
		return errmsg__set(err, -set, "cannot fetch what was counted: %s", strerror(-set));
	keys = t->keys[set];
	counted_keys__take_slots(keys, t->slots, t->nr_slots);
	ret = counted_keys__for_each(keys, cb, data);
	counted_keys__clear(keys);
	return ret;
}

int count_table__counts(const struct count_table *t, struct count_counts *counts, struct errmsg *err)
{
	struct count_scratch *percpu;
	int nr_cpus;

	percpu = percpu_map__read(t->maps.scratch_fd, 0, sizeof(*percpu), &nr_cpus, "how many samples were counted", err);
	if (!percpu)
		return -errno;
	*counts = (struct count_counts){ 0 };
	for (int i = 0; i < nr_cpus; i++) {
		counts->counted += percpu[i].counts.counted;
		counts->spilled += percpu[i].counts.spilled;
		counts->lost_keys += percpu[i].counts.lost_keys;
		counts->lost_spill += percpu[i].counts.lost_spill;
		counts->lost_stacks += percpu[i].counts.lost_stacks;
	}
	free(percpu);
	return 0;
}

u64 count_table__bytes(const struct count_table *t)
{
	int nr_cpus = cpumap__possible_count();

	return t->nr_slots * sizeof(*t->slots) + t->ring.size + sizeof(*t->control) +
	       (nr_cpus > 0 ? nr_cpus * sizeof(struct count_scratch) : 0);
}

void count_table__delete(struct count_table *t)
{
	if (!t)
		return;
	bpf_ring__unmap(&t->ring);
	if (t->slots)
		munmap(t->slots, t->nr_slots * sizeof(*t->slots));
	if (t->control)
		munmap(t->control, sizeof(*t->control));
	bpf_barrier__exit(&t->barrier);
	count_maps__close(&t->maps);
	counted_keys__delete(t->keys[0]);
	counted_keys__delete(t->keys[1]);
	free(t);
}
