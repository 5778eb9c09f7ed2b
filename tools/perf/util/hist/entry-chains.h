/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callchains of entries. An entry records its uses: which chains go through it, and from which frame on. Its tree is built when
 * the entry is shown and freed afterwards. All trees together would take as many nodes as there are samples, times the depth of
 * their chains.
 */
#ifndef PERF_HIST_ENTRY_CHAINS_H
#define PERF_HIST_ENTRY_CHAINS_H

#include "util/hist/hist-state.h"

struct chain_use {
	u32 next;  /* next use of the same entry: its index, plus 1; 0: this is the last one */
	u32 chain; /* index of the chain, plus 1 */
	u32 from;  /* how many frames of the chain come before, in the order of the tree */
};

struct entry_chains; /* of one hists: hists->entry_chains */

/* Create the entry chains of hists after its last sample: they refer to chains in one table. 0 or -ENOMEM. */
int entry_chains__init(struct hists *hists, struct sampled_chains *chains);
void entry_chains__exit(struct hists *hists);

/* Record that a chain goes through an entry of hists. 0 or -ENOMEM. */
int entry_chains__add(struct entry_chains *ec, struct hist_entry *entry, u32 chain, u32 from);

/*
 * The index, plus 1, of the first chain with the same entry, path and mode as this one, of any member of a group; sampled_chain.same
 * links the others. 0: no memory.
 */
u32 entry_chains__stack(struct entry_chains *ec, const struct hist_entry *entry, u32 chain);
/* No more chains will be added. */
void entry_chains__seal(struct entry_chains *ec);

/* Build the callchains of an entry in the order in which they are shown. The caller ends tree by chain_tree__exit(). 0 or -ENOMEM. */
int hist_entry__make_tree(const struct hist_entry *entry, struct chain_tree *tree);

/*
 * For a group's leader: the sums of each other member's samples that have the entry on their chain. Valid until the next call. NULL:
 * no sample with a chain.
 */
const u64 *hist_entry__member_totals(const struct hist_entry *entry);

#endif
