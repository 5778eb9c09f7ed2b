/* SPDX-License-Identifier: GPL-2.0 */
/* The entries of a hists, found by their keys. Owns them. */
#ifndef PERF_HIST_ENTRY_TABLE_H
#define PERF_HIST_ENTRY_TABLE_H

#include "util/lib/hash-index.h"

struct hist_entry;

struct entry_table { /* starts zeroed */
	struct hist_entry **entry; /* in the order of their addition, until entry_table__sort() */
	u32 nr;
	struct hash_index index; /* has all entries, or none: it is made when it is needed */
};

/* Frees all entries. */
void entry_table__exit(struct entry_table *table);
/* The entry with key's keys; NULL: none. */
struct hist_entry *entry_table__find(struct entry_table *table, const struct hist_entry *key);
/* Take ownership of an entry whose keys are new. 0 or -ENOMEM. */
int entry_table__add(struct entry_table *table, struct hist_entry *entry);
/* Forget all entries without freeing them; the caller owns the array, which is malloc'ed, until it adds its entries again. */
struct hist_entry **entry_table__take_all(struct entry_table *table, u32 *nr);
/* Put the entries into the order of their keys. Allowed at any time. */
void entry_table__sort(struct entry_table *table);

#endif
