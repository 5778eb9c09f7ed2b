/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_HIST_ENTRY_CMP_H
#define PERF_HIST_ENTRY_CMP_H

#include "util/hist/hist.h"

/*
 * For tsearch(3): the arguments are struct hist_entry of one struct hists.
 *
 * By the keys of the layout; 0: it is one entry.
 */
int hist_entry__cmp_keys(const void *a, const void *b);

/* By those keys alone that are of this level of a hierarchy. */
int hist_entry__cmp_level(const struct hist_entry *a, const struct hist_entry *b, u8 level);

/* By what decides the order of the output; negative: a is shown first. Never 0 for two entries, but not transitive. */
int hist_entry__cmp_output(const void *a, const void *b);

/*
 * The keys as plain words: entries with the same words are one. (Others may be one too: words are identities, such as addresses
 * of names.) Returns how many, at most HIST_KEY_WORDS; -1: the keys of this layout cannot be put that way.
 */
#define HIST_KEY_WORDS 16
int hist_entry__key_words(const struct hist_entry *entry, u64 *words);

#endif
