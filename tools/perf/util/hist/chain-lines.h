/* SPDX-License-Identifier: GPL-2.0 */
/* Callchain frames that are distinguished, and shown, by more than their function: by address or by source line. */
#ifndef PERF_HIST_CHAIN_LINES_H
#define PERF_HIST_CHAIN_LINES_H

#include "util/hist/hist.h"

/* Create the frame of a place, by the hists' frame_key. The hists own its text. 0 or -ENOMEM. */
int chain_frame__init(struct chain_frame *frame, struct hists *hists, const struct location *loc);

#endif
