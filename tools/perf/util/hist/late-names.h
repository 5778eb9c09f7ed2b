/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task may be sampled before the record comes that tells its name, as at the start of a command that is recorded. Until then its
 * name is ":TID"; afterwards its entries get the first name that was told, and those that are equal then become one.
 */
#ifndef PERF_HIST_LATE_NAMES_H
#define PERF_HIST_LATE_NAMES_H

#include "util/hist/hist.h"

/*
 * When all samples are there. What became part of another entry has it in ->became, is no longer in the tree, and stays allocated
 * in hists->kept. 0 or -ENOMEM.
 */
int hists__name_late(struct hists *hists);

#endif
