/* SPDX-License-Identifier: GPL-2.0 */
/* perf report on a terminal: histograms to walk through, through ncurses. */
#ifndef PERF_UI_TUI_BROWSER_H
#define PERF_UI_TUI_BROWSER_H

#include <stdbool.h>
#include "util/hist/hist.h"
#include "util/lib/errmsg.h"

struct browser_event {
	char *title; /* the line above the rows */
	const struct hists *hists; /* sorted */
};

/* Standard input and output are a terminal that ncurses can draw on. */
bool browser__can_run(void);

/*
 * Until the user ends it. input is the path of the recording that is shown. *other becomes the path of another one that the user wants to see
 * in its place, malloc'ed; else NULL. 0 or -errno.
 */
int browser__run(const struct browser_event *events, u32 nr, double min_percent, const char *input, char **other, struct errmsg *err);

#endif
