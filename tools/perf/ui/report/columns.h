/* SPDX-License-Identifier: GPL-2.0 */
/* The columns of a report's rows as text: one table with the width and the printer of each field. */
#ifndef PERF_UI_REPORT_COLUMNS_H
#define PERF_UI_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>
#include "util/hist/hist.h"
#include "util/lib/text.h"

struct hist_stdio_opts {
	double min_percent;	/* do not print entries below this */
	bool no_header;		/* rows only */
	const char *separator;	/* between columns, instead of blanks; NULL: none */
	bool skip_first_frame;	/* in callchains: it repeats the entry's symbol */
	bool hierarchy;		/* a tree whose levels are the keys */
	bool full;		/* do not cut texts that are wider than HIST_TEXT_WIDTH */
	int terminal_width;	/* of the terminal that rows shall fit on, see hists__fit_widths(); 0: none */
};

#define HIST_TEXT_WIDTH 120 /* of a column, whose longer texts are cut in the middle */

/* Set the width of each column of the layout in characters, from left to right. hists must be sorted. */
void hists__measure(const struct hists *hists, int width[HIST_MAX_COLUMNS]);

/* Let no text make its column wider than HIST_TEXT_WIDTH. */
void hists__limit_widths(const struct hists *hists, int width[HIST_MAX_COLUMNS]);

/*
 * Let a row fit on that many columns, if it can: make the widest text narrower again and again. The last column comes last, since a terminal's
 * edge may cut that.
 */
void hists__fit_widths(const struct hists *hists, int width[HIST_MAX_COLUMNS], int terminal_width);

/* One line without newline: the titles, or an entry. Columns are separated by separator, or by two blanks if it is NULL. */
void hists__fprintf_titles(const struct hists *hists, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator);
void hist_entry__put(const struct hist_entry *entry, struct text *row, const int width[HIST_MAX_COLUMNS], const char *separator);

#define HIST_CELL_MAX 65536 /* limit of a cell's text in bytes; longer texts are cut */

/* Parts of such lines. The text of a cell is padded on one side only if its key pads it; returns its length. */
const char *hist_column__title(const struct hists *hists, const struct hist_column *column);
int hist_entry__cell(char *buf, size_t size, const struct hist_entry *entry, const struct hist_column *column, int width);
void hide_separator(char *text, const char *separator); /* replaces a separator of a single character in a cell */
/* pad: add blanks up to the width */
void hist_entry__put_cell(const struct hist_entry *entry, struct text *row, const struct hist_column *column, int width,
			  const char *separator, bool pad);

#endif
