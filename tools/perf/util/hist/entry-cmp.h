/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_HIST_ENTRY_CMP_H
#define PERF_HIST_ENTRY_CMP_H

#include "util/hist/hist.h"

/*
 * Comparison functions: the arguments are struct hist_entry of one struct hists.
 *
 * Compare by the keys of the layout; 0: both are one entry.
 */
int hist_entry__cmp_keys(const void *a, const void *b);

/* A hash of the keys: equal if hist_entry__cmp_keys() is 0. */
u32 hist_entry__hash(const struct hist_entry *entry);

/* Compare only by the keys of this level of a hierarchy. */
int hist_entry__cmp_level(const struct hist_entry *a, const struct hist_entry *b, u8 level);

/* Compare by the order of the output; negative: a is shown first. Never 0 for two entries, but not transitive. */
int hist_entry__cmp_output(const void *a, const void *b);

/* What hist_entry__cmp_output() compares first, where that is one sum and no callchains are sorted with it: the larger one comes first. */
struct rank_by {
	bool self, total; /* which sum; none: it begins with anything else */
	u32 nr_steps;
	struct rank_step {
		int (*cmp)(const struct hist_entry *a, const struct hist_entry *b); /* NULL: by the column */
		const struct hist_column *column;
	} step[HIST_MAX_COLUMNS]; /* the columns after it that are compared, in their order */
};

void hists__set_rank_by(const struct hists *hists, struct rank_by *by);
/* Compare entries whose sums are equal as hist_entry__cmp_output() does. */
int hist_entry__cmp_rest(const struct hist_entry *a, const struct hist_entry *b, const struct rank_by *by);

static inline u64 rank_by__sum(const struct rank_by *by, const struct hist_entry *entry)
{
	return by->self ? entry->self.period : by->total ? entry->total.period : 0;
}

#endif
