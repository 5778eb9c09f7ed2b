/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of the parts of samples by their words: the place of a sample, and its callers. Samples with the same numbers differ in
 * their thread, CPU, time and period only. Which code they are depends on the maps of the process, too, see ids.h.
 *
 * Callers whose words have the same hash are taken for equal, see wide-hash.h: that needs a sixth of the memory, and no comparing of words. Of its
 * bits 106 are kept.
 *
 * The thread that reads a file finds the numbers, so that the one that delivers has little work for samples that repeat. Bounded: when the tables are
 * full, numbering has to begin anew.
 */
#ifndef PERF_STACKS_NUMBERS_H
#define PERF_STACKS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"
#include "util/lib/pair-table.h"

#define STACK_MAX_EVENTS (1 << 22)

struct stack_words { /* of a sample */
	const u64 *word; /* nr words: of the callchain, then nr_raw ones of raw data; NULL: the sample gets no number */
	u64 ip;
	u64 leaf_word;	/* the word at leaf; 0: there is none. It is ip, or 0, unless the chain is apart */
	u32 event;	/* index, below STACK_MAX_EVENTS */
	u16 nr, nr_raw, leaf; /* fit into 16 bits: records are small. leaf is 0 or 1; nr: there is none */
	u8 cpumode;
	bool no_chain;	/* it has no callchain, or nobody reads it */
	bool apart;	/* the callchain does not start at the sampled address, as on some hardware: the place then includes the chain's start */
	struct pair callers, place; /* these and the next are private to numbers.c: what stands for the parts */
	u32 callers_hash, place_hash;
};

struct stack_parts { /* of a sample, by numbers from 1 on, which are unique per event */
	u64 ip;
	u32 place;   /* mode and address; 0: the sample has no numbers: callers is 0, too, and the other members are not set */
	u32 callers; /* callchain without its first frame, and raw data; one number, too, for samples without both */
	u32 event : 22;
	u32 no_chain : 1, apart : 1; /* see above */
	u32 kernel_callers : 1; /* the callchain has no frames but the kernel's, except perhaps the first one; or there is none */
	u32 cpumode : 7;
};

struct stack_numbers;

struct stack_numbers *stack_numbers__new(u32 nr_events); /* NULL: no memory */
void stack_numbers__delete(struct stack_numbers *numbers);

/* Set the parts of samples in a block: begin them all, __fetch() them all, then __find() each, so that they wait for memory together. */
void stack_numbers__begin(const struct stack_numbers *numbers, struct stack_words *words);
void stack_numbers__fetch(const struct stack_numbers *numbers, const struct stack_words *words);
void stack_numbers__find(struct stack_numbers *numbers, const struct stack_words *words, struct stack_parts *parts);

bool stack_numbers__are_full(const struct stack_numbers *numbers);
/* Earlier numbers become invalid. */
void stack_numbers__empty(struct stack_numbers *numbers);

#endif
