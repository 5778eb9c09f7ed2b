// SPDX-License-Identifier: GPL-2.0
#include "util/source/unwind-finish.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include "util/lib/clock.h"

#define MAX_RECORD 65536

/* One stack */
struct stack {
	struct unwind_feeder *feeder;
	const struct unwind_unfinished *u;
	const struct unwind_map *maps;
	const char *sample;
	const char *copies[2]; /* of u->stacks */
	bool cut;	      /* a word was wanted that the copy is too short for */
	enum unwind_end guess; /* as in struct unwind_state */
};

/* false: the record is not what the program writes. */
static bool stack__init(struct stack *s, struct unwind_feeder *feeder, const struct unwind_unfinished *u)
{
	const char *data = (const char *)(u + 1);
	const size_t maps_size = u->nr_maps * sizeof(*s->maps);
	const u64 copied = (u64)u->stacks[0].size + u->stacks[1].size;

	if (u->size < sizeof(*u) || u->nr_maps > UNWIND_MAX_MAPS || sizeof(*u) + maps_size + u->sample_size + copied != u->size)
		return false;
	*s = (struct stack){ .feeder = feeder, .u = u, .maps = (const void *)data, .sample = data + maps_size };
	s->copies[0] = s->sample + u->sample_size;
	s->copies[1] = s->copies[0] + u->stacks[0].size;
	return u->sample_size % 8 == 0 && (u->chain + 1ULL + u->nr) * sizeof(u64) <= u->sample_size && u->nr && u->max <= UNWIND_MAX_FRAMES;
}

static const struct unwind_map *find_map(const struct stack *s, u64 ip)
{
	for (u32 i = 0; i < s->u->nr_maps; i++) {
		if (ip - s->maps[i].start < s->maps[i].size)
			return &s->maps[i];
	}
	return NULL;
}

static struct unwind_mapping mapping_of(const struct stack *s, const struct unwind_map *map)
{
	return (struct unwind_mapping){ .pid = s->u->pid, .uid = s->u->uid, .start = map->start, .end = map->start + map->size, .key = map->key };
}

static enum unwind_end find_rule(void *context, u64 ip, u32 *rule)
{
	struct stack *s = context;
	const struct unwind_map *map = find_map(s, ip);
	struct unwind_mapping mapping;
	enum unwind_end end;

	if (!map)
		return UNWIND_NO_MAPPING;
	if (map->key.inode == UNWIND_NO_INODE) {
		s->guess = UNWIND_GENERATED;
		*rule = UNWIND_RULE_FP;
		return UNWIND_GOES_ON;
	}
	mapping = mapping_of(s, map);
	end = unwind_feeder__rule(s->feeder, &mapping, ip - map->start + map->offset, rule);
	if (!end && *rule == UNWIND_RULE_FP)
		s->guess = UNWIND_NO_CFI;
	return end;
}

static struct dwarf_cfi *find_cfi(void *context, u64 ip, u64 *offset)
{
	struct stack *s = context;
	const struct unwind_map *map = find_map(s, ip);
	struct unwind_mapping mapping;

	if (!map || map->key.inode == UNWIND_NO_INODE)
		return NULL;
	*offset = ip - map->start + map->offset;
	mapping = mapping_of(s, map);
	return unwind_feeder__cfi(s->feeder, &mapping);
}

static bool read_copy(const struct unwind_copied *stack, const char *copy, u64 address, u64 *value)
{
	const u64 at = address - stack->at;

	if (at >= stack->size || stack->size - at < sizeof(*value))
		return false;
	memcpy(value, copy + at, sizeof(*value));
	return !(stack->missing >> (address / UNWIND_COPY - stack->at / UNWIND_COPY) & 1);
}

/* There is a stack with this word, but its copy ends before it. */
static bool is_cut(const struct unwind_copied *stack, u64 address)
{
	const u64 at = address - stack->at;

	return at >= stack->size && (at < stack->wanted || stack->wanted == UNWIND_MAX_UNFINISHED);
}

static bool read_memory(void *context, u64 address, u64 *value)
{
	struct stack *s = context;
	const struct unwind_copied *stacks = s->u->stacks;

	if (address & 7)
		return false;
	if (read_copy(&stacks[0], s->copies[0], address, value) || read_copy(&stacks[1], s->copies[1], address, value))
		return true;
	s->cut |= is_cut(&stacks[0], address) || is_cut(&stacks[1], address);
	return false;
}

/* Registers: struct pt_regs of x86 in the order of their DWARF numbers; struct user_pt_regs of arm64 */
#if defined(__aarch64__)
static u32 place_of(u32 number)
{
	return number;
}
#define NR_GENERAL 32
#define IP_PLACE 32
#define BP_NUMBER UNWIND_ARM64_BP
#define SP_NUMBER UNWIND_ARM64_SP
#define LR_NUMBER UNWIND_ARM64_LR
#else
static u32 place_of(u32 number)
{
	static const u8 place[] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 };

	return place[number];
}
#define NR_GENERAL 16
#define IP_PLACE 16
#define BP_NUMBER UNWIND_X86_BP
#define SP_NUMBER UNWIND_X86_SP
#define LR_NUMBER 0
#endif

static bool read_register(void *context, u32 number, u64 *value)
{
	const struct stack *s = context;

	if (number >= NR_GENERAL)
		return false;
	*value = s->u->regs[place_of(number)];
	return true;
}

static u64 reg(const struct stack *s, u32 number)
{
	return s->u->regs[place_of(number)];
}

static const struct unwind_walk_ops walk_ops = { .find = find_rule, .read = read_memory, .reg = read_register };

static enum unwind_end walk_by_tables(struct stack *s, u64 *ips, u32 *nr)
{
	const struct unwind_walk walk = { .rules = unwind_feeder__rules(s->feeder), .ops = &walk_ops, .context = s, .ra_mask = s->u->ra_mask };
	const struct unwind_frame frame = {
		.ip = s->u->regs[IP_PLACE], .sp = reg(s, SP_NUMBER), .bp = reg(s, BP_NUMBER), .lr = reg(s, LR_NUMBER),
		.exact = 1, .sampled = 1, .bp_known = 1, .lr_known = 1,
	};

	return unwind_walk__run(&walk, frame, ips, s->u->max, nr);
}

static enum unwind_end walk_by_dwarf(struct stack *s, u64 *ips, u32 *nr)
{
	const struct dwarf_walk walk = {
		.walk = { .rules = unwind_feeder__rules(s->feeder), .ops = &walk_ops, .context = s, .ra_mask = s->u->ra_mask }, .cfi = find_cfi,
	};
	struct dwarf_frame frame = { .ip = s->u->regs[IP_PLACE], .exact = true, .known = (1ULL << NR_GENERAL) - 1 };

	for (u32 i = 0; i < NR_GENERAL; i++)
		frame.reg[i] = reg(s, i);
	return dwarf_walk__run(&walk, frame, ips, s->u->max, nr);
}

static bool is_whole(u32 end)
{
	return end == UNWIND_COMPLETE || end == UNWIND_ZERO;
}

/* What is behind an end, as BPF tells it */
static enum unwind_end cause_of(const struct stack *s, enum unwind_end end)
{
	if (end == UNWIND_MEMORY && s->cut)
		return UNWIND_CUT;
	return s->guess && (end == UNWIND_NO_MAPPING || end == UNWIND_MEMORY || end == UNWIND_LOOP) ? s->guess : end;
}

/*
 * What libdw runs is in the files of any user, who may make it costly. So it gets a part of the time only, and samples are not lost that come
 * meanwhile.
 */
#define DWARF_GRACE_NS 1000000000ULL
#define DWARF_SHARE 4 /* a quarter */

static bool may_walk_by_dwarf(struct unwind_finisher *f)
{
	const u64 now = clock__ns(CLOCK_MONOTONIC);
	bool may;

	if (!f->began)
		f->began = now;
	may = f->dwarf_ns <= DWARF_GRACE_NS + (now - f->began) / DWARF_SHARE;
	f->counts.no_time += !may;
	return may;
}

static enum unwind_end walk_by_dwarf_timed(struct unwind_finisher *f, struct stack *s, u64 *ips, u32 *nr)
{
	const u64 began = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	const enum unwind_end end = walk_by_dwarf(s, ips, nr);

	f->dwarf_ns += clock__ns(CLOCK_THREAD_CPUTIME_ID) - began;
	return end;
}

/* ips: room for UNWIND_MAX_FRAMES. Returns how the walk ended. */
static enum unwind_end stack__walk(struct unwind_finisher *f, struct stack *s, u64 *ips, u32 *nr)
{
	enum unwind_end end = walk_by_tables(s, ips, nr);

	if (end == UNWIND_HARD && may_walk_by_dwarf(f)) {
		u64 more[UNWIND_MAX_FRAMES];
		u32 nr_more;
		enum unwind_end by_dwarf = walk_by_dwarf_timed(f, s, more, &nr_more);

		if (nr_more >= *nr) {
			memcpy(ips, more, nr_more * sizeof(*ips));
			*nr = nr_more;
			end = by_dwarf;
		}
	}
	return cause_of(s, end);
}

static u64 nr_entries(const struct stack *s)
{
	u64 nr;

	memcpy(&nr, s->sample + s->u->chain * sizeof(u64), sizeof(nr));
	return nr;
}

/* Where the sample has the frames of BPF: the last ones of the chain. */
static size_t frames_at(const struct stack *s)
{
	return (s->u->chain + 1 + nr_entries(s) - s->u->nr) * sizeof(u64);
}

/* The sample's record with these user frames in place of its own. Returns its size. */
static size_t stack__put(const struct stack *s, const u64 *ips, u32 nr, char *record)
{
	const struct unwind_unfinished *u = s->u;
	const u64 entries = nr_entries(s) - u->nr + nr;
	const size_t kept = frames_at(s), rest = u->sample_size - kept - u->nr * sizeof(u64);
	const size_t size = kept + nr * sizeof(u64) + rest;
	struct perf_event_header header;

	memcpy(record, s->sample, kept);
	memcpy(record + kept, ips, nr * sizeof(u64));
	memcpy(record + kept + nr * sizeof(u64), s->sample + kept + u->nr * sizeof(u64), rest);
	memcpy(record + u->chain * sizeof(u64), &entries, sizeof(entries));
	memcpy(&header, record, sizeof(header));
	header.size = size;
	memcpy(record, &header, sizeof(header));
	return size;
}

static bool is_sound(const struct stack *s)
{
	const u64 words = s->u->sample_size / sizeof(u64), entries = nr_entries(s);

	return entries >= s->u->nr && entries <= words && s->u->chain + 1 + entries <= words;
}

/* A process whose stack needs a table has just begun, mostly: the others that it needs are asked for at once. */
static int ask_for_others(const struct stack *s)
{
	int ret = 0;

	for (u32 i = 0; i < s->u->nr_maps && s->u->end == UNWIND_NO_TABLE && !ret; i++) {
		const struct unwind_mapping mapping = mapping_of(s, &s->maps[i]);

		if (mapping.key.inode != UNWIND_NO_INODE)
			ret = unwind_feeder__ask(s->feeder, &mapping);
	}
	return ret;
}

/* As unwind_place() of bpf_skel/unwind.bpf.h. A caller's address may be behind the end of its mapping. */
static u64 place_of_frame(const struct stack *s, u64 ip)
{
	const struct unwind_map *map = find_map(s, ip - 1) ?: find_map(s, ip);
	struct unwind_mapping mapping;

	if (!map || map->key.inode == UNWIND_NO_INODE)
		return ip;
	mapping = mapping_of(s, map);
	return unwind_feeder__place(s->feeder, &mapping, ip - map->start + map->offset);
}

static void use_places(const struct stack *s, u64 *ips, u32 nr)
{
	for (u32 i = 0; i < nr && unwind_feeder__names_files(s->feeder); i++)
		ips[i] = place_of_frame(s, ips[i]);
}

/* Returns the size of the sample's record, -EIO or -ENOMEM. A walk that gets no further leaves the frames of BPF. */
static ssize_t finish(struct unwind_finisher *f, const struct unwind_unfinished *u, char *record)
{
	const u64 began = clock__ns(CLOCK_THREAD_CPUTIME_ID);
	u64 ips[UNWIND_MAX_FRAMES];
	struct stack s;
	u32 end, nr;

	if (!stack__init(&s, f->feeder, u) || !is_sound(&s) || u->end >= UNWIND_NR_ENDS)
		return -EIO;
	end = stack__walk(f, &s, ips, &nr);
	use_places(&s, ips, nr);
	if (ask_for_others(&s))
		return -ENOMEM;
	f->counts.began[u->end]++;
	f->counts.bytes += u->size;
	if (nr < u->nr && !is_whole(end)) {
		end = u->end;
		nr = u->nr;
		memcpy(ips, s.sample + frames_at(&s), nr * sizeof(u64));
	}
	f->counts.ended[end]++;
	f->last = (struct unwind_ends){ u->end, end };
	f->counts.frames += nr > u->nr ? nr - u->nr : 0;
	f->counts.ns += clock__ns(CLOCK_THREAD_CPUTIME_ID) - began;
	return stack__put(&s, ips, nr, record);
}

/* Records that are passed on together */
struct batch {
	int (*cb)(void *data, const void *records, size_t size);
	void *data;
	size_t used;
	char bytes[4 * MAX_RECORD] __attribute__((aligned(8)));
};

static int batch__flush(struct batch *b)
{
	const size_t size = b->used;

	b->used = 0;
	return size ? b->cb(b->data, b->bytes, size) : 0;
}

/* Make room for that many bytes, at most those of a batch. */
static int batch__reserve(struct batch *b, size_t size)
{
	return sizeof(b->bytes) - b->used < size ? batch__flush(b) : 0;
}

static int batch__add(struct batch *b, const void *records, size_t size)
{
	int ret = batch__reserve(b, size);

	if (ret < 0)
		return ret;
	if (size > sizeof(b->bytes))
		return b->cb(b->data, records, size);
	memcpy(b->bytes + b->used, records, size);
	b->used += size;
	return 0;
}

static int batch__finish(struct batch *b, struct unwind_finisher *f, const struct unwind_unfinished *u)
{
	int ret = batch__reserve(b, MAX_RECORD);
	ssize_t size;

	if (ret < 0)
		return ret;
	size = finish(f, u, b->bytes + b->used);
	if (size < 0)
		return size;
	b->used += size;
	return 0;
}

/* From the first unfinished one on */
static int pass_in_batches(struct unwind_finisher *f, const char *at, const char *end, struct batch *b)
{
	const char *added = at;
	int ret = 0;

	while (at < end && ret >= 0) {
		const struct unwind_unfinished *u = (const void *)at;

		at += u->size;
		if (u->type != UNWIND_UNFINISHED)
			continue;
		ret = batch__add(b, added, (const char *)u - added);
		if (ret >= 0)
			ret = batch__finish(b, f, u);
		added = at;
	}
	if (ret >= 0)
		ret = batch__add(b, added, end - added);
	return ret < 0 ? ret : batch__flush(b);
}

int unwind_finisher__pass(struct unwind_finisher *f, const void *records, size_t size, int (*cb)(void *data, const void *records, size_t size),
			  void *data)
{
	const char *at = records, *end = at + size;
	struct batch batch;
	int ret;

	while (at < end && ((const struct unwind_unfinished *)at)->type != UNWIND_UNFINISHED)
		at += ((const struct unwind_unfinished *)at)->size;
	ret = at > (const char *)records ? cb(data, records, at - (const char *)records) : 0;
	if (ret >= 0 && at < end) {
		batch.cb = cb;
		batch.data = data;
		batch.used = 0;
		ret = pass_in_batches(f, at, end, &batch);
	}
	return ret < 0 ? ret : 0;
}

struct passing {
	struct unwind_finisher *finisher;
	int (*cb)(void *data, const void *records, size_t size);
	void *data;
};

static int pass_finished(void *data, const void *records, size_t size)
{
	struct passing *p = data;

	return unwind_finisher__pass(p->finisher, records, size, p->cb, p->data);
}

int unwind_finisher__drain(struct unwind_finisher *f, struct bpf_ring *ring, int (*cb)(void *data, const void *records, size_t size), void *data,
			   u64 *nr_bytes)
{
	struct passing p = { .finisher = f, .cb = cb, .data = data };

	return f->feeder ? bpf_ring__drain(ring, pass_finished, &p, nr_bytes) : bpf_ring__drain(ring, cb, data, nr_bytes);
}
