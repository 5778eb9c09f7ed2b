/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms of numbers, built from the kernel's counts: one for each key. */
#ifndef PERF_UI_TALLY_HISTOGRAM_H
#define PERF_UI_TALLY_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"
#include "util/source/tally.h"

/* Holds all values: ends of buckets may exceed 64 bits. */
typedef __int128 wide;

struct histogram_bar {
	s32 bucket; /* see bpf_skel/histogram.h */
	u64 count;  /* not 0 */
};

struct histogram {
	struct tally_row who; /* the key; stacks and counts are not set */
	struct histogram_bar *bar; /* ascending */
	u32 nr_bars;
	u64 count;
	bool sum_known; /* the kernel's sum has not overflowed */
	wide sum, least, greatest;
};

struct histograms;

struct histograms *histograms__new(void); /* NULL: out of memory */
/* row->hist must be the same for all, and outlive the histograms. 0 or -ENOMEM. */
int histograms__add(struct histograms *set, const struct tally_row *row);
const struct histogram_config *histograms__config(const struct histograms *set); /* NULL: there are none */
/* Histogram i after sorting, largest count first, or NULL. Sort after the last add. */
void histograms__sort(struct histograms *set);
const struct histogram *histograms__get(const struct histograms *set, u32 i);
void histograms__clear(struct histograms *set);
void histograms__delete(struct histograms *set); /* NULL is fine */

/* Allocate an array of nr histograms, such as one for each event. NULL: out of memory. */
struct histograms **histograms__new_array(u32 nr);
void histograms__delete_array(struct histograms **sets, u32 nr); /* NULL is fine */

/* The values of a bucket, both ends included. HISTOGRAM_OVER and HISTOGRAM_UNDER end at the limits of 64-bit numbers. */
struct histogram_range {
	wide low, high;
};
struct histogram_range histogram_range(const struct histogram_config *config, s32 bucket);

#endif
