/* SPDX-License-Identifier: GPL-2.0 */
/* A cache of the latest entries, of any hists, by their keys as words: spares most samples the search that compares names. */
#ifndef PERF_HIST_ENTRY_MEMO_H
#define PERF_HIST_ENTRY_MEMO_H

#include "util/hist/entry-cmp.h"

struct entry_memo;

struct entry_memo *entry_memo__new(void); /* NULL: no memory */
void entry_memo__delete(struct entry_memo *memo);

/*
 * Return the slot for the entry with key's keys. *place is NULL if the cache lacks it: the caller finds the entry and stores it
 * there. NULL: the keys of this layout do not fit into words. Valid until the next call.
 */
struct hist_entry **entry_memo__place(struct entry_memo *memo, const struct hist_entry *key);

#endif
