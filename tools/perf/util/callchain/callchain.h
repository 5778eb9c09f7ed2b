/* SPDX-License-Identifier: GPL-2.0 */
/* A sample's callchain as a list of located frames, callee first. */
#ifndef PERF_CALLCHAIN_CALLCHAIN_H
#define PERF_CALLCHAIN_CALLCHAIN_H

#include "util/callchain/chain-cache.h"
#include "util/perfdata/sample.h"
#include "util/symbol/resolve.h"

struct callchain { /* starts zeroed; reused from sample to sample */
	struct location *frame; /* until the next sample is resolved */
	u32 nr;
	/*
	 * Chains of one struct callchain with the same callers, not 0, are the same behind their first nr_leaf frames, which come from
	 * the address that was interrupted. Who keeps something for the callers finds it by this, or notes where it is: the same
	 * callers come with the same note, and the same chain, in samples of one kind, with the same note of its own. Who changes
	 * the frames sets all of these to 0.
	 */
	u32 callers, nr_leaf;
	struct chain_note *note, *callers_note; /* NULL: the chain is not kept; both or none, but with no_notes */
	bool no_notes; /* to be set before: chains have no note of their own, only callers have, and less is kept */
	struct chain_cache *cache;
	struct location *room; /* for chains that the cache does not hold; grows, bounded by the record's size and what is inlined */
	u32 alloc;
};

/* The frames behind the leaf's; a chain without frames may have no memory for any. */
static inline const struct location *callchain__caller_frames(const struct callchain *chain)
{
	return chain->nr_leaf ? chain->frame + chain->nr_leaf : chain->frame;
}

/*
 * Resolve the frames of sample->callchain: PERF_CONTEXT_* markers switch the cpumode and are not frames; inlined functions are
 * frames more, which max_stack does not count. kind: of chain_key. 0 or -ENOMEM.
 */
int callchain__resolve(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample,
		       u32 max_stack, u32 kind);
/* The same for a chain that is not to be kept. */
int callchain__resolve_once(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample,
			    u32 max_stack);
/*
 * Which word of a sample's callchain its first frame comes from, and in which mode that is. nr_callchain: there is none, or the chain
 * is not of the usual form.
 */
u64 callchain__leaf(const struct perf_sample *sample, u8 *cpumode);
/* The symbols of this chain will be asked for: let other threads begin to load them. */
void callchain__load_ahead(struct resolver *r, struct thread *thread, const struct perf_sample *sample);
/* What takes longest of making a key; it depends on the sample's words and cpumode alone, so that any thread may do it. */
u64 callchain__hash(const struct perf_sample *sample);
/*
 * The same in steps: make the key of a sample, whose hash this is, some samples later __prefetch_chain(), some later __prefetch_callers(), and
 * resolve by the key when it is the sample's turn. Then what is looked at has come from memory.
 */
void callchain__make_key(struct chain_key *key, const struct callchain *chain, struct resolver *r, struct thread *thread,
			 const struct perf_sample *sample, u64 hash, u32 max_stack, u32 kind);
void callchain__prefetch_chain(const struct callchain *chain, const struct resolver *r, const struct chain_key *key);
void callchain__prefetch_callers(const struct callchain *chain, const struct resolver *r, const struct chain_key *key);
int callchain__resolve_key(struct callchain *chain, struct resolver *r, struct thread *thread, const struct chain_key *key);
/* Take away the first nr frames, of at least as many. */
void callchain__drop(struct callchain *chain, u32 nr);
/* Take away the frames whose function is not known. 0 or -ENOMEM. */
int callchain__drop_unnamed(struct callchain *chain);
void callchain__exit(struct callchain *chain);

#endif
