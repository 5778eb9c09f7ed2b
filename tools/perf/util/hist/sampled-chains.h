/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts samples by entry and callchain: most chains of a recording occur many times. Trees and the entries of callers are built
 * once for each distinct chain.
 */
#ifndef PERF_HIST_SAMPLED_CHAINS_H
#define PERF_HIST_SAMPLED_CHAINS_H

#include "util/hist/hist.h"
#include "util/hist/paths.h"
#include "util/lib/number-table.h"

struct sampled_chain {
	struct hist_entry *entry;
	struct hist_stat stat;	     /* sums of its samples */
	u64 first_sample;
	const struct thread *thread; /* of the first sample */
	const char *comm;	     /* name of the thread at that sample */
	struct chain_run *run;	     /* its frames, see entry-chains.h; NULL: not made */
	u32 path;		     /* in the current struct sampled_chains */
	u32 next;		     /* next chain of the same hists: its index, plus 1; 0: this is the last one */
	u32 same;		     /* next chain of other hists, in the same way, see entry_chains__stack() */
	u8 cpumode;		     /* of the first sample */
};

struct sampled_chains {
	struct sampled_chain *chain; /* of all hists, in the order of their first samples */
	u32 nr;
	struct paths *paths;
	struct shown_trees *shown; /* see entry-chains.c; NULL: none was made */
	u32 last; /* chain of the sample that was counted last; valid while there are chains */
	/* the rest is private to sampled-chains.c */
	u32 alloc;
	struct hash_index *index;
	struct number_table places; /* struct known_place, by id */
};

struct sampled_chains *sampled_chains__new(bool by_address); /* see paths__new(). NULL: no memory */
void sampled_chains__delete(struct sampled_chains *chains);

/* Count a sample of entry in hists; number is the sample's number there. 0 or -ENOMEM. */
int sampled_chains__add(struct sampled_chains *chains, struct hists *hists, struct hist_entry *entry, const struct hist_sample *sample,
			u64 number);

/* Add a sample without looking at it, if its place and its callers are known: see hists__add_known(). */
int sampled_chains__add_known(struct sampled_chains *chains, struct hists *hists, const struct hist_sample *sample, u64 number);

/* Prefetch what __add_known() reads: see hists__fetch_ids() and hists__fetch_known(). */
void sampled_chains__fetch_ids(const struct sampled_chains *chains, u32 place, u32 callers);
bool sampled_chains__fetch_known(const struct sampled_chains *chains, u32 place, u32 callers);
void sampled_chains__forget_ids(struct sampled_chains *chains); /* they begin anew */

/* No more chains will be added: free what only served to find them. */
void sampled_chains__seal(struct sampled_chains *chains);

#endif
