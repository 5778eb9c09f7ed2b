/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task may be sampled before the record with its name arrives, for example when a recorded command starts. Until then its name is
 * ":TID"; afterwards its entries get the first real name, and equal entries are merged.
 */
#ifndef PERF_HIST_LATE_NAMES_H
#define PERF_HIST_LATE_NAMES_H

#include "util/hist/hist.h"

/*
 * Call it after the last sample. An entry that was merged into another one points to it by ->became, is no longer in the table, and
 * stays allocated in hists->kept. 0 or -ENOMEM.
 */
int hists__name_late(struct hists *hists);

#endif
