/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which callchains the samples of which entries had, and how often: most chains of a recording come many times. What is made of
 * them, trees and the entries of callers, is made once for each different one.
 */
#ifndef PERF_HIST_SAMPLED_CHAINS_H
#define PERF_HIST_SAMPLED_CHAINS_H

#include "util/hist/hist.h"
#include "util/hist/paths.h"
#include "util/lib/number-table.h"

struct sampled_chain {
	struct hist_entry *entry;
	struct hist_stat stat;	     /* of its samples */
	u64 first_sample;
	const struct thread *thread; /* of the first sample */
	const char *comm;	     /* its name then */
	union {
		const struct symbol *sym; /* where it was; while samples are added */
		struct chain_run *run;	  /* then: its frames, see entry-chains.h; NULL: not made */
	};
	u32 path;		     /* of the present struct sampled_chains */
	u32 next;		     /* of the same hists: its place, plus 1; 0: the last one */
	u32 same;		     /* of other hists, see entry_chains__stack(): the same */
	u8 cpumode;		     /* of the first sample */
};

struct sampled_chains {
	struct sampled_chain *chain; /* of all hists, in the order of their first samples */
	u32 nr;
	struct paths *paths;
	u32 last; /* that a sample was counted for; as long as there is any */
	/* the rest is sampled-chains.c's own */
	u32 alloc;
	struct hash_index *index;
	struct number_table path_of_callers; /* u32: by callchain.callers, plus 1; 0: unknown */
	bool by_address;
};

struct sampled_chains *sampled_chains__new(bool by_address); /* see paths__new(). NULL: no memory */
void sampled_chains__delete(struct sampled_chains *chains);

/* Count a sample of entry in hists; number is its own there. 0 or -ENOMEM. */
int sampled_chains__add(struct sampled_chains *chains, struct hists *hists, struct hist_entry *entry, const struct hist_sample *sample,
			u64 number);

/* No chains will be added any more: end what only served to find them. */
void sampled_chains__seal(struct sampled_chains *chains);

/* Of chains with this one's callers, those that end in the same function are one here. The sample has a chain. */
bool sampled_chains__are_told_by_function(const struct sampled_chains *chains, const struct hist_sample *sample);

/*
 * Where its callchain and its command alone tell the entry of a sample: count one that is like the last one that was added with its
 * chain, or with its callers, without looking for the entry. false: it has to be added.
 */
bool sampled_chains__count_again(struct sampled_chains *chains, const struct hists *hists, const struct hist_sample *sample);

#endif
