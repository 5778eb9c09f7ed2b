// SPDX-License-Identifier: GPL-2.0
#include "util/hist/hist.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/chain-lines.h"
#include "util/hist/entry-cmp.h"
#include "util/hist/entry-memo.h"
#include "util/hist/late-names.h"
#include "util/hist/sampled-chains.h"
#include "util/lib/hash.h"

/* Is that column's value the same for all samples of one callchain and one command? */
static bool is_of_chain(const struct hist_column *column)
{
	static const char *const own[] = { "comm", "dso", "symbol" };

	if (column->key->kind != HIST_KEY_OWN)
		return column->key->kind == HIST_KEY_SUM || column->key->flags & HIST_KEY_PLACE;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		if (!strcmp(column->key->name, own[i]))
			return true;
	}
	return false;
}

void hists__init(struct hists *hists, const struct hist_opts *opts)
{
	const struct hist_column_list *sort = &opts->layout->sort;

	memset(hists, 0, sizeof(*hists));
	hists->opts = *opts;
	hists->chain_tells_entry = true;
	for (u32 i = 0; i < sort->nr; i++)
		hists->chain_tells_entry &= is_of_chain(&sort->at[i]);
}

static void entry__delete(void *p)
{
	struct hist_entry *entry = p;

	if (entry->chains)
		chain_tree__exit(entry->chains);
	free(entry->chains);
	free(entry->others);
	free(entry);
}

struct hist_shared {
	struct entry_memo *memo;
	struct sampled_chains *chains; /* NULL: nobody asks */
};

static bool has_chains(const struct hist_opts *opts)
{
	return opts->children || opts->chain_mode != HIST_CHAIN_NONE;
}

struct hist_shared *hist_shared__new(const struct hist_opts *opts)
{
	struct hist_shared *shared = calloc(1, sizeof(*shared));

	if (!shared)
		return NULL;
	shared->memo = entry_memo__new();
	if (has_chains(opts))
		shared->chains = sampled_chains__new(opts->layout->by_place || opts->frame_key != FRAME_BY_FUNCTION);
	if (shared->memo && (shared->chains || !has_chains(opts)))
		return shared;
	hist_shared__delete(shared);
	return NULL;
}

void hist_shared__delete(struct hist_shared *shared)
{
	if (!shared)
		return;
	entry_memo__delete(shared->memo);
	sampled_chains__delete(shared->chains);
	free(shared);
}

/* Nothing of the samples that were added is needed there any more. */
static void leave_shared(struct hists *hists)
{
	if (hists->shared != hists->opts.shared)
		hist_shared__delete(hists->shared);
	hists->shared = NULL;
	hists->chains = (struct hist_chains){};
}

struct hist_text {
	UT_hash_handle hh;
	char text[];
};

const char *hists__intern(struct hists *hists, const char *text)
{
	size_t len = strlen(text);
	struct hist_text *found;

	HASH_FIND(hh, hists->texts, text, len, found);
	if (found)
		return found->text;
	found = calloc(1, sizeof(*found) + len + 1);
	if (!found)
		return NULL;
	memcpy(found->text, text, len);
	HASH_ADD_KEYPTR(hh, hists->texts, found->text, len, found);
	if (hash_added(found))
		return found->text;
	free(found);
	return NULL;
}

static void free_texts(struct hists *hists)
{
	struct hist_text *text, *next;

	HASH_ITER(hh, hists->texts, text, next) {
		HASH_DEL(hists->texts, text);
		free(text);
	}
}

void hists__exit(struct hists *hists)
{
	struct hist_entry *gone;

	while ((gone = hists->gone)) {
		hists->gone = gone->next_gone;
		entry__delete(gone);
	}
	tdestroy(hists->tree, entry__delete);
	free(hists->entry);
	free(hists->key);
	free(hists->none);
	free(hists->group);
	free_texts(hists);
	leave_shared(hists);
	memset(hists, 0, sizeof(*hists));
}

const struct chain_tree *hist_entry__chains(const struct hist_entry *entry)
{
	static const struct chain_tree none;

	return entry->chains ?: &none;
}

char hist_level(u8 cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return 'k';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	case PERF_RECORD_MISC_HYPERVISOR:
		return 'H';
	}
	return '.';
}

size_t hist_entry__size(const struct hists *hists)
{
	const struct hist_layout *layout = hists->opts.layout;

	return sizeof(struct hist_entry) + layout->nr_values * sizeof(struct hist_value) +
	       (layout->has_modes ? HIST_MODES * sizeof(u64) : 0);
}

static struct hist_entry *entry__new(const struct hist_entry *key)
{
	struct hist_entry *entry = malloc(hist_entry__size(key->hists));

	return entry ? memcpy(entry, key, hist_entry__size(key->hists)) : NULL;
}

struct hist_entry *hists__entry(struct hists *hists, struct hist_entry *key)
{
	struct hist_entry **slot = tsearch(key, &hists->tree, hist_entry__cmp_keys);
	struct hist_entry *entry;

	if (!slot || *slot != key)
		return slot ? *slot : NULL;
	entry = entry__new(key);
	if (!entry) {
		tdelete(key, &hists->tree, hist_entry__cmp_keys);
		return NULL;
	}
	return *slot = entry;
}

static struct hist_entry *find_or_add(struct hists *hists, struct hist_entry *key)
{
	struct hist_entry **place = entry_memo__place(hists->shared->memo, key);

	if (!place)
		return hists__entry(hists, key);
	if (!*place)
		*place = hists__entry(hists, key);
	return *place;
}

/* What is needed from the first sample on. */
static int prepare(struct hists *hists)
{
	if (!hists->shared) {
		hists->shared = hists->opts.shared ?: hist_shared__new(&hists->opts);
		hists->chains.note_owner = chain_note__new_owner();
	}
	if (!hists->key)
		hists->key = malloc(hist_entry__size(hists));
	return hists->shared && hists->key ? 0 : -ENOMEM;
}

/* Fill the values that keys are; of a caller (no sample) only those of its place, others stay. */
static int read_values(struct hist_entry *key, struct hists *hists, const struct hist_sample *sample, const struct location *loc)
{
	const struct hist_column_list *list = &hists->opts.layout->sort;

	for (u32 i = 0; i < list->nr; i++) {
		const struct hist_column *column = &list->at[i];
		const struct hist_reading from = { hists, sample, loc, column };
		struct hist_value *value = &key->value[column->slot];

		if (column->key->kind != HIST_KEY_VALUE || (!sample && !(column->key->flags & HIST_KEY_PLACE)))
			continue;
		*value = (struct hist_value){};
		if (column->key->read(&from, value))
			return -ENOMEM;
	}
	return 0;
}

static void set_place(struct hist_entry *key, const struct location *loc)
{
	key->dso = loc->dso;
	key->sym = loc->sym;
	key->addr = loc->addr;
}

/* Fill hists->key and find the sample's entry by it. */
static struct hist_entry *entry_of(struct hists *hists, const struct hist_sample *sample)
{
	struct hist_entry *key = hists->key, *entry;

	*key = (struct hist_entry){
		.hists = hists,
		.thread = sample->thread,
		.comm = sample->thread->comm,
		.tid = sample->thread->tid,
		.cpu = sample->cpu,
		.level = hist_level(sample->branch ? sample->raw->cpumode : sample->loc->cpumode),
		.cpumode = sample->loc->cpumode,
		.first_sample = hists->nr_samples,
		.unnamed = !sample->thread->comm_set,
	};
	hist_entry__clear_sums(key);
	set_place(key, sample->loc);
	if (sample->loc->map && !sample->branch) /* as in perf; callers and branches are shown by the address as it was sampled */
		key->addr = sample->loc->sym_addr;
	if (hists->opts.layout->nr_values && read_values(key, hists, sample, sample->loc))
		return NULL;
	entry = find_or_add(hists, key);
	if (entry)
		hists->any_unnamed |= key->unnamed;
	return entry;
}

static int count(struct hists *hists, const struct hist_sample *sample)
{
	const struct hist_stat stat = { .period = sample->period, .nr = sample->nr };
	struct sampled_chains *chains = hists->shared->chains;
	struct hist_entry *entry;

	if (chains && hists->chain_tells_entry && sampled_chains__count_again(chains, hists, sample))
		return 0;
	entry = entry_of(hists, sample);
	if (!entry)
		return -ENOMEM;
	if (chains)
		return sampled_chains__add(chains, hists, entry, sample, hists->nr_samples);
	hist_entry__count(entry, &stat, sample->loc->cpumode);
	return 0;
}

static void count_whole(struct hists *hists, const struct hist_stat *stat)
{
	hists->any_samples = true;
	hists->nr_samples += stat->nr;
	hists->total_period += stat->period;
	hists->all_period += stat->period;
}

int hists__add(struct hists *hists, const struct hist_sample *sample)
{
	if (prepare(hists) || count(hists, sample))
		return -ENOMEM;
	count_whole(hists, &(struct hist_stat){ .period = sample->period, .nr = sample->nr });
	return 0;
}

u32 hists__last_place(const struct hists *hists, const struct hist_sample *sample, bool *is_told_by_function)
{
	const struct sampled_chains *chains = hists->shared->chains;

	*is_told_by_function = chains && sample->chain && sampled_chains__are_told_by_function(chains, sample);
	return chains && hists->chain_tells_entry ? chains->last + 1 : 0;
}

void hists__add_more(struct hists *hists, u32 place, const struct hist_stat *stat)
{
	hist_stat__add(&hists->shared->chains->chain[place - 1].stat, stat);
	count_whole(hists, stat);
}

void hists__count_hidden(struct hists *hists, const struct hist_sample *sample)
{
	hists->any_samples = true;
	hists->all_period += sample->period;
	if (hists->opts.relative)
		return;
	hists->nr_samples += sample->nr;
	hists->total_period += sample->period;
}

/* A chain that is being put into the entries. */
struct putting {
	struct hists *hists;
	const struct sampled_chain *chain;
	u64 number;			  /* of the chain, not 0 */
	const struct path_frame **path;	  /* callee first */
	u32 nr;
	/* Of each chain the entry of the sample, then that of each frame, NULL: it was counted there before. */
	struct hist_entry **owner;
	size_t nr_owners, alloc_owners;
	u64 min_period; /* branches of less are not shown */
};

static u32 nr_owners(const struct putting *p)
{
	return p->hists->opts.children ? 1 + p->nr : 1;
}

static int reserve_owners(struct putting *p)
{
	size_t alloc = p->alloc_owners ? 2 * p->alloc_owners : 4096;
	struct hist_entry **more;

	while (alloc - p->nr_owners < nr_owners(p))
		alloc *= 2;
	if (p->alloc_owners - p->nr_owners >= nr_owners(p))
		return 0;
	more = reallocarray(p->owner, alloc, sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->owner = more;
	p->alloc_owners = alloc;
	return 0;
}

/* The part of the chain from one frame on will be in the tree of an entry, if that shows any. */
static void add_owner(struct putting *p, struct hist_entry *entry, u32 from)
{
	p->owner[p->nr_owners++] = entry;
	if (entry && p->hists->opts.chain_mode != HIST_CHAIN_NONE && entry->chain_depth < p->nr - from)
		entry->chain_depth = p->nr - from;
}

/* What is no key is that of the first sample, and entries of callers are found later than those of samples. */
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
	entry->chains = old.chains;
	entry->chain_depth = old.chain_depth;
	entry->last_chain = old.last_chain;
}

static int count_caller(struct putting *p, struct hist_entry *key, u32 place)
{
	struct hist_entry *entry = find_or_add(p->hists, key);

	if (!entry)
		return -ENOMEM;
	entry__come_first(entry, key);
	if (entry->last_chain == p->number) {
		add_owner(p, NULL, place);
		return 0;
	}
	entry->last_chain = p->number;
	hist_stat__add(&entry->total, &p->chain->stat);
	add_owner(p, entry, place);
	return 0;
}

/* Count the samples for each function on their chain, once for recursive ones, with the part of the chain from there on. */
static int count_callers(struct putting *p, const struct hist_entry *sampled)
{
	struct hist_entry *key = p->hists->key;

	memcpy(key, sampled, hist_entry__size(p->hists));
	hist_entry__clear_sums(key);
	key->last_chain = 0;
	key->first_sample = p->chain->first_sample;
	key->thread = p->chain->thread;
	key->level = hist_level(p->chain->cpumode);
	for (u32 i = 0; i < p->nr; i++) {
		const struct location *loc = &p->path[p->hists->opts.caller_first ? p->nr - 1 - i : i]->loc;

		set_place(key, loc);
		if (loc->map) { /* as in perf, a frame that nothing is known of keeps the level of the one before it */
			key->level = hist_level(loc->cpumode);
			key->cpumode = loc->cpumode;
		}
		if (p->hists->opts.layout->by_place && read_values(key, p->hists, NULL, loc))
			return -ENOMEM;
		if (count_caller(p, key, i))
			return -ENOMEM;
	}
	return 0;
}

static void find_frames(struct putting *p)
{
	p->nr = paths__frames(p->hists->shared->chains->paths, p->chain->path, p->path);
}

static int count_chain(struct putting *p)
{
	struct hist_entry *entry = p->chain->entry->became ?: p->chain->entry;

	find_frames(p);
	if (reserve_owners(p))
		return -ENOMEM;
	entry->last_chain = p->number;
	hist_entry__count(entry, &p->chain->stat, p->chain->cpumode);
	if (p->hists->opts.children)
		hist_stat__add(&entry->total, &p->chain->stat);
	add_owner(p, entry, 0);
	return p->hists->opts.children ? count_callers(p, entry) : 0;
}

static int plant_in(struct putting *p, struct hist_entry *entry, struct chain_run *run, u32 from)
{
	if (!entry->chains)
		entry->chains = calloc(1, sizeof(*entry->chains));
	return entry->chains ? chain_tree__add(entry->chains, run, from, p->chain->stat.period, p->chain->stat.nr) : -ENOMEM;
}

/* After all were counted: what an entry has less than min_period of altogether shows no branches. */
static int plant_chain(struct putting *p)
{
	struct chain_run *run;
	int ret = 0;

	find_frames(p);
	run = chain_run__new(p->nr);
	if (!run)
		return -ENOMEM;
	/* In the order of the entries' trees. */
	for (u32 i = 0; i < p->nr && !ret; i++)
		ret = chain_frame__init(&run->frame[i], p->hists, &p->path[p->hists->opts.caller_first ? p->nr - 1 - i : i]->loc);
	for (u32 i = 0, nr = nr_owners(p); i < nr && !ret; i++) {
		struct hist_entry *entry = p->owner[p->nr_owners++];

		if (entry && hist_entry__period(entry) >= p->min_period)
			ret = plant_in(p, entry, run, i ? i - 1 : 0);
	}
	chain_run__put(run);
	return ret;
}

static int for_each_chain(struct putting *p, int (*put)(struct putting *p))
{
	const struct sampled_chains *chains = p->hists->shared->chains;
	int ret = 0;

	p->nr_owners = 0;
	for (u32 place = p->hists->chains.first; place && !ret; place = p->chain->next) {
		p->chain = &chains->chain[place - 1];
		p->number = place;
		ret = put(p);
	}
	return ret;
}

static u64 min_chain_period(const struct hists *hists)
{
	return hists->total_period * (hists->opts.chain_min_percent / 100);
}

/* Make the entries' trees, and the entries of callers, from the chains that were counted. */
static int put_chains(struct hists *hists)
{
	struct putting p = { .hists = hists };
	int ret = -ENOMEM;

	if (!hists->chains.first)
		return 0;
	sampled_chains__seal(hists->shared->chains);
	if (hists->opts.chain_mode == HIST_CHAIN_GRAPH) /* in others the limit is another one */
		p.min_period = min_chain_period(hists);
	p.path = malloc(((size_t)hists->chains.max_depth + 1) * sizeof(*p.path));
	if (p.path)
		ret = for_each_chain(&p, count_chain);
	if (!ret && hists->opts.chain_mode != HIST_CHAIN_NONE)
		ret = for_each_chain(&p, plant_chain);
	free(p.path);
	free(p.owner);
	leave_shared(hists);
	return ret;
}

struct output { /* while entries are sorted */
	void *tree;
	u32 nr;
	bool failed;
};

static void insert_entry(const void *node, VISIT visit, void *data)
{
	struct output *output = data;

	if (visit != postorder && visit != leaf)
		return;
	if (tsearch(*(void *const *)node, &output->tree, hist_entry__cmp_output))
		output->nr++;
	else
		output->failed = true;
}

static void collect_entry(const void *node, VISIT visit, void *data)
{
	struct hists *hists = data;

	if (visit == postorder || visit == leaf)
		hists->entry[hists->nr_entries++] = *(struct hist_entry *const *)node;
}

static void keep_entry(void *entry)
{
}

static void sort_chains(struct hists *hists, struct hist_entry *entry)
{
	if (!entry->chains)
		return;
	if (hists->opts.chain_mode == HIST_CHAIN_GRAPH)
		chain_tree__sort(entry->chains, min_chain_period(hists));
	else if (hists->opts.chain_mode == HIST_CHAIN_FRACTAL)
		chain_tree__sort_relative(entry->chains, hists->opts.chain_min_percent);
}

/*
 * The order of equal entries depends on whether they are of one thread (see entry-cmp.c), so it is not transitive and nothing for
 * qsort(). A search tree copes with any order, and filled in the order of the keys it gives the result that perf's gives.
 */
static int sort_entries(struct hists *hists)
{
	struct output output = {};

	twalk_r(hists->tree, insert_entry, &output);
	hists->entry = output.failed ? NULL : calloc(output.nr ?: 1, sizeof(*hists->entry));
	if (hists->entry)
		twalk_r(output.tree, collect_entry, hists);
	tdestroy(output.tree, keep_entry);
	return hists->entry ? 0 : -ENOMEM;
}

static bool is_filtered(const struct hists *hists, const struct hist_entry *entry)
{
	return !entry->sym || !strstr(entry->sym->name, hists->opts.symbol_filter);
}

/* Those that are not shown stay in the tree, which owns them. */
static void filter_entries(struct hists *hists)
{
	struct hist_stat shown = {};
	u32 nr = 0;

	for (u32 i = 0; i < hists->nr_entries; i++) {
		if (is_filtered(hists, hists->entry[i]))
			continue;
		hist_stat__add(&shown, &hists->entry[i]->self);
		hists->entry[nr++] = hists->entry[i];
	}
	hists->nr_entries = nr;
	if (hists->opts.relative)
		hists->total_period = shown.period;
}

int hists__settle(struct hists *hists)
{
	return hists__name_late(hists) ?: put_chains(hists);
}

int hists__sort(struct hists *hists)
{
	if (hists__settle(hists) || sort_entries(hists))
		return -ENOMEM;
	for (u32 i = 0; i < hists->nr_entries; i++)
		sort_chains(hists, hists->entry[i]);
	if (hists->opts.symbol_filter)
		filter_entries(hists);
	return 0;
}
