/* SPDX-License-Identifier: GPL-2.0 */
/* Entries that were met lately, of any hists, by their keys as words: spares most samples the search by comparing names. */
#ifndef PERF_HIST_ENTRY_MEMO_H
#define PERF_HIST_ENTRY_MEMO_H

#include "util/hist/entry-cmp.h"

struct entry_memo;

struct entry_memo *entry_memo__new(void); /* NULL: no memory */
void entry_memo__delete(struct entry_memo *memo);

/*
 * The place where the entry with key's keys is, or is to be put after it was found: *place is NULL then. NULL: this layout's keys
 * have no words. Valid until the next call.
 */
struct hist_entry **entry_memo__place(struct entry_memo *memo, const struct hist_entry *key);

#endif
