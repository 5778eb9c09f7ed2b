/* SPDX-License-Identifier: GPL-2.0 */
/* Frames of callchains that are told apart, and shown, by more than their function: by address, or by line of the source. */
#ifndef PERF_HIST_CHAIN_LINES_H
#define PERF_HIST_CHAIN_LINES_H

#include "util/hist/hist.h"

/* Make the frame of a place, by the hists' frame_key; its text is the hists'. 0 or -ENOMEM. */
int chain_frame__init(struct chain_frame *frame, struct hists *hists, const struct location *loc);

#endif
