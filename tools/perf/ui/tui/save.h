/* SPDX-License-Identifier: GPL-2.0 */
/* What the browser shows, as a file of text. */
#ifndef PERF_UI_TUI_SAVE_H
#define PERF_UI_TUI_SAVE_H

#include "ui/tui/lines.h"
#include "util/lib/errmsg.h"

#define SAVED_NAME_MAX 32

/*
 * Write the title and all lines, at their full width and with their marks, to the first of perf.hist.0, perf.hist.1, ... in the current
 * directory that is not there yet; name becomes its name. 0 or -errno, with nothing left behind.
 */
int browser_lines__save(const struct browser_lines *lines, const char *title, char name[SAVED_NAME_MAX], struct errmsg *err);

#endif
