/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings side by side, as perf diff shows them: a group (group.h) whose members are the hists of one event in each file, the baseline
 * first. Entries are the same if their keys are equal by name: programs that were built anew have their functions elsewhere.
 */
#ifndef PERF_HIST_COMPARE_H
#define PERF_HIST_COMPARE_H

#include "util/hist/hist.h"

enum hist_compute {
	HIST_COMPUTE_DELTA_ABS, /* difference of the percentages, sorted by how large it is either way */
	HIST_COMPUTE_DELTA,
	HIST_COMPUTE_RATIO, /* of the periods */
	HIST_COMPUTE_WDIFF, /* difference of the periods times their weights */
};

struct hist_comparison {
	u32 nr_files; /* the baseline is one of them */
	enum hist_compute compute;
	s64 base_weight, file_weight; /* for WDIFF */
	bool show_period, show_formula;
	u32 order; /* the file that decides the order; 0: the baseline's percentages do */
};

/* The columns from left to right. False: there is no such one. */
bool hist_comparison__column(const struct hist_comparison *comparison, u32 i, struct hist_column *column);
/* The primary sort key. False: the order of the columns is all. */
bool hist_comparison__order_column(const struct hist_comparison *comparison, struct hist_column *column);

/* After the last sample: make entries with equal names one. 0 or -ENOMEM. */
int hists__join_names(struct hists *hists);
/* After hists__sort() of the baseline: leave out entries that are not in the baseline, or only there. */
void hists__keep_matched(struct hists *hists);

#endif
