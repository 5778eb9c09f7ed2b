/* SPDX-License-Identifier: GPL-2.0 */
/* From the chains of samples to entries: those of the samples, and those of the callers. */
#ifndef PERF_HIST_PUT_CHAINS_H
#define PERF_HIST_PUT_CHAINS_H

#include "util/hist/hist.h"

/*
 * Count the chains of hists, whose samples are all there. shown: whose entries they go through, hists itself or the leader of its group,
 * whose own were put before. The sums of other members are in their own entries (self), and in hist_entry__member_totals(). 0 or -ENOMEM.
 */
int hists__put_chains(struct hists *hists, struct hists *shown);

#endif
