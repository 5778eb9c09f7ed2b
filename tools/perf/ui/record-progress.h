/* SPDX-License-Identifier: GPL-2.0 */
/* A line on the terminal with the progress of a recording; removed at the end. */
#ifndef PERF_UI_RECORD_PROGRESS_H
#define PERF_UI_RECORD_PROGRESS_H

#include "util/record/record.h"

/* For record_opts.progress. */
void record_progress__show(const struct record_progress *progress);
/* Call it before anything else is printed; does nothing if no line is shown. */
void record_progress__clear(void);

#endif
