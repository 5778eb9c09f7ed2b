/* SPDX-License-Identifier: GPL-2.0 */
/* A sample's callchain as a list of located frames, callee first. */
#ifndef PERF_CALLCHAIN_CALLCHAIN_H
#define PERF_CALLCHAIN_CALLCHAIN_H

#include "util/stacks/callers.h"
#include "util/perfdata/sample.h"
#include "util/symbol/resolve.h"

struct numbered_words { /* of the chain that was numbered last: the next one of the process mostly has the same outer callers */
	struct numbered_word {
		u64 word;
		u32 left; /* frames of this word and the outer ones */
		u8 mode; /* before this word: a cpumode, and FRAME_CALLER if it was looked up as a return address */
	} *word; /* the outermost first */
	u32 nr, alloc; /* nr 0: there is none, or it was cut */
	u32 *number; /* nr_frames, the innermost first */
	u32 nr_frames, alloc_numbers;
	u64 maps_version;
	u32 numbering; /* resolver__numbering() */
};

struct callchain { /* starts zeroed; reused from sample to sample */
	struct location *frame; /* valid until the next sample is resolved */
	u32 nr;
	const u32 *number; /* of the frames, see resolver__frames(); NULL: not known. Valid as long as frame. */
	/*
	 * Chains of one struct callchain with the same callers, not 0, are equal after their first nr_leaf frames, which belong to
	 * the interrupted address. To keep something for the callers, index it by this number. Code that changes the frames must set
	 * both to 0.
	 */
	u32 callers, nr_leaf;
	struct callers_cache *cache;
	/* For chains that the cache does not hold; they grow, bounded by the record's size and the inlined functions. */
	struct location *room;
	u32 *numbers;
	u32 alloc, alloc_numbers;
	struct numbered_words last[8]; /* by the version of the maps: processes on several CPUs take turns */
};

/* The frames after the leaf's; a chain without frames may have no memory for any. */
static inline const struct location *callchain__caller_frames(const struct callchain *chain)
{
	return chain->nr_leaf ? chain->frame + chain->nr_leaf : chain->frame;
}

/*
 * Resolve the frames of sample->callchain: PERF_CONTEXT_* markers switch the cpumode and are no frames; inlined functions are extra
 * frames, which do not count for max_stack. 0 or -ENOMEM.
 */
int callchain__resolve(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample,
		       u32 max_stack);
/*
 * Resolve them to numbers only, and cache no callers: frame is NULL until callchain__locate() fills it, unless there are no more numbers.
 * Both return 0 or -ENOMEM.
 */
int callchain__number(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample, u32 max_stack);
/* The same for the frames of the place alone: the address that callchain__leaf() finds, and functions inlined there. */
int callchain__number_place(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample);
int callchain__locate(struct callchain *chain, const struct resolver *r);
/*
 * The index of the word in a sample's callchain with its first frame, and its mode. nr_callchain: there is none, or the chain has an
 * unusual form.
 */
u64 callchain__leaf(const struct perf_sample *sample, u8 *cpumode);
/* The symbols of this chain will be needed: let other threads start to load them. */
void callchain__load_ahead(struct resolver *r, struct thread *thread, const struct perf_sample *sample);
/* Remove the first nr frames; there are at least that many. */
void callchain__drop(struct callchain *chain, u32 nr);
/* Remove the frames of unknown functions. 0 or -ENOMEM. */
int callchain__drop_unnamed(struct callchain *chain);
void callchain__exit(struct callchain *chain);

#endif
