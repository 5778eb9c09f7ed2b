/* SPDX-License-Identifier: GPL-2.0 */
/* Hints for users whose filter compares with a pattern, or has kept nothing. */
#ifndef PERF_CMD_RECORD_FILTER_HINTS_H
#define PERF_CMD_RECORD_FILTER_HINTS_H

#include "util/event/evsel.h"

/* Before the recording: warn about each name that looks like a pattern but is compared literally. */
void filter_hints__warn(const struct evlist *evlist);

/* After it: print one line on why evsel's filter may have kept nothing. */
void filter_hints__tell_nothing_kept(const struct evsel *evsel);

#endif
