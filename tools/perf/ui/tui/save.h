/* SPDX-License-Identifier: GPL-2.0 */
/* What the browser shows, as a file of text. */
#ifndef PERF_UI_TUI_SAVE_H
#define PERF_UI_TUI_SAVE_H

#include <stdio.h>
#include "ui/tui/lines.h"
#include "util/lib/errmsg.h"

#define SAVED_NAME_MAX 256

/*
 * Write a file in the current directory that is not there yet: the first of base (with plain_first), base.0, base.1, ...; name becomes its
 * name. 0 or -errno, with nothing left behind.
 */
int save__to_next(const char *base, bool plain_first, void (*print)(FILE *fp, void *data), void *data, char name[SAVED_NAME_MAX],
		  struct errmsg *err);

/* The same for the title and all lines, at their full width and with their marks: perf.hist.0, perf.hist.1, ... */
int browser_lines__save(const struct browser_lines *lines, const char *title, char name[SAVED_NAME_MAX], struct errmsg *err);

#endif
