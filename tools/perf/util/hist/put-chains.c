// SPDX-License-Identifier: GPL-2.0
#include "util/hist/put-chains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/entry-chains.h"
#include "util/hist/hist-state.h"

struct caller { /* of a frame: the entry that it was counted for last */
	const char *comm;
	struct hist_entry *entry; /* NULL: none */
};

struct putting {
	struct hists *hists, *shown;
	bool uses;    /* record the chains of entries */
	bool stacks;  /* equal chains of members are one use */
	bool callers; /* add entries of callers */
	struct sampled_chain *chain;
	u32 place; /* index of the chain, plus 1 */
	u32 stack; /* index, plus 1, of the first equal chain */
	u32 *path; /* frames, callee first */
	u32 nr;
	struct hist_entry *key;
	struct caller *caller; /* by the index of a frame; NULL: comm and frame alone do not tell the entry, or it would not pay */
};

/* Record that the tree of an entry has the part of the chain from one frame on. */
static int add_use(struct putting *p, struct hist_entry *entry, u32 from)
{
	if (p->hists == p->shown && p->hists->opts.chain_mode != HIST_CHAIN_NONE && entry->chain_depth < p->nr - from)
		entry->chain_depth = p->nr - from;
	return p->uses && p->stack == p->place ? entry_chains__add(p->shown->entry_chains, entry, p->place, from) : 0;
}

/* Members that are no keys come from the first sample, but callers' entries may be found later than those of samples. */
static void entry__come_first(struct hist_entry *entry, const struct hist_entry *key)
{
	struct hist_entry old = *entry;
	u64 modes[HIST_MODES];

	if (key->first_sample >= entry->first_sample)
		return;
	for (int i = 0; i < HIST_MODES; i++)
		modes[i] = hist_entry__mode_period(entry, i);
	memcpy(entry, key, hist_entry__size(key->hists));
	if (hist_entry__modes(entry))
		memcpy(hist_entry__modes(entry), modes, sizeof(modes));
	entry->self = old.self;
	entry->total = old.total;
	entry->first_use = old.first_use;
	entry->last_use = old.last_use;
	entry->last_chain = old.last_chain;
	entry->chain_depth = old.chain_depth;
	entry->others = old.others;
}

static struct hist_entry *entry_of(struct putting *p, struct hist_entry *key, u32 frame)
{
	struct caller *caller = p->caller ? &p->caller[frame] : NULL;
	struct hist_entry *entry;

	if (caller && caller->entry && caller->comm == key->comm)
		return caller->entry;
	entry = hists__entry(p->shown, key);
	if (caller)
		*caller = (struct caller){ key->comm, entry };
	return entry;
}

static int count_caller(struct putting *p, struct hist_entry *key, u32 frame, u32 from)
{
	struct hist_entry *entry = entry_of(p, key, frame);

	if (!entry)
		return -ENOMEM;
	if (entry->made_by == key->made_by)
		entry__come_first(entry, key);
	if (entry->last_chain == p->place)
		return 0;
	entry->last_chain = p->place;
	if (p->hists == p->shown)
		hist_stat__add(&entry->total, &p->chain->stat);
	return add_use(p, entry, from);
}

/* Add the samples to each function on their chain, once if it recurses, with the part of the chain from there on. */
static int count_callers(struct putting *p, const struct hist_entry *sampled)
{
	struct hist_entry *key = p->key;

	memcpy(key, sampled, hist_entry__size(p->hists));
	hist_entry__clear_sums(key);
	key->hists = p->shown;
	key->made_by = p->hists->member;
	key->last_chain = 0;
	key->became = NULL;
	key->others = NULL;
	key->first_sample = p->chain->first_sample;
	key->thread = p->chain->thread;
	key->level = hist_level(p->chain->cpumode);
	for (u32 i = 0; i < p->nr; i++) {
		u32 frame = p->path[p->hists->opts.caller_first ? p->nr - 1 - i : i];
		struct location room;
		const struct location *loc = paths__location(p->hists->shared->chains->paths, frame, &room);

		hist_entry__set_place(key, loc);
		if (loc->map) { /* as in perf, an unknown frame has the level of the frame before it */
			key->level = hist_level(loc->cpumode);
			key->cpumode = loc->cpumode;
		}
		if (p->hists->opts.layout->by_place && hist_entry__read_values(key, p->shown, NULL, loc))
			return -ENOMEM;
		if (count_caller(p, key, frame, i))
			return -ENOMEM;
	}
	return 0;
}

/* For a group member that is not the leader: did another member have the same chain before? */
static bool is_known(const struct putting *p)
{
	const struct sampled_chain *first = &p->hists->shared->chains->chain[p->stack - 1];

	return p->hists != p->shown && first->entry->hists != p->hists;
}

static int count_chain(struct putting *p)
{
	struct hist_entry *own = hist_entry__now(p->chain->entry), *entry = hist_entry__shown(own);

	hist_entry__count(own, &p->chain->stat, p->chain->cpumode);
	if (p->hists == p->shown && p->hists->opts.children)
		hist_stat__add(&entry->total, &p->chain->stat);
	p->stack = p->place;
	if (p->stacks)
		p->stack = entry_chains__stack(p->shown->entry_chains, entry, p->place);
	if (!p->stack)
		return -ENOMEM;
	if ((!p->uses && !p->callers) || is_known(p))
		return 0;
	/* Without callers' entries only whether there are frames matters. */
	p->nr = p->callers ? paths__frames(p->hists->shared->chains->paths, p->chain->path, p->path) : p->chain->path != PATH_ROOT;
	entry->last_chain = p->place;
	if (add_use(p, entry, 0))
		return -ENOMEM;
	return p->callers ? count_callers(p, own) : 0;
}

static int for_each_chain(struct putting *p)
{
	struct sampled_chains *chains = p->hists->shared->chains;
	int ret = 0;

	for (p->place = p->hists->chains.first; p->place && !ret; p->place = p->chain->next) {
		p->chain = &chains->chain[p->place - 1];
		ret = count_chain(p);
	}
	return ret;
}

/* Samples of many events share the frames of all. */
static struct caller *new_callers(const struct hists *hists, const struct hists *shown)
{
	u32 nr = paths__nr_frames(hists->shared->chains->paths);

	return hists->chain_tells_entry && shown->chain_tells_entry && hists->nr_samples > nr / 16 ? calloc(nr ?: 1, sizeof(struct caller)) : NULL;
}

int hists__put_chains(struct hists *hists, struct hists *shown)
{
	const struct hist_opts *opts = &hists->opts;
	struct putting p = { .hists = hists, .shown = shown, .callers = opts->children };
	int ret = 0;

	if (!hists->chains.first)
		return 0;
	sampled_chains__seal(hists->shared->chains);
	/* Without chains to show, only the callers' sums are needed. */
	p.stacks = shown->nr_group && opts->children;
	p.uses = p.stacks || (hists == shown && opts->chain_mode != HIST_CHAIN_NONE);
	if (p.uses && !shown->entry_chains)
		ret = entry_chains__init(shown, hists->shared->chains);
	p.path = malloc(((size_t)hists->chains.max_depth + 1) * sizeof(*p.path));
	p.key = malloc(hist_entry__size(hists));
	p.caller = p.callers ? new_callers(hists, shown) : NULL;
	if (!p.path || !p.key)
		ret = -ENOMEM;
	ret = ret ?: for_each_chain(&p);
	free(p.path);
	free(p.key);
	free(p.caller);
	return ret;
}
