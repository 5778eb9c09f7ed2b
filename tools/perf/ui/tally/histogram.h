/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms of numbers, put together from what was counted in the kernel: one for each key. */
#ifndef PERF_UI_TALLY_HISTOGRAM_H
#define PERF_UI_TALLY_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"
#include "util/source/tally.h"

/* Larger than all values: buckets of them may be about to exceed 64 bits. */
typedef __int128 wide;

struct histogram_bar {
	s32 bucket; /* see bpf_skel/histogram.h */
	u64 count;  /* not 0 */
};

struct histogram {
	struct tally_row who; /* the key; stacks and what is counted are not filled in */
	struct histogram_bar *bar; /* ascending */
	u32 nr_bars;
	u64 count;
	bool sum_known; /* what the kernel has summed up has not overflown */
	wide sum, least, greatest;
};

struct histograms;

struct histograms *histograms__new(void); /* NULL: out of memory */
/* row->hist is the same for all, and outlives the histograms. 0 or -ENOMEM. */
int histograms__add(struct histograms *set, const struct tally_row *row);
const struct histogram_config *histograms__config(const struct histograms *set); /* NULL: there are none */
/* The ith of the sorted ones, most counted first, or NULL. Sort after the last add. */
void histograms__sort(struct histograms *set);
const struct histogram *histograms__get(const struct histograms *set, u32 i);
void histograms__clear(struct histograms *set);
void histograms__delete(struct histograms *set); /* NULL is fine */

/* An array of nr new ones, such as one for each event. NULL: out of memory. */
struct histograms **histograms__new_array(u32 nr);
void histograms__delete_array(struct histograms **sets, u32 nr); /* NULL is fine */

/* The values of a bucket, both ends in. HISTOGRAM_OVER and HISTOGRAM_UNDER end where numbers of 64 bits do. */
struct histogram_range {
	wide low, high;
};
struct histogram_range histogram_range(const struct histogram_config *config, s32 bucket);

#endif
