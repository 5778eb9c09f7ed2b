// SPDX-License-Identifier: GPL-2.0
#include "util/hist/sampled-chains.h"

#include <errno.h>
#include <stdlib.h>

#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

struct sampled_chains *sampled_chains__new(bool by_address)
{
	struct sampled_chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return NULL;
	chains->by_address = by_address;
	chains->path_of_callers.size = sizeof(u32);
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
	paths__delete(chains->paths);
	number_table__exit(&chains->path_of_callers);
	pages__delete(chains->chain, chains->alloc * sizeof(*chains->chain));
	free(chains);
}

void sampled_chains__seal(struct sampled_chains *chains)
{
	hash_index__exit(chains->index);
	number_table__exit(&chains->path_of_callers);
	chains->path_of_callers = (struct number_table){ .size = sizeof(u32) };
	paths__seal(chains->paths);
}

/* Extend path by the frames before end, the outermost of them first. */
static u32 go_down(struct sampled_chains *chains, u32 path, const struct location *frame, u32 nr)
{
	while (nr && path != PATH_NONE)
		path = paths__child(chains->paths, path, &frame[--nr]);
	return path;
}

static u32 path_of_callers(struct sampled_chains *chains, const struct callchain *chain)
{
	u32 *known = chain->callers ? number_table__get(&chains->path_of_callers, chain->callers) : NULL, path;

	if (known && *known)
		return *known - 1;
	path = go_down(chains, PATH_ROOT, callchain__caller_frames(chain), chain->nr - chain->nr_leaf);
	if (known && path != PATH_NONE)
		*known = path + 1;
	return path;
}

static u32 path_of(struct sampled_chains *chains, struct hists *hists, const struct callchain *chain)
{
	if (!chain)
		return PATH_ROOT;
	if (chain->nr > hists->chains.max_depth)
		hists->chains.max_depth = chain->nr;
	return go_down(chains, path_of_callers(chains, chain), chain->frame, chain->nr_leaf);
}

static struct sampled_chain *new_chain(struct sampled_chains *chains, u32 hash)
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
	if (hash_index__add(chains->index, hash, chains->nr))
		return NULL;
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

/* Find the chain, or add it; returns its index, UINT32_MAX: no memory. */
static u32 find_or_add(struct sampled_chains *chains, struct hists *hists, struct hist_entry *entry, const struct hist_sample *sample,
		       u64 number)
{
	u32 path = path_of(chains, hists, sample->chain), hash = hash_mix((uintptr_t)entry, path), i = hash;
	const struct hash_slot *slot;
	struct sampled_chain *chain;

	if (path == PATH_NONE)
		return UINT32_MAX;
	while ((slot = hash_index__next(chains->index, hash, &i))) {
		chain = &chains->chain[slot->place - 1];
		if (chain->entry == entry && chain->path == path && chain->cpumode == sample->loc->cpumode)
			return slot->place - 1;
	}
	chain = new_chain(chains, hash);
	if (!chain)
		return UINT32_MAX;
	*chain = (struct sampled_chain){ .entry = entry, .first_sample = number, .thread = sample->thread,
					 .comm = sample->thread->comm, .sym = sample->loc->sym, .path = path,
					 .cpumode = sample->loc->cpumode };
	append(chains, &hists->chains, chain);
	return chain - chains->chain;
}

static void count(struct sampled_chains *chains, struct sampled_chain *chain, const struct hist_sample *sample)
{
	const struct hist_stat stat = hist_sample__stat(sample);

	hist_stat__add(&chain->stat, &stat);
	chains->last = chain - chains->chain;
}

bool sampled_chains__are_told_by_function(const struct sampled_chains *chains, const struct hist_sample *sample)
{
	return sample->chain->nr_leaf == 1 && sample->loc->sym && !chains->by_address;
}

int sampled_chains__add(struct sampled_chains *chains, struct hists *hists, struct hist_entry *entry, const struct hist_sample *sample,
			u64 number)
{
	struct chain_note note = { .owner = hists->chains.note_owner, .value = find_or_add(chains, hists, entry, sample, number) };

	if (note.value == UINT32_MAX)
		return -ENOMEM;
	note.ahead = &chains->chain[note.value];
	count(chains, &chains->chain[note.value], sample);
	if (!sample->chain || !sample->chain->note)
		return 0;
	*sample->chain->note = note;
	if (sampled_chains__are_told_by_function(chains, sample))
		*sample->chain->callers_note = note;
	return 0;
}

static struct sampled_chain *noted_chain(const struct sampled_chains *chains, const struct hists *hists,
					 const struct hist_sample *sample, const struct chain_note *note)
{
	struct sampled_chain *chain;

	if (note->owner != hists->chains.note_owner)
		return NULL;
	chain = &chains->chain[note->value];
	return chain->comm == sample->thread->comm ? chain : NULL;
}

bool sampled_chains__count_again(struct sampled_chains *chains, const struct hists *hists, const struct hist_sample *sample)
{
	struct sampled_chain *chain;

	if (!sample->chain || !sample->chain->note)
		return false;
	chain = noted_chain(chains, hists, sample, sample->chain->note);
	if (!chain && sampled_chains__are_told_by_function(chains, sample)) {
		chain = noted_chain(chains, hists, sample, sample->chain->callers_note);
		if (chain && (chain->sym != sample->loc->sym || chain->cpumode != sample->loc->cpumode))
			return false;
		if (chain)
			*sample->chain->note = *sample->chain->callers_note;
	}
	if (!chain)
		return false;
	sample->chain->note->ahead = chain; /* all may have moved in the meantime */
	count(chains, chain, sample);
	return true;
}
