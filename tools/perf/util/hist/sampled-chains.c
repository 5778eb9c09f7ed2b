// SPDX-License-Identifier: GPL-2.0
#include "util/hist/sampled-chains.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hist/shown-tree.h"
#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

struct known_place { /* of code: of the last sample there */
	u32 chain; /* index, plus 1; 0: unknown */
	u32 frame;
};

struct sampled_chains *sampled_chains__new(bool by_address)
{
	struct sampled_chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return NULL;
	chains->places.size = sizeof(struct known_place);
	chains->paths = paths__new(by_address);
	chains->index = calloc(1, sizeof(*chains->index));
	if (!chains->paths || !chains->index) {
		sampled_chains__delete(chains);
		return NULL;
	}
	return chains;
}

void sampled_chains__delete(struct sampled_chains *chains)
{
	if (!chains)
		return;
	if (chains->index)
		hash_index__exit(chains->index);
	free(chains->index);
	number_table__exit(&chains->places);
	shown_trees__delete(chains->shown);
	paths__delete(chains->paths);
	pages__delete(chains->chain, chains->alloc * sizeof(*chains->chain));
	free(chains);
}

void sampled_chains__seal(struct sampled_chains *chains)
{
	hash_index__exit(chains->index);
	number_table__exit(&chains->places);
	chains->places = (struct number_table){};
	paths__seal(chains->paths);
}

static void note_depth(struct hists *hists, u32 nr)
{
	if (nr > hists->chains.max_depth)
		hists->chains.max_depth = nr;
}

static u32 path_of(struct sampled_chains *chains, struct hists *hists, const struct hist_sample *sample, bool *is_new)
{
	const struct resolver *resolver = hists->opts.env ? hists->opts.env->resolver : NULL;
	const struct callers_path *callers = paths__callers(chains->paths, sample->callers);
	const struct callchain *chain = sample->chain;
	u32 path;

	*is_new = false;
	if (!chain)
		return PATH_ROOT;
	note_depth(hists, callers ? callers->nr + chain->nr_leaf : chain->nr);
	if (callers)
		return paths__below(chains->paths, callers, chain, resolver, is_new);
	path = paths__of(chains->paths, chain, resolver, is_new);
	if (path != PATH_NONE && sample->callers && chain->nr_leaf) /* a chain that was dropped as damaged says nothing about others */
		paths__keep_callers(chains->paths, sample->callers, chain, path);
	return path;
}

static struct sampled_chain *new_chain(struct sampled_chains *chains)
{
	if (chains->nr == chains->alloc) {
		u32 alloc = chains->alloc ? 2 * chains->alloc : 1024;
		size_t size = sizeof(struct sampled_chain);
		struct sampled_chain *more = alloc > chains->nr ? pages__grow(chains->chain, chains->alloc * size, alloc * size) : NULL;

		if (!more)
			return NULL;
		chains->chain = more;
		chains->alloc = alloc;
	}
	return &chains->chain[chains->nr++];
}

/* Link the chains of one hists in their order. */
static void append(struct sampled_chains *chains, struct hist_chains *own, const struct sampled_chain *chain)
{
	u32 place = chain - chains->chain + 1;

	if (own->last)
		chains->chain[own->last - 1].next = place;
	else
		own->first = place;
	own->last = place;
}

/* NULL: it was not added, or cannot be found. */
static struct sampled_chain *find(const struct sampled_chains *chains, const struct hist_entry *entry, u32 path, u8 cpumode, u32 hash)
{
	const struct hash_slot *slot;
	u32 i = hash;

	while ((slot = hash_index__next(chains->index, hash, &i))) {
		struct sampled_chain *chain = &chains->chain[slot->place - 1];

		if (chain->entry == entry && chain->path == path && chain->cpumode == cpumode)
			return chain;
	}
	return NULL;
}

/*
 * Find the chain, or add it; NULL: no memory. One with a path that hardly occurs again is not put into the index: if the path does occur again, the
 * chain is there twice, which only costs memory.
 */
static struct sampled_chain *find_or_add(struct sampled_chains *chains, struct hists *hists, struct hist_entry *entry,
					 const struct hist_sample *sample, u64 number, u32 path, bool is_new)
{
	u32 hash = hash_mix((uintptr_t)entry, path);
	struct sampled_chain *chain;

	if (path == PATH_NONE)
		return NULL;
	chain = is_new ? NULL : find(chains, entry, path, sample->loc->cpumode, hash);
	if (chain)
		return chain;
	if (!is_new && hash_index__add(chains->index, hash, chains->nr))
		return NULL;
	chain = new_chain(chains);
	if (!chain)
		return NULL;
	*chain = (struct sampled_chain){ .entry = entry, .first_sample = number, .thread = sample->thread,
					 .comm = sample->thread->comm, .path = path,
					 .cpumode = sample->loc->cpumode };
	append(chains, &hists->chains, chain);
	return chain;
}

/* chain NULL: no memory */
static int count(struct sampled_chains *chains, struct sampled_chain *chain, const struct hist_sample *sample)
{
	const struct hist_stat stat = hist_sample__stat(sample);

	if (!chain)
		return -ENOMEM;
	hist_stat__add(&chain->stat, &stat);
	chains->last = chain - chains->chain;
	return 0;
}

/* Functions that others are inlined into have more than one frame. */
static void keep_place(struct sampled_chains *chains, const struct hist_sample *sample)
{
	struct known_place *known = sample->chain && sample->chain->nr_leaf == 1 ? number_table__get(&chains->places, sample->place) : NULL;

	if (known)
		*known = (struct known_place){ chains->last + 1, paths__frame(chains->paths, chains->chain[chains->last].path) };
}

int sampled_chains__add(struct sampled_chains *chains, struct hists *hists, struct hist_entry *entry, const struct hist_sample *sample,
			u64 number)
{
	bool is_new;
	u32 path = path_of(chains, hists, sample, &is_new);

	if (count(chains, find_or_add(chains, hists, entry, sample, number, path, is_new), sample))
		return -ENOMEM;
	if (sample->place)
		keep_place(chains, sample);
	return 0;
}

int sampled_chains__add_known(struct sampled_chains *chains, struct hists *hists, const struct hist_sample *sample, u64 number)
{
	const struct callers_path *callers = paths__callers(chains->paths, sample->callers);
	const struct known_place *place = number_table__find(&chains->places, sample->place);
	const struct sampled_chain *there = callers && place && place->chain ? &chains->chain[place->chain - 1] : NULL;
	u32 path;

	if (!there || there->comm != sample->thread->comm)
		return 0;
	note_depth(hists, callers->nr + 1);
	path = paths__below_frame(chains->paths, callers, place->frame);
	return count(chains, find_or_add(chains, hists, there->entry, sample, number, path, false), sample) ?: 1;
}

void sampled_chains__fetch_ids(const struct sampled_chains *chains, u32 place, u32 callers)
{
	__builtin_prefetch(number_table__find(&chains->places, place));
	paths__prefetch_callers(chains->paths, callers);
}

bool sampled_chains__fetch_known(const struct sampled_chains *chains, u32 place, u32 callers)
{
	const struct callers_path *path = paths__callers(chains->paths, callers);
	const struct known_place *known = number_table__find(&chains->places, place);

	if (!path || !known || !known->chain)
		return false;
	paths__prefetch_below(chains->paths, path, known->frame);
	__builtin_prefetch(&chains->chain[known->chain - 1].entry);
	__builtin_prefetch(&chains->chain[known->chain - 1].comm);
	return true;
}

void sampled_chains__forget_ids(struct sampled_chains *chains)
{
	paths__forget_callers(chains->paths);
	number_table__empty(&chains->places);
}
