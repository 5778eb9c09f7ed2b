// SPDX-License-Identifier: GPL-2.0
#include "util/hist/hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/entry-chains.h"
#include "util/hist/entry-cmp.h"
#include "util/hist/entry-rank.h"
#include "util/hist/hist-state.h"
#include "util/hist/late-names.h"
#include "util/hist/put-chains.h"
#include "util/lib/array.h"

/* Is the column's value equal for all samples with the same callchain and command? */
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
	struct resolver *resolver = opts->env ? opts->env->resolver : NULL;

	memset(hists, 0, sizeof(*hists));
	hists->opts = *opts;
	hists->chain_tells_entry = hists->raw_tells_entry = true;
	for (u32 i = 0; i < sort->nr; i++) {
		bool of_chain = is_of_chain(&sort->at[i]);

		hists->chain_tells_entry &= of_chain;
		hists->raw_tells_entry &= of_chain || sort->at[i].key->flags & HIST_KEY_RAW;
		if (resolver && sort->at[i].key->flags & HIST_KEY_DATA_TYPE)
			resolver__read_types(resolver);
	}
}

static void entry__delete(struct hist_entry *entry)
{
	free(entry->others);
	free(entry);
}

bool hist_opts__have_chains(const struct hist_opts *opts)
{
	return opts->children || opts->chain_mode != HIST_CHAIN_NONE;
}

struct hist_shared *hist_shared__new(const struct hist_opts *opts)
{
	struct hist_shared *shared = calloc(1, sizeof(*shared));

	if (!shared)
		return NULL;
	if (hist_opts__have_chains(opts))
		shared->chains = sampled_chains__new(opts->layout->by_place || opts->frame_key != FRAME_BY_FUNCTION);
	if (shared->chains || !hist_opts__have_chains(opts))
		return shared;
	hist_shared__delete(shared);
	return NULL;
}

void hist_shared__delete(struct hist_shared *shared)
{
	if (!shared)
		return;
	free(shared->numbered);
	sampled_chains__delete(shared->chains);
	free(shared);
}

/* Frees what only hists__add() needed. */
static void leave_shared(struct hists *hists)
{
	if (hists->shared != hists->opts.shared)
		hist_shared__delete(hists->shared);
	hists->shared = NULL;
	hists->chains = (struct hist_chains){};
}

void hists__exit(struct hists *hists)
{
	struct hist_entry *kept;

	while ((kept = hists->kept)) {
		hists->kept = kept->next_kept;
		kept->others = NULL; /* was next_kept */
		entry__delete(kept);
	}
	entry_table__exit(&hists->all);
	free(hists->entry);
	free(hists->key);
	free(hists->none);
	free(hists->group);
	hists__free_texts(hists);
	entry_chains__exit(hists);
	leave_shared(hists);
	memset(hists, 0, sizeof(*hists));
}

/* Allocates what hists__add() needs, at the first sample. */
static int prepare(struct hists *hists)
{
	if (!hists->shared)
		hists->shared = hists->opts.shared ?: hist_shared__new(&hists->opts);
	if (!hists->key)
		hists->key = malloc(hist_entry__size(hists));
	return hists->shared && hists->key ? 0 : -ENOMEM;
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
	hist_entry__set_place(key, sample->loc);
	if (sample->loc->map && !sample->branch) /* as in perf; callers and branches show the sampled address */
		key->addr = sample->loc->sym_addr;
	if (hists->opts.layout->nr_values && hist_entry__read_values(key, hists, sample, sample->loc))
		return NULL;
	entry = hists__entry(hists, key);
	if (entry)
		hists->any_unnamed |= key->unnamed;
	return entry;
}

static int count(struct hists *hists, const struct hist_sample *sample)
{
	const struct hist_stat stat = hist_sample__stat(sample);
	struct sampled_chains *chains = hists->shared->chains;
	struct hist_entry *entry;

	entry = entry_of(hists, sample);
	if (!entry)
		return -ENOMEM;
	if (chains)
		return sampled_chains__add(chains, hists, entry, sample, hists->nr_samples);
	hists->shared->last = entry;
	hist_entry__count(entry, &stat, sample->loc->cpumode);
	return 0;
}

static void count_whole(struct hists *hists, const struct hist_stat *stat)
{
	hists->any_samples = true;
	hists->nr_samples += stat->nr;
	hists->total_period += stat->period;
	hists->total_latency += stat->latency;
	hists->all_period += stat->period;
}

int hists__add(struct hists *hists, const struct hist_sample *sample)
{
	const struct hist_stat stat = hist_sample__stat(sample);

	if (prepare(hists) || count(hists, sample))
		return -ENOMEM;
	count_whole(hists, &stat);
	return 0;
}

/* The number of an entry; 0: no memory. */
static u32 number_of(struct hist_shared *shared, struct hist_entry *entry)
{
	if (entry->number)
		return entry->number;
	if (array__grow(shared->numbered, shared->nr_numbered, shared->alloc_numbered))
		return 0;
	shared->numbered[shared->nr_numbered] = entry;
	return entry->number = ++shared->nr_numbered;
}

bool hists__can_add_more(const struct hists *hists, bool with_raw)
{
	return (with_raw ? hists->raw_tells_entry : hists->chain_tells_entry) && (hist_opts__have_chains(&hists->opts) || !hists->opts.layout->has_modes);
}

bool hists__know_callers(const struct hists *hists, u32 callers)
{
	return hists->shared && hists->shared->chains && paths__callers(hists->shared->chains->paths, callers);
}

/* NULL: other data of samples decides about their entries, too, or no chains are kept. */
static struct sampled_chains *chains_by_ids(const struct hists *hists)
{
	return hists->shared && hists->chain_tells_entry ? hists->shared->chains : NULL;
}

void hists__fetch_ids(const struct hists *hists, u32 place, u32 callers)
{
	const struct sampled_chains *chains = chains_by_ids(hists);

	if (chains)
		sampled_chains__fetch_ids(chains, place, callers);
}

bool hists__fetch_known(const struct hists *hists, u32 place, u32 callers)
{
	const struct sampled_chains *chains = chains_by_ids(hists);

	return chains && sampled_chains__fetch_known(chains, place, callers);
}

int hists__add_known(struct hists *hists, const struct hist_sample *sample)
{
	const struct hist_stat stat = hist_sample__stat(sample);
	struct sampled_chains *chains = chains_by_ids(hists);
	int ret = chains ? sampled_chains__add_known(chains, hists, sample, hists->nr_samples) : 0;

	if (ret <= 0)
		return ret;
	hists->any_unnamed |= !sample->thread->comm_set;
	count_whole(hists, &stat);
	return ret;
}

void hist_shared__forget_ids(struct hist_shared *shared)
{
	if (shared->chains)
		sampled_chains__forget_ids(shared->chains);
}

u32 hists__last_place(struct hists *hists)
{
	const struct sampled_chains *chains = hists->shared->chains;

	return chains ? chains->last + 1 : number_of(hists->shared, hists->shared->last);
}

void hists__add_more(struct hists *hists, u32 place, const struct hist_stat *stat)
{
	struct hist_shared *shared = hists->shared;

	hist_stat__add(shared->chains ? &shared->chains->chain[place - 1].stat : &shared->numbered[place - 1]->self, stat);
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
	hists->total_latency += hist_sample__stat(sample).latency;
}

static int sort_entries(struct hists *hists)
{
	hists->entry = calloc(hists->all.nr ?: 1, sizeof(*hists->entry));
	if (!hists->entry)
		return -ENOMEM;
	return hists->opts.children && hists->opts.chain_mode != HIST_CHAIN_NONE ? hists__sort_callers(hists) : hists__sort_by_rank(hists);
}

static bool is_filtered(const struct hists *hists, const struct hist_entry *entry)
{
	return !entry->sym || !strstr(entry->sym->name, hists->opts.symbol_filter);
}

/* Entries that are filtered out stay in hists->all, which owns them. */
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
	if (hists->opts.relative) {
		hists->total_period = shown.period;
		hists->total_latency = shown.latency;
	}
}

int hists__settle(struct hists *hists)
{
	int ret;

	if (hists->settled)
		return 0;
	hists->settled = true;
	ret = hists__name_late(hists) ?: hists__put_chains(hists, hists);
	if (!hist_opts__have_chains(&hists->opts))
		leave_shared(hists);
	return ret;
}

int hists__sort(struct hists *hists)
{
	if (hists__settle(hists) || sort_entries(hists))
		return -ENOMEM;
	if (hists->opts.symbol_filter)
		filter_entries(hists);
	return 0;
}
