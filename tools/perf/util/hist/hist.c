// SPDX-License-Identifier: GPL-2.0
#include "util/hist/hist.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/entry-cmp.h"

void hists__init(struct hists *hists, const struct hist_opts *opts)
{
	memset(hists, 0, sizeof(*hists));
	hists->opts = *opts;
}

static void entry__delete(void *p)
{
	struct hist_entry *entry = p;

	chain_tree__exit(&entry->chains);
	free(entry->trace);
	free(entry);
}

void hists__exit(struct hists *hists)
{
	tdestroy(hists->tree, entry__delete);
	free(hists->entry);
	free(hists->frames);
	memset(hists, 0, sizeof(*hists));
}

static char level_of(u8 cpumode)
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

static struct hist_entry *entry__new(const struct hist_entry *key)
{
	struct hist_entry *entry = malloc(sizeof(*entry));

	if (!entry)
		return NULL;
	*entry = *key;
	if (key->trace) {
		entry->trace = strdup(key->trace);
		if (!entry->trace) {
			free(entry);
			return NULL;
		}
	}
	return entry;
}

/* The entry with key's keys, made if there is none; NULL: no memory. */
static struct hist_entry *find_or_add(struct hists *hists, struct hist_entry *key)
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

static void stat__add(struct hist_stat *stat, const struct hist_sample *sample)
{
	stat->period += sample->period;
	stat->nr += sample->nr;
}

/* The callchain as frames in the order of the entries' trees. Returns how many, or -ENOMEM. */
static int collect_frames(struct hists *hists, const struct callchain *chain)
{
	if (!chain)
		return 0;
	if (chain->nr > hists->alloc_frames) {
		struct chain_frame *frames = reallocarray(hists->frames, chain->nr, sizeof(*frames));

		if (!frames)
			return -ENOMEM;
		hists->frames = frames;
		hists->alloc_frames = chain->nr;
	}
	for (u32 i = 0; i < chain->nr; i++) {
		const struct location *loc = &chain->frame[hists->opts.caller_first ? chain->nr - 1 - i : i];

		hists->frames[i] = (struct chain_frame){ .dso = loc->dso, .sym = loc->sym, .addr = loc->addr };
	}
	return chain->nr;
}

static int add_chain(struct hists *hists, struct hist_entry *entry, u32 from, u32 nr, u64 period)
{
	if (hists->opts.chain_mode == HIST_CHAIN_NONE)
		return 0;
	return chain_tree__add(&entry->chains, hists->frames + from, nr - from, period);
}

/* Count the sample for each function on its callchain, once for recursive ones, with the part of the chain from there on. */
static int add_children(struct hists *hists, struct hist_entry *key, const struct hist_sample *sample, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		const struct location *loc = &sample->chain->frame[hists->opts.caller_first ? nr - 1 - i : i];
		struct hist_entry *entry;

		key->dso = loc->dso;
		key->sym = loc->sym;
		key->addr = loc->addr;
		if (loc->map) /* as in perf, a frame that nothing is known of keeps the level of the one before it */
			key->level = level_of(loc->cpumode);
		entry = find_or_add(hists, key);
		if (!entry)
			return -ENOMEM;
		if (entry->last_sample == hists->nr_samples)
			continue;
		entry->last_sample = hists->nr_samples;
		stat__add(&entry->total, sample);
		if (add_chain(hists, entry, i, nr, sample->period))
			return -ENOMEM;
	}
	return 0;
}

int hists__add(struct hists *hists, const struct hist_sample *sample)
{
	struct hist_entry key = {
		.hists = hists,
		.thread = sample->thread,
		.comm = sample->thread->comm,
		.tid = sample->thread->tid,
		.cpu = sample->cpu,
		.dso = sample->loc->dso,
		.sym = sample->loc->sym,
		.addr = sample->loc->map ? sample->loc->sym_addr : sample->loc->addr,
		.level = level_of(sample->loc->cpumode),
		.trace = (char *)sample->trace, /* entry__new() copies it */
	};
	struct hist_entry *entry;
	int nr;

	nr = collect_frames(hists, sample->chain);
	entry = nr < 0 ? NULL : find_or_add(hists, &key);
	if (!entry)
		return -ENOMEM;
	hists->nr_samples += sample->nr;
	hists->total_period += sample->period;
	stat__add(&entry->self, sample);
	if (hists->opts.children) {
		entry->last_sample = hists->nr_samples;
		stat__add(&entry->total, sample);
	}
	if (add_chain(hists, entry, 0, nr, sample->period))
		return -ENOMEM;
	return hists->opts.children ? add_children(hists, &key, sample, nr) : 0;
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
	double percent = hists->opts.chain_min_percent;

	if (hists->opts.chain_mode == HIST_CHAIN_GRAPH)
		chain_tree__sort(&entry->chains, hists->total_period * (percent / 100));
	else if (hists->opts.chain_mode == HIST_CHAIN_FRACTAL)
		chain_tree__sort_relative(&entry->chains, percent);
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

int hists__sort(struct hists *hists)
{
	if (sort_entries(hists))
		return -ENOMEM;
	for (u32 i = 0; i < hists->nr_entries; i++)
		sort_chains(hists, hists->entry[i]);
	return 0;
}
