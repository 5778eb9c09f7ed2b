/* SPDX-License-Identifier: GPL-2.0 */
/* A line on the terminal that tells how a recording goes on, and is gone at its end. */
#ifndef PERF_UI_RECORD_PROGRESS_H
#define PERF_UI_RECORD_PROGRESS_H

#include "util/record/record.h"

/* For record_opts.progress. */
void record_progress__show(const struct record_progress *progress);
/* Before anything else is printed; does nothing if no line is shown. */
void record_progress__clear(void);

#endif
