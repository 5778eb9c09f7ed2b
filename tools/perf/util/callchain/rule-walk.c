// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/rule-walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/callchain/unwind-regs.h"
#include "util/lib/array.h"
#include "util/lib/number-table.h"
#include "util/unwind/cfi-file.h"
#include "util/unwind/walk.h"

enum state { UNKNOWN, USABLE, /* has rules */ UNUSABLE, /* cannot be opened */ OTHER /* for libdwfl */ };

struct dso_file {
	u8 state;
	struct cfi_file *cfi; /* of a usable one */
};

struct rule_walk {
	struct machine *machine;
	struct file_places places;
	struct unwind_rules *rules;
	struct number_table files; /* struct dso_file, by the dso's index */
	const struct unwind_memory *memory; /* NULL: samples have copies only */
	bool keeps_returns;
	bool guesses; /* code without rules has frame pointers */
	u64 *ips;
	u32 nr, alloc;
	/* of the current sample */
	struct thread *thread;
	const struct perf_sample *sample;
	struct unwind_regs regs;
	bool beyond; /* a word was asked for that may be in a file */
	enum unwind_end end;
	enum unwind_end guess; /* as in struct unwind_state */
};

struct rule_walk *rule_walk__new(struct machine *machine, const struct file_places *places)
{
	struct rule_walk *walk = calloc(1, sizeof(*walk));

	if (!walk)
		return NULL;
	walk->machine = machine;
	walk->places = *places;
	walk->files.size = sizeof(struct dso_file);
	walk->rules = unwind_rules__new(EM_X86_64);
	if (!walk->rules) {
		free(walk);
		return NULL;
	}
	return walk;
}

void rule_walk__delete(struct rule_walk *walk)
{
	if (!walk)
		return;
	for (u32 i = 0; i < walk->files.end; i++)
		cfi_file__delete(((struct dso_file *)number_table__find(&walk->files, i))->cfi);
	number_table__exit(&walk->files);
	unwind_rules__delete(walk->rules);
	free(walk->ips);
	free(walk);
}

void rule_walk__set_memory(struct rule_walk *walk, const struct unwind_memory *memory)
{
	walk->memory = memory;
}

void rule_walk__keep_returns(struct rule_walk *walk)
{
	walk->keeps_returns = true;
}

void rule_walk__assume_frame_pointers(struct rule_walk *walk)
{
	walk->guesses = true;
}

static u8 open_file(struct rule_walk *walk, const struct dso *dso, struct cfi_file **cfi)
{
	struct elf_file file;

	if (unwind_file__open(walk->machine, &walk->places, dso, &file))
		return UNUSABLE;
	return cfi_file__new(&file, walk->rules, cfi) ? OTHER : USABLE;
}

/* The file of a dso, opened at the first time. NULL: no memory. */
static const struct dso_file *file_of(struct rule_walk *walk, const struct dso *dso)
{
	struct dso_file *file = number_table__get(&walk->files, dso->index);

	if (file && file->state == UNKNOWN)
		file->state = open_file(walk, dso, &file->cfi);
	return file;
}

/* UNWIND_NO_CFI: no file says anything of this code. UNWIND_NO_TABLE: libdwfl may know more. */
static enum unwind_end find_rule(void *context, u64 pc, u32 *rule)
{
	struct rule_walk *walk = context;
	const struct map *map = machine__find_map(walk->machine, walk->thread, PERF_RECORD_MISC_USER, pc);
	const struct dso_file *file = map ? file_of(walk, map->of->dso) : NULL;

	if (!map)
		return UNWIND_NO_CFI;
	if (!file || file->state == OTHER)
		return UNWIND_NO_TABLE;
	if (file->state == UNUSABLE)
		return UNWIND_NO_FILE;
	*rule = cfi_file__rule(file->cfi, unwind_file__offset(map, pc));
	if (*rule == UNWIND_RULE_NONE)
		return cfi_file__has_more(file->cfi) ? UNWIND_NO_TABLE : UNWIND_NO_CFI;
	return *rule == UNWIND_RULE_HARD ? UNWIND_NO_TABLE : UNWIND_GOES_ON;
}

/* libdwfl reads constants from files. */
static bool may_be_in_file(struct rule_walk *walk, u64 address)
{
	const struct map *map = machine__find_map(walk->machine, walk->thread, PERF_RECORD_MISC_USER, address);
	const struct dso_file *file = map ? file_of(walk, map->of->dso) : NULL;

	return map && (!file || file->state != UNUSABLE);
}

static bool read_word(void *context, u64 address, u64 *value)
{
	struct rule_walk *walk = context;
	const struct perf_sample *sample = walk->sample;
	u64 offset = address - walk->regs.sp;

	if (offset < sample->user_stack_size && sample->user_stack_size - offset >= sizeof(*value)) {
		memcpy(value, (const u8 *)sample->user_stack + offset, sizeof(*value));
		return true;
	}
	if (walk->memory && walk->memory->read(walk->memory->data, address, value, sizeof(*value)))
		return true;
	walk->beyond |= may_be_in_file(walk, address);
	return false;
}

static bool read_register(void *context, u32 number, u64 *value)
{
	const struct unwind_regs *regs = &((struct rule_walk *)context)->regs;

	if (number >= regs->nr || !(regs->present >> number & 1))
		return false;
	*value = regs->value[number];
	return true;
}

static const struct unwind_walk_ops ops = { .find = find_rule, .read = read_word, .reg = read_register };

/* A frame's address as perf shows it. In signal frames it is exact. */
static u64 shown(const struct rule_walk *walk, const struct unwind_walk *by, const struct unwind_frame *frame, u32 rule)
{
	if (walk->keeps_returns)
		return frame->ip;
	return unwind_rules__array(by->rules)[rule].signal ? frame->ip : unwind_frame__pc(frame);
}

/*
 * Is a frame that has no rule the last one for libdwfl, too? Code without a file is; in other code it follows the frame pointer, unless that
 * is 0, as where programs start. But it shows none of these if it has no file of the process at all.
 */
static bool is_last(const struct unwind_frame *frame, enum unwind_end end)
{
	if (end == UNWIND_NO_MAPPING)
		return true;
	if (frame->sampled)
		return false;
	return end == UNWIND_NO_FILE || (end == UNWIND_NO_CFI && frame->bp_known && !frame->bp);
}

static enum unwind_end step(struct rule_walk *walk, const struct unwind_walk *by, struct unwind_frame *frame, u32 rule)
{
	struct unwind_rule lost = unwind_rules__array(by->rules)[rule];
	const struct unwind_frame before = *frame;
	enum unwind_end end;

	walk->beyond = false;
	end = unwind_walk__apply(by, frame, rule);
	if (end != UNWIND_MEMORY || walk->beyond)
		return end;
	/* Code that ends a function has popped the frame pointer before the rules say so: callers of such code may not need it. */
	*frame = before;
	lost.bp = UNWIND_BP_LOST;
	lost.bp_off = 0;
	return unwind_walk__apply(by, frame, unwind_rules__id(walk->rules, &lost));
}

#define MAX_FRAME (1 << 20) /* bytes: no compiler's frames are larger */

/*
 * Is code without rules to be followed by frame pointers? Where that is assumed, and in code that a JIT compiler made if memory is there as a whole:
 * other callers are not told from data. Then walk->guess is set.
 */
static bool may_guess(struct rule_walk *walk, const struct unwind_frame *frame, enum unwind_end end)
{
	const struct map *map;

	if (end != UNWIND_NO_CFI && end != UNWIND_NO_FILE)
		return false;
	map = machine__find_map(walk->machine, walk->thread, PERF_RECORD_MISC_USER, unwind_frame__pc(frame));
	if (!map)
		return false;
	if (!walk->guesses && (!walk->memory || frame->sampled || !map->of->dso->is_generated))
		return false;
	walk->guess = map->of->dso->is_generated ? UNWIND_GENERATED : end;
	return true;
}

/* Follow the frame pointer, as the programs of --call-graph bpf do. What it leads to is to look like a caller: code, further up the stack. */
static enum unwind_end step_by_pointer(struct rule_walk *walk, const struct unwind_walk *by, struct unwind_frame *frame)
{
	struct unwind_frame next = *frame;
	const enum unwind_end end = unwind_walk__apply(by, &next, UNWIND_RULE_FP);

	if (end)
		return end;
	if (frame->bp < frame->sp || next.sp - frame->sp > MAX_FRAME || !machine__has_code(walk->machine, walk->thread, unwind_frame__pc(&next)))
		return UNWIND_NO_MAPPING;
	*frame = next;
	return UNWIND_GOES_ON;
}

/* Is there no caller for libdwfl either? */
static bool is_end(const struct rule_walk *walk, enum unwind_end end)
{
	if (walk->guess) /* frame pointers led astray: libdwfl does not know more */
		return true;
	return end == UNWIND_COMPLETE || end == UNWIND_ZERO || (end == UNWIND_MEMORY && !walk->beyond);
}

static int reserve(struct rule_walk *walk, u32 nr)
{
	return array__grow(walk->ips, nr, walk->alloc);
}

/* Find the frame's rule, and add the frame. *guess: step by its frame pointer. Sets walk->end and walk->nr. Returns 0, -EAGAIN or -ENOMEM. */
static int add_frame(struct rule_walk *walk, const struct unwind_walk *by, const struct unwind_frame *frame, u32 *rule, bool *guess)
{
	*rule = UNWIND_RULE_NONE;
	walk->end = find_rule(walk, unwind_frame__pc(frame), rule);
	*guess = may_guess(walk, frame, walk->end);
	if (*guess)
		walk->end = UNWIND_GOES_ON;
	else if (walk->guesses && walk->end == UNWIND_NO_CFI)
		walk->end = UNWIND_NO_MAPPING;
	if (walk->end && !is_last(frame, walk->end))
		return -EAGAIN;
	if (reserve(walk, walk->nr))
		return -ENOMEM;
	if (walk->end != UNWIND_NO_MAPPING || frame->sampled)
		walk->ips[walk->nr++] = shown(walk, by, frame, *rule);
	return 0;
}

/* Sets walk->end and walk->nr. Returns 0, -EAGAIN or -ENOMEM. */
static int walk_frames(struct rule_walk *walk, struct unwind_frame frame, u32 max)
{
	const struct unwind_walk by = { .rules = walk->rules, .ops = &ops, .context = walk };

	for (;;) {
		bool guess;
		u32 rule;
		const int ret = add_frame(walk, &by, &frame, &rule, &guess);

		if (!ret && !walk->end && walk->nr >= max)
			walk->end = UNWIND_DEPTH;
		if (ret || walk->end)
			return ret;
		walk->end = guess ? step_by_pointer(walk, &by, &frame) : step(walk, &by, &frame, rule);
		if (walk->end)
			return is_end(walk, walk->end) ? 0 : -EAGAIN;
	}
}

ssize_t rule_walk__run(struct rule_walk *walk, struct thread *thread, const struct perf_sample *sample, u32 max, const u64 **ips)
{
	const struct unwind_regs *regs = &walk->regs;
	struct unwind_frame frame;
	int ret;

	walk->thread = thread;
	walk->sample = sample;
	walk->nr = 0;
	walk->end = walk->guess = UNWIND_GOES_ON;
	if (!max || !unwind_regs__of_sample(&walk->regs, sample, EM_X86_64))
		return -EAGAIN;
	frame = (struct unwind_frame){ .ip = regs->ip, .sp = regs->sp, .bp = regs->value[UNWIND_X86_BP], .exact = 1, .sampled = 1,
				       .bp_known = regs->present >> UNWIND_X86_BP & 1 };
	ret = walk_frames(walk, frame, max);
	*ips = walk->ips;
	return ret ?: (ssize_t)walk->nr;
}

u32 rule_walk__found(const struct rule_walk *walk, const u64 **ips)
{
	*ips = walk->ips;
	return walk->nr;
}

enum unwind_end rule_walk__end(const struct rule_walk *walk)
{
	const enum unwind_end end = walk->end;

	return walk->guess && (end == UNWIND_NO_MAPPING || end == UNWIND_MEMORY || end == UNWIND_LOOP) ? walk->guess : end;
}
