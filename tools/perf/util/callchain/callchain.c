// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/callchain.h"

#include <errno.h>
#include <stdlib.h>

#include "util/callchain/chain-cache.h"

/* Markers stand among the addresses, from here on upwards (include/uapi/linux/perf_event.h, enum perf_callchain_context). */
#define IS_MARKER(ip) ((ip) >= (u64)PERF_CONTEXT_MAX)

/* The mode that a marker switches to, or -1 for one that nobody knows. */
static int marker_cpumode(u64 marker)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED_:
		return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	}
	return -1;
}

static struct location *callchain__add(struct callchain *chain)
{
	if (chain->nr == chain->alloc) {
		u32 alloc = chain->alloc ? 2 * chain->alloc : 64;
		struct location *room = reallocarray(chain->room, alloc, sizeof(*room));

		if (!room)
			return NULL;
		chain->room = room;
		chain->alloc = alloc;
	}
	return &chain->room[chain->nr++];
}

/* Replace the last frame by what was inlined into it and by itself, each with its code line. */
static int callchain__expand(struct callchain *chain, const struct srcline *line)
{
	struct location base = chain->room[--chain->nr];

	for (u32 i = 0; i < line->nr; i++) {
		struct location *frame = callchain__add(chain);

		if (!frame)
			return -ENOMEM;
		*frame = base;
		frame->code = &line->frame[i];
		if (line->frame[i].sym)
			frame->sym = line->frame[i].sym;
	}
	return 0;
}

static int callchain__add_ip(struct callchain *chain, struct resolver *r, struct thread *thread, u8 cpumode, u64 ip)
{
	struct location *frame = callchain__add(chain);
	const struct srcline *line;

	if (!frame)
		return -ENOMEM;
	line = resolver__resolve_frame(r, thread, cpumode, ip, frame);
	return line ? callchain__expand(chain, line) : 0;
}

static int callchain__resolve_all(struct callchain *chain, struct resolver *r, struct thread *thread,
				  const struct perf_sample *sample, u32 max_stack)
{
	int cpumode = sample->cpumode;
	u32 nr = 0;

	for (u64 i = 0; i < sample->nr_callchain && nr < max_stack; i++) {
		u64 ip = sample->callchain[i];

		if (IS_MARKER(ip)) {
			cpumode = marker_cpumode(ip);
			if (cpumode < 0) { /* a damaged chain tells nothing that can be trusted */
				chain->nr = chain->nr_leaf = 0;
				break;
			}
			if (ip == PERF_CONTEXT_USER_DEFERRED_)
				i++; /* a cookie follows, no address */
			continue;
		}
		if (callchain__add_ip(chain, r, thread, cpumode, ip))
			return -ENOMEM;
		if (!nr++)
			chain->nr_leaf = chain->nr;
	}
	return 0;
}

/* The word that the first frame comes from, and its mode. nr_callchain: there is none, or the chain is not of the usual form. */
static u64 find_leaf(const struct perf_sample *sample, u32 max_stack, u8 *cpumode)
{
	int mode = sample->cpumode;
	u64 at = 0;

	if (sample->nr_callchain && IS_MARKER(sample->callchain[0])) {
		mode = marker_cpumode(sample->callchain[0]);
		at = 1;
	}
	if (!max_stack || at >= sample->nr_callchain || mode < 0 || IS_MARKER(sample->callchain[at]) ||
	    sample->callchain[0] == PERF_CONTEXT_USER_DEFERRED_)
		return sample->nr_callchain;
	*cpumode = mode;
	return at;
}

/* room has the frames of the leaf; put it before the callers that the cache holds. */
static int callchain__take_cached(struct callchain *chain, const struct cached_chain *cached)
{
	chain->callers = cached->number;
	chain->nr_leaf = chain->nr;
	if (chain->nr_leaf == 1) { /* there is a place for it, and most chains need no copy */
		chain->frame = cached->callers - 1;
		chain->frame[0] = chain->room[0];
		chain->nr = 1 + cached->nr;
		return 0;
	}
	for (u32 i = 0; i < cached->nr; i++) {
		struct location *frame = callchain__add(chain);

		if (!frame)
			return -ENOMEM;
		*frame = cached->callers[i];
	}
	chain->frame = chain->room;
	return 0;
}

/* Without memory for the cache we only are slower. */
static void callchain__add_to_cache(struct callchain *chain, const struct chain_key *key)
{
	const struct cached_chain *cached = NULL;

	if (!chain->cache)
		chain->cache = chain_cache__new();
	/* A chain that was given up as damaged has no frame for its leaf. */
	if (chain->cache && (chain->nr_leaf || key->leaf == key->nr))
		cached = chain_cache__add(chain->cache, key, chain->room + chain->nr_leaf, chain->nr - chain->nr_leaf);
	chain->callers = cached ? cached->number : 0;
}

static struct chain_key chain_key(struct resolver *r, struct thread *thread, const struct perf_sample *sample, u32 max_stack,
				  u8 *leaf_mode)
{
	return (struct chain_key){
		.maps_version = resolver__maps_version(r, thread), .max_stack = max_stack, .cpumode = sample->cpumode,
		.word = sample->callchain, .nr = sample->nr_callchain, .leaf = find_leaf(sample, max_stack, leaf_mode),
	};
}

u32 callchain__prefetch_far(const struct callchain *chain, struct resolver *r, struct thread *thread,
			    const struct perf_sample *sample, u32 max_stack)
{
	u8 leaf_mode = 0;
	struct chain_key key = chain_key(r, thread, sample, max_stack, &leaf_mode);

	if (key.leaf < key.nr)
		resolver__prefetch(r, thread, leaf_mode, key.word[key.leaf]);
	return chain->cache ? chain_cache__prefetch_slot(chain->cache, &key) : 0;
}

void callchain__prefetch_near(const struct callchain *chain, u32 far)
{
	if (chain->cache)
		chain_cache__prefetch_entry(chain->cache, far);
}

int callchain__resolve(struct callchain *chain, struct resolver *r, struct thread *thread, const struct perf_sample *sample,
		       u32 max_stack)
{
	const struct cached_chain *cached;
	u8 leaf_mode = 0;
	struct chain_key key = chain_key(r, thread, sample, max_stack, &leaf_mode);

	chain->nr = chain->nr_leaf = 0;
	cached = chain->cache ? chain_cache__find(chain->cache, &key) : NULL;
	if (cached) {
		if (key.leaf < key.nr && callchain__add_ip(chain, r, thread, leaf_mode, key.word[key.leaf]))
			return -ENOMEM;
		return callchain__take_cached(chain, cached);
	}
	if (callchain__resolve_all(chain, r, thread, sample, max_stack))
		return -ENOMEM;
	if (key.leaf == key.nr)
		chain->nr_leaf = 0;
	chain->frame = chain->room;
	callchain__add_to_cache(chain, &key);
	return 0;
}

void callchain__drop(struct callchain *chain, u32 nr)
{
	chain->frame += nr;
	chain->nr -= nr;
	if (nr > chain->nr_leaf)
		chain->callers = 0;
	chain->nr_leaf -= nr < chain->nr_leaf ? nr : chain->nr_leaf;
}

void callchain__exit(struct callchain *chain)
{
	chain_cache__delete(chain->cache);
	free(chain->room);
	*chain = (struct callchain){};
}
