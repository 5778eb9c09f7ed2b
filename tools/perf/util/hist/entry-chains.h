/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callchains of entries. An entry knows which chains go through it, and from which frame on: its uses. The tree of them is made when it is
 * shown, and ends then: the trees of all entries would take as many nodes as there are samples, times the depth of their chains.
 */
#ifndef PERF_HIST_ENTRY_CHAINS_H
#define PERF_HIST_ENTRY_CHAINS_H

#include "util/hist/hist-state.h"

struct chain_use {
	u32 next;  /* of the same entry: its place, plus 1; 0: the last one */
	u32 chain; /* its place, plus 1 */
	u32 from;  /* how many of the chain's frames come before, in the order of the tree */
};

struct entry_chains; /* of one hists: hists->entry_chains */

/* Make those of hists, whose samples are all there: uses are of chains in the same table. 0 or -ENOMEM. */
int entry_chains__init(struct hists *hists, struct sampled_chains *chains);
void entry_chains__exit(struct hists *hists);

/* A chain goes through an entry of hists. 0 or -ENOMEM. */
int entry_chains__add(struct entry_chains *ec, struct hist_entry *entry, u32 chain, u32 from);

/*
 * The place, plus 1, of the first chain with the same entry, path and mode as this one, of any member of a group: the others follow by
 * sampled_chain.same. 0: no memory.
 */
u32 entry_chains__stack(struct entry_chains *ec, const struct hist_entry *entry, u32 chain);
/* No chains will come any more. */
void entry_chains__seal(struct entry_chains *ec);

/* The callchains of an entry, in the order in which they are shown; tree is to be ended by chain_tree__exit(). 0 or -ENOMEM. */
int hist_entry__make_tree(const struct hist_entry *entry, struct chain_tree *tree);

/*
 * Of a group's leader: what each member's samples with the entry on their chain sum up to, the leader's own not. Until the next call;
 * NULL: none has a sample with a chain.
 */
const u64 *hist_entry__member_totals(const struct hist_entry *entry);

#endif
