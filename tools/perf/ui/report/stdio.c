// SPDX-License-Identifier: GPL-2.0
#include "ui/report/stdio.h"

#include <errno.h>

#include "ui/report/callchain.h"
#include "ui/report/columns.h"
#include "ui/report/hierarchy.h"

#define MANY_ROWS 16384 /* bytes */

static void write_rows(struct text *rows, FILE *fp)
{
	if (rows->len)
		fwrite_unlocked(rows->buf, 1, rows->len, fp);
	rows->len = 0;
}

static void print_header(const struct hists *hists, FILE *fp, const int *width, const char *separator)
{
	fputs("# ", fp);
	hists__fprintf_titles(hists, fp, width, separator);
	fputs("\n", fp);
	if (separator)
		return;
	fputs("# ", fp);
	for (u32 i = 0; i < hists->opts.layout->columns.nr; i++) {
		fputs(i ? "  " : "", fp);
		for (int n = 0; n < width[i]; n++)
			fputc('.', fp);
	}
	fputs("\n#\n", fp);
}

#define ROWS_AHEAD 8

/* Entries are in memory in the order of their first samples. */
static void fetch_row(const struct hists *hists, u32 i)
{
	if (i >= hists->nr_entries)
		return;
	__builtin_prefetch(hists->entry[i]);
	__builtin_prefetch(&hists->entry[i]->self);
}

/* Rows are collected while no callchains are printed between them. */
static int print_rows(const struct hists *hists, FILE *fp, const int *width, const struct hist_stdio_opts *opts)
{
	struct text rows = {};
	bool chains = hists->opts.chain_mode != HIST_CHAIN_NONE;
	int ret = 0;

	for (u32 i = 0; i < hists->nr_entries && !ret; i++) {
		const struct hist_entry *entry = hists->entry[i];

		fetch_row(hists, i + ROWS_AHEAD);
		if (hist_entry__percent(entry, hist_entry__period(entry)) < opts->min_percent)
			continue;
		text__str(&rows, opts->separator ? "" : "  ");
		hist_entry__put(entry, &rows, width, opts->separator);
		text__char(&rows, '\n');
		if (chains || rows.len >= MANY_ROWS)
			write_rows(&rows, fp);
		if (chains)
			ret = hist_entry__fprintf_chains(entry, fp, opts->skip_first_frame);
	}
	write_rows(&rows, fp);
	ret = ret ?: rows.failed ? -ENOMEM : 0;
	text__exit(&rows);
	return ret;
}

int hists__fprintf(const struct hists *hists, FILE *fp, const struct hist_stdio_opts *opts)
{
	int width[HIST_MAX_COLUMNS];

	if (opts->hierarchy)
		return hists__fprintf_hierarchy(hists, fp, opts);
	hists__measure(hists, width);
	if (!opts->full && !opts->separator)
		hists__limit_widths(hists, width);
	if (opts->terminal_width)
		hists__fit_widths(hists, width, opts->terminal_width);
	if (!opts->no_header)
		print_header(hists, fp, width, opts->separator);
	return print_rows(hists, fp, width, opts);
}

u64 count_in_units(u64 count, char *unit)
{
	static const char units[] = " KMG";
	int i = 0;

	while (count > 1000 && units[i + 1]) {
		count /= 1000;
		i++;
	}
	*unit = units[i];
	return count;
}
