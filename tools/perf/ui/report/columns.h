/* SPDX-License-Identifier: GPL-2.0 */
/* The columns of a report's rows as text: one table that says how wide each field is and how it is written. */
#ifndef PERF_UI_REPORT_COLUMNS_H
#define PERF_UI_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>
#include "util/hist/hist.h"

struct hist_stdio_opts {
	double min_percent;	/* entries below are not printed */
	bool no_header;		/* rows only */
	const char *separator;	/* between columns, in the place of blanks; NULL: none */
	bool skip_first_frame;	/* of callchains: it is the entry's symbol again */
	bool hierarchy;		/* a tree whose levels are the keys */
};

/* How many characters each column of the layout takes, from left to right. hists must be sorted. */
void hists__measure(const struct hists *hists, int width[HIST_MAX_COLUMNS]);

/* One line without its end: the titles, and an entry. Between columns is separator, or two blanks if it is NULL. */
void hists__fprintf_titles(const struct hists *hists, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator);
void hist_entry__fprintf(const struct hist_entry *entry, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator);

#define HIST_CELL_MAX 65536 /* bytes of a cell's text; what is longer is cut */

/* Parts of such lines. The text of a cell is padded on one side only where its key does so itself; returns its length. */
const char *hist_column__title(const struct hists *hists, const struct hist_column *column);
int hist_entry__cell(char *buf, size_t size, const struct hist_entry *entry, const struct hist_column *column, int width);
void hide_separator(char *text, const char *separator); /* no cell has one of a single character in it */
/* pad: blanks behind it up to the width */
void hist_entry__fprintf_cell(const struct hist_entry *entry, FILE *fp, const struct hist_column *column, int width,
			      const char *separator, bool pad);

#endif
