// SPDX-License-Identifier: GPL-2.0
#include "util/record/user-stacks.h"

#include <elf.h>
#include <sys/auxv.h>
#include "util/callchain/unwind-regs.h"
#include "util/perfdata/sample.h"

#define LOOK_AT_EACH 8
#define ENOUGH_STACKS 25

static bool has_copies(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER && attr->sample_stack_user && !attr->exclude_user;
}

static bool has_user_callchains(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_CALLCHAIN && !(attr->sample_type & PERF_SAMPLE_STACK_USER) &&
	       !attr->exclude_callchain_user && !attr->exclude_user && !attr->sample_max_stack;
}

static bool is_alike(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format && a->sample_regs_user == b->sample_regs_user &&
	       a->sample_stack_user == b->sample_stack_user;
}

void user_stacks__init(struct user_stacks *u, const struct evlist *evlist)
{
	*u = (struct user_stacks){};
	for (u32 i = 0; i < evlist->nr; i++) {
		const struct perf_event_attr *attr = &evlist->evsel[i]->attr;

		if (evlist->evsel[i]->side_band)
			continue;
		if ((!has_user_callchains(attr) && !has_copies(attr)) || (u->attr && !is_alike(attr, u->attr))) {
			u->attr = NULL;
			return;
		}
		u->attr = attr;
	}
}

/* Number of user frames; 0: the sample has no such stack. */
static u64 nr_user_frames(const struct perf_sample *sample)
{
	u64 nr = 0;
	bool user = false;

	for (u64 i = 0; i < sample->nr_callchain; i++) {
		if (sample->callchain[i] < PERF_CONTEXT_MAX)
			nr += user;
		else
			user = sample->callchain[i] == PERF_CONTEXT_USER;
	}
	return nr;
}

/*
 * Is the end of the stack in its copy? Above it is other memory that can be read, so that a copy may be full although no frame is missing. Above
 * main's frames are the vectors of arguments, of the environment and the auxiliary one, of which two entries follow each other on all machines;
 * above those of another thread its control block, which with glibc on x86-64 begins with its address, and has it again two words later.
 */
static bool has_end(const struct perf_sample *sample)
{
	const u64 *word = sample->user_stack, page_size = getauxval(AT_PAGESZ);
	struct unwind_regs regs;
	bool has_sp = unwind_regs__of_sample(&regs, sample, EM_X86_64); /* of another machine some number that is no such address */

	for (u64 i = 0; i + 2 < sample->user_stack_size / sizeof(*word); i++) {
		if (word[i] == AT_PAGESZ && word[i + 1] == page_size && word[i + 2] == AT_CLKTCK)
			return true;
		if (has_sp && word[i] == regs.sp + i * sizeof(*word) && word[i + 2] == word[i])
			return true;
	}
	return false;
}

void user_stacks__look(struct user_stacks *u, const union perf_record *record)
{
	struct perf_sample sample;
	u64 nr;

	if (!u->attr || u->nr_samples++ % LOOK_AT_EACH || perf_sample__decode(&sample, u->attr, record))
		return;
	if (user_stacks__copied_bytes(u)) {
		u->nr_stacks += sample.user_stack_size > 0;
		u->nr_cut += sample.user_stack_size >= u->attr->sample_stack_user && !has_end(&sample);
		return;
	}
	nr = nr_user_frames(&sample);
	u->nr_stacks += nr > 0;
	u->nr_cut += nr == 1;
}

void user_stacks__add(struct user_stacks *u, const struct user_stacks *other)
{
	u->nr_samples += other->nr_samples;
	u->nr_stacks += other->nr_stacks;
	u->nr_cut += other->nr_cut;
}

unsigned int user_stacks__percent_cut(const struct user_stacks *u)
{
	return u->nr_stacks >= ENOUGH_STACKS ? 100 * u->nr_cut / u->nr_stacks : 0;
}

u32 user_stacks__copied_bytes(const struct user_stacks *u)
{
	return u->attr && has_copies(u->attr) ? u->attr->sample_stack_user : 0;
}
