// SPDX-License-Identifier: GPL-2.0
#include "util/hist/entry-chains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/chain-lines.h"
#include "util/hist/shown-tree.h"
#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

/* Limit of the frames of chains that are kept from one entry for the next: 20 MiB. */
#define MAX_KEPT_FRAMES (1 << 19)

struct entry_chains {
	struct hists *hists;
	struct sampled_chains *chains;
	struct chain_use *use;
	u32 nr, alloc;
	u64 min_period;			/* hide branches below this */
	u32 *path; /* space for the deepest chain */
	u32 nr_kept;			/* frames in the chains' runs */
	struct hash_index stacks;	/* index of chains by the key of entry_chains__stack() */
	u64 *total;			/* by member */
	const struct hist_entry *total_of;
};

int entry_chains__init(struct hists *hists, struct sampled_chains *chains)
{
	struct entry_chains *ec = calloc(1, sizeof(*ec));

	hists->entry_chains = ec;
	if (!ec)
		return -ENOMEM;
	ec->hists = hists;
	ec->chains = chains;
	if (hists->opts.chain_mode == HIST_CHAIN_GRAPH) /* other modes have another limit */
		ec->min_period = hists->total_period * (hists->opts.chain_min_percent / 100);
	ec->path = malloc(((size_t)hists->chains.max_depth + 1) * sizeof(*ec->path));
	if (hists->nr_group)
		ec->total = calloc(hists->nr_group, sizeof(*ec->total));
	return ec->path && (ec->total || !hists->nr_group) ? 0 : -ENOMEM;
}

static void drop_runs(struct entry_chains *ec)
{
	struct sampled_chain *chain;

	for (u32 place = ec->hists->chains.first; place; place = chain->next) {
		chain = &ec->chains->chain[place - 1];
		chain_run__put(chain->run);
		chain->run = NULL;
	}
	ec->nr_kept = 0;
}

void entry_chains__exit(struct hists *hists)
{
	struct entry_chains *ec = hists->entry_chains;

	if (!ec)
		return;
	if (ec->nr_kept)
		drop_runs(ec);
	entry_chains__seal(ec);
	pages__delete(ec->use, ec->alloc * sizeof(*ec->use));
	free(ec->path);
	free(ec->total);
	free(ec);
	hists->entry_chains = NULL;
}

void entry_chains__seal(struct entry_chains *ec)
{
	hash_index__exit(&ec->stacks);
}

int entry_chains__add(struct entry_chains *ec, struct hist_entry *entry, u32 chain, u32 from)
{
	if (ec->nr == ec->alloc) {
		u32 alloc = ec->alloc ? 2 * ec->alloc : 64;
		size_t size = sizeof(*ec->use);
		struct chain_use *more = alloc > ec->nr ? pages__grow(ec->use, ec->alloc * size, alloc * size) : NULL;

		if (!more)
			return -ENOMEM;
		ec->use = more;
		ec->alloc = alloc;
	}
	ec->use[ec->nr++] = (struct chain_use){ .chain = chain, .from = from };
	if (entry->last_use)
		ec->use[entry->last_use - 1].next = ec->nr;
	else
		entry->first_use = ec->nr;
	entry->last_use = ec->nr;
	return 0;
}

u32 entry_chains__stack(struct entry_chains *ec, const struct hist_entry *entry, u32 place)
{
	struct sampled_chain *chain = &ec->chains->chain[place - 1];
	u32 hash = hash_mix((uintptr_t)entry, chain->path), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&ec->stacks, hash, &i))) {
		struct sampled_chain *first = &ec->chains->chain[slot->place - 1];

		if (first->path != chain->path || first->cpumode != chain->cpumode || hist_entry__shown(first->entry) != entry)
			continue;
		chain->same = first->same;
		first->same = place;
		return slot->place;
	}
	return hash_index__add(&ec->stacks, hash, place - 1) ? 0 : place;
}

/* The frames of a chain of these hists, in the order of the tree. NULL: no memory. */
static struct chain_run *run_of(struct entry_chains *ec, struct sampled_chain *chain)
{
	struct chain_run *run;
	u32 nr;

	if (chain->run)
		return chain->run;
	if (ec->nr_kept >= MAX_KEPT_FRAMES)
		drop_runs(ec);
	nr = paths__frames(ec->chains->paths, chain->path, ec->path);
	run = chain_run__new(nr);
	if (!run)
		return NULL;
	for (u32 i = 0; i < nr; i++) {
		u32 frame = ec->path[ec->hists->opts.caller_first ? nr - 1 - i : i];
		struct location room;

		if (chain_frame__init(&run->frame[i], ec->hists, paths__location(ec->chains->paths, frame, &room))) {
			chain_run__put(run);
			return NULL;
		}
	}
	ec->nr_kept += nr + 1;
	return chain->run = run;
}

/* Add all chains of one use; in a group only the leader's. */
static int plant(struct entry_chains *ec, struct chain_tree *tree, const struct chain_use *use)
{
	struct sampled_chain *chain;

	for (u32 place = use->chain; place; place = chain->same) {
		struct chain_run *run;

		chain = &ec->chains->chain[place - 1];
		if (chain->entry->hists != ec->hists)
			continue;
		run = run_of(ec, chain);
		if (!run || chain_tree__add(tree, run, use->from, chain->stat.period, chain->stat.nr))
			return -ENOMEM;
	}
	return 0;
}

/* Trees of deeper chains are not followed frame by frame. */
#define MAX_FOLLOWED 8192

static bool can_show_only(const struct entry_chains *ec)
{
	const struct hist_opts *opts = &ec->hists->opts;

	return opts->chain_mode == HIST_CHAIN_GRAPH && opts->frame_key == FRAME_BY_FUNCTION && ec->hists->chains.max_depth <= MAX_FOLLOWED;
}

/* Add the chains that go through an entry: from their first frames on, or from others. */
static int add_shown(struct entry_chains *ec, const struct hist_entry *entry, bool first)
{
	const struct sampled_chain *chain;
	int ret = 0;

	for (u32 use = entry->first_use; use && !ret; use = ec->use[use - 1].next) {
		u32 from = ec->use[use - 1].from;

		if (!from != first)
			continue;
		for (u32 place = ec->use[use - 1].chain; place && !ret; place = chain->same) {
			chain = &ec->chains->chain[place - 1];
			if (chain->entry->hists == ec->hists)
				ret = shown_trees__add(ec->chains->shown, chain->path, from, chain->stat.period, chain->stat.nr);
		}
	}
	return ret;
}

/* 0, -ENOMEM, or -ERANGE: the chains can't be summed up by their paths */
static int make_shown(struct entry_chains *ec, const struct hist_entry *entry, struct chain_tree *tree)
{
	struct shown_trees *shown = ec->chains->shown;
	int ret;

	if (!shown)
		shown = ec->chains->shown = shown_trees__new(ec->chains->paths);
	if (!shown)
		return -ENOMEM;
	shown_trees__begin(shown, ec->hists->opts.caller_first);
	ret = add_shown(ec, entry, true);
	if (ec->hists->opts.caller_first)
		shown_trees__begin_part(shown);
	ret = ret ?: add_shown(ec, entry, false);
	return ret ?: shown_trees__end(shown, tree, ec->min_period);
}

static int make_whole(struct entry_chains *ec, const struct hist_entry *entry, struct chain_tree *tree)
{
	int ret = 0;

	for (u32 use = entry->first_use; use && !ret; use = ec->use[use - 1].next)
		ret = plant(ec, tree, &ec->use[use - 1]);
	return ret;
}

int hist_entry__make_tree(const struct hist_entry *entry, struct chain_tree *tree)
{
	const struct hist_opts *opts = &entry->hists->opts;
	struct entry_chains *ec = entry->hists->entry_chains;
	int ret;

	*tree = (struct chain_tree){};
	if (!ec || opts->chain_mode == HIST_CHAIN_NONE || hist_entry__period(entry) < ec->min_period)
		return 0;
	ret = can_show_only(ec) ? make_shown(ec, entry, tree) : -ERANGE;
	if (ret == -ERANGE)
		ret = make_whole(ec, entry, tree);
	if (ret) {
		chain_tree__exit(tree);
		return ret;
	}
	if (opts->chain_mode == HIST_CHAIN_GRAPH)
		chain_tree__sort(tree, ec->min_period);
	else if (opts->chain_mode == HIST_CHAIN_FRACTAL)
		chain_tree__sort_relative(tree, opts->chain_min_percent);
	return 0;
}

const u64 *hist_entry__member_totals(const struct hist_entry *entry)
{
	struct entry_chains *ec = entry->hists->entry_chains;
	const struct sampled_chain *chain;

	if (!ec || ec->total_of == entry)
		return ec ? ec->total : NULL;
	memset(ec->total, 0, ec->hists->nr_group * sizeof(*ec->total));
	for (u32 use = entry->first_use; use; use = ec->use[use - 1].next) {
		for (u32 place = ec->use[use - 1].chain; place; place = chain->same) {
			chain = &ec->chains->chain[place - 1];
			ec->total[chain->entry->hists->member] += chain->stat.period;
		}
	}
	ec->total_of = entry;
	return ec->total;
}
