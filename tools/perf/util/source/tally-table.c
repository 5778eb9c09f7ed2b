// SPDX-License-Identifier: GPL-2.0
#include "util/source/tally-table.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/barrier.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/ring.h"
#include "util/lib/cpumap.h"
#include "util/lib/fs.h"
#include "util/bpf_skel/tally-digest.h"
#include "util/source/tally-keys.h"
#include "util/source/tally-values.h"
#include "util/source/unwind-finish.h"

#define MAX_KEYS (1 << 24)
#define MAX_RING_SIZE (1UL << 30)

struct tally_table {
	struct tally_maps maps;
	struct bpf_ring ring;
	struct tally_slot *slots; /* both sets */
	u32 nr_slots;
	struct tally_control *control;
	struct tally_keys *keys[2]; /* by set */
	struct bpf_barrier barrier;
	struct tally_config config;
	struct unwind_finisher *finisher; /* NULL: programs finish all stacks */
	int failed; /* -errno: a record from the ring could not be stored */
};

/* A table of this size is half full at max_keys: then one key in ten thousand finds no slot in TALLY_PROBES steps. */
static u32 slots_of_a_set(u32 max_keys)
{
	u32 nr = TALLY_PROBES;

	while (nr < 2 * max_keys)
		nr *= 2;
	return nr;
}

static size_t ring_size(const struct tally_opts *opts)
{
	bool stacks = opts->key & (TALLY_KEY_KSTACK | TALLY_KEY_USTACK);
	size_t frames = stacks ? 2 * opts->max_stack : 0;
	size_t record = BPF_RINGBUF_HDR_SZ + offsetof(struct tally_record, frame) + frames * sizeof(u64);

	return bpf_ring__size(opts->max_stacks * record);
}

static int check_opts(const struct tally_opts *opts, struct errmsg *err)
{
	if (!opts->max_keys || opts->max_keys > MAX_KEYS)
		return errmsg__set(err, EINVAL, "cannot count %u keys at once: take 1 to %d", opts->max_keys, MAX_KEYS);
	if (!opts->max_stack || opts->max_stack > TALLY_MAX_STACK)
		return errmsg__set(err, EINVAL, "cannot count stacks of %u frames: take 1 to %d", opts->max_stack, TALLY_MAX_STACK);
	if (!opts->max_stacks || ring_size(opts) > MAX_RING_SIZE)
		return errmsg__set(err, EINVAL, "cannot have a ring buffer for %u stacks: take 1 to %zu", opts->max_stacks,
				   opts->max_stacks ? opts->max_stacks * MAX_RING_SIZE / ring_size(opts) : MAX_RING_SIZE);
	return 0;
}

int tally_table__configure(const struct tally_opts *opts, struct tally_setup *setup, struct errmsg *err)
{
	int ret = check_opts(opts, err);

	if (ret)
		return ret;
	*setup = (struct tally_setup){
		.config = {
			.key = opts->key & ~TALLY_KEY_SYM,
			.last_slot = slots_of_a_set(opts->max_keys) - 1,
			.stack_size = opts->max_stack * sizeof(u64),
			.both = opts->both,
		},
		.nr_slots = 2 * slots_of_a_set(opts->max_keys),
		.ring_size = ring_size(opts),
		.values = opts->values,
	};
	if (opts->histogram)
		setup->config.histogram = *opts->histogram;
	tally_values__configure(opts->values, &setup->config);
	if (opts->key & TALLY_KEY_SYM)
		setup->config.key |= TALLY_KEY_IP;
	setup->config.wake_at = setup->ring_size / 4;
	if (getrandom(setup->config.seed, sizeof(setup->config.seed), 0) == sizeof(setup->config.seed))
		return 0;
	return errmsg__set(err, errno, "cannot get random numbers for counting samples: %s", strerror(errno));
}

int tally_setup__explain_memory(const struct tally_setup *setup, struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "not enough memory for counting samples, which takes %zu MiB with these options: "
			   "take fewer keys (--max-keys) or stacks (--max-stacks)",
			   (setup->nr_slots * sizeof(struct tally_slot) + setup->ring_size) >> 20);
}

/* Map size bytes; NULL with errno. */
static void *map_array(int map_fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int tally_table__map(struct tally_table *t, const struct tally_setup *setup, struct errmsg *err)
{
	t->nr_slots = setup->nr_slots;
	t->slots = map_array(t->maps.slots_fd, t->nr_slots * sizeof(*t->slots));
	t->control = map_array(t->maps.control_fd, sizeof(*t->control));
	if (!t->slots || !t->control)
		return errmsg__set(err, errno, "cannot map the table that samples are counted in: %s", strerror(errno));
	t->keys[0] = tally_keys__new(&setup->config.histogram, setup->values);
	t->keys[1] = tally_keys__new(&setup->config.histogram, setup->values);
	if (!t->keys[0] || !t->keys[1])
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	return bpf_barrier__init(&t->barrier, t->maps.scratch_fd, err) ?:
	       bpf_ring__map(&t->ring, t->maps.ring_fd, setup->ring_size, err);
}

void tally_maps__close(const struct tally_maps *maps)
{
	const int fds[] = { maps->slots_fd, maps->ring_fd, maps->control_fd, maps->scratch_fd };

	fs__close_many(fds, ARRAY_SIZE(fds));
}

void tally_setup__put(const struct tally_setup *setup, struct bpf_programs *programs)
{
	bpf_programs__set(programs, "tally_config", setup->config);
	bpf_programs__resize(programs, "tally_slots", setup->nr_slots);
	bpf_programs__resize(programs, "tally_ring", setup->ring_size);
}

void tally_maps__take(struct tally_maps *maps, struct bpf_programs *programs)
{
	maps->slots_fd = bpf_programs__take_map(programs, "tally_slots");
	maps->ring_fd = bpf_programs__take_map(programs, "tally_ring");
	maps->control_fd = bpf_programs__take_map(programs, "tally_control");
	maps->scratch_fd = bpf_programs__take_map(programs, "tally_scratch");
}

int tally_table__new(const struct tally_maps *maps, const struct tally_setup *setup, struct tally_table **table, struct errmsg *err)
{
	struct tally_table *t = calloc(1, sizeof(*t));
	int ret;

	if (!t) {
		tally_maps__close(maps);
		return errmsg__set(err, ENOMEM, "out of memory for counting samples");
	}
	t->maps = *maps;
	t->config = setup->config;
	t->barrier = (struct bpf_barrier)BPF_BARRIER_NONE;
	ret = tally_table__map(t, setup, err);
	if (ret)
		tally_table__delete(t);
	else
		*table = t;
	return ret;
}

int tally_table__fd(const struct tally_table *t)
{
	return t->maps.ring_fd;
}

void tally_table__finish_by(struct tally_table *t, struct unwind_finisher *finisher)
{
	t->finisher = finisher;
}

static int add_finished(struct tally_table *t, const struct tally_record *record)
{
	struct tally_record r = { 0 };

	if (record->size > sizeof(r) || record->nr < record->key.nr_kernel)
		return -EIO;
	memcpy(&r, record, record->size);
	r.key.nr_user = r.nr - r.key.nr_kernel;
	tally_record__digest(&r, &t->config);
	return tally_keys__add(t->keys[r.set & 1], &r);
}

static int add_records(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	struct tally_table *t = data;

	while (at < end) {
		const struct tally_record *record = (const void *)at;
		int ret = record->type == TALLY_FINISHED ? add_finished(t, record) : tally_keys__add(t->keys[record->set & 1], record);

		if (ret)
			return ret;
		at += record->size;
	}
	return 0;
}

static int take_records(void *data, const void *records, size_t size)
{
	struct tally_table *t = data;

	return t->finisher ? unwind_finisher__pass(t->finisher, records, size, add_records, t) : add_records(t, records, size);
}

struct bpf_ring *tally_table__ring(struct tally_table *t)
{
	return t ? &t->ring : NULL;
}

int tally_table__drain(struct tally_table *t)
{
	if (!t->failed)
		t->failed = bpf_ring__drain(&t->ring, take_records, t, NULL);
	return t->failed;
}

/* Read everything that programs have sent so far. */
static int drain_all(struct tally_table *t)
{
	if (!t->failed)
		t->failed = bpf_ring__drain_all(&t->ring, take_records, t);
	return t->failed;
}

/* Switch the sets. Afterwards no program counts in the returned set, and all of its keys are known; -errno. */
static int tally_table__swap(struct tally_table *t)
{
	u32 set = t->control->set;
	int ret;

	__atomic_store_n(&t->control->set, !set, __ATOMIC_SEQ_CST); /* must come after clearing the other set's slots */
	ret = bpf_barrier__wait(&t->barrier);
	if (!ret)
		ret = drain_all(t);
	return ret ? ret : (int)set;
}

int tally_table__collect(struct tally_table *t, int (*cb)(void *data, const struct tally_row *row), void *data,
			 struct errmsg *err)
{
	int set = tally_table__swap(t), ret;
	struct tally_keys *keys;

	if (set == -ENOMEM)
		return errmsg__set(err, ENOMEM, "out of memory for what was counted: take fewer keys, or collect more often");
	if (set < 0)
		return errmsg__set(err, -set, "cannot fetch what was counted: %s", strerror(-set));
	keys = t->keys[set];
	tally_keys__take_slots(keys, t->slots, t->nr_slots);
	ret = tally_keys__for_each(keys, cb, data);
	tally_keys__clear(keys);
	return ret;
}

int tally_table__counts(const struct tally_table *t, struct tally_totals *counts, struct errmsg *err)
{
	struct tally_scratch *percpu;
	int nr_cpus;

	percpu = percpu_map__read(t->maps.scratch_fd, 0, sizeof(*percpu), &nr_cpus, "how many samples were counted", err);
	if (!percpu)
		return -errno;
	*counts = (struct tally_totals){ 0 };
	for (int i = 0; i < nr_cpus; i++) {
		counts->counted += percpu[i].counts.counted;
		counts->spilled += percpu[i].counts.spilled;
		counts->unfinished += percpu[i].counts.unfinished;
		counts->lost_keys += percpu[i].counts.lost_keys;
		counts->lost_spill += percpu[i].counts.lost_spill;
		counts->lost_stacks += percpu[i].counts.lost_stacks;
	}
	free(percpu);
	return 0;
}

u64 tally_table__bytes(const struct tally_table *t)
{
	int nr_cpus = cpumap__possible_count();

	return t->nr_slots * sizeof(*t->slots) + t->ring.size + sizeof(*t->control) +
	       (nr_cpus > 0 ? nr_cpus * sizeof(struct tally_scratch) : 0);
}

void tally_table__delete(struct tally_table *t)
{
	if (!t)
		return;
	bpf_ring__unmap(&t->ring);
	if (t->slots)
		munmap(t->slots, t->nr_slots * sizeof(*t->slots));
	if (t->control)
		munmap(t->control, sizeof(*t->control));
	bpf_barrier__exit(&t->barrier);
	tally_maps__close(&t->maps);
	tally_keys__delete(t->keys[0]);
	tally_keys__delete(t->keys[1]);
	free(t);
}
