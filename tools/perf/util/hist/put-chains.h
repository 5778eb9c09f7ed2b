/* SPDX-License-Identifier: GPL-2.0 */
/* From the chains of samples to entries: those of the samples and those of their callers. */
#ifndef PERF_HIST_PUT_CHAINS_H
#define PERF_HIST_PUT_CHAINS_H

#include "util/hist/hist.h"

/*
 * Add the chains of hists to entries, after its last sample. shown: the hists whose entries the chains go through, either hists
 * itself or the leader of its group, whose own chains were put before. The sums of other members go into their own entries (self)
 * and into hist_entry__member_totals(). 0 or -ENOMEM.
 */
int hists__put_chains(struct hists *hists, struct hists *shown);

#endif
