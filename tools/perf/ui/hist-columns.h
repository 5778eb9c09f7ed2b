/* SPDX-License-Identifier: GPL-2.0 */
/* The columns of a histogram as text: one table that says how wide each field is and how it is written. */
#ifndef PERF_UI_HIST_COLUMNS_H
#define PERF_UI_HIST_COLUMNS_H

#include <stdio.h>
#include "util/hist/hist.h"

/* How many characters each column of the layout takes, from left to right. hists must be sorted. */
void hists__measure(const struct hists *hists, int width[HIST_MAX_COLUMNS]);

/* One line without its end: the titles, and an entry. Between columns is separator, or two blanks if it is NULL. */
void hists__fprintf_titles(const struct hists *hists, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator);
void hist_entry__fprintf(const struct hist_entry *entry, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator);

#endif
