// SPDX-License-Identifier: GPL-2.0
#include "ui/report/stdio.h"

#include <errno.h>

#include "ui/report/callchain.h"
#include "ui/report/columns.h"
#include "ui/report/hierarchy.h"

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

int hists__fprintf(const struct hists *hists, FILE *fp, const struct hist_stdio_opts *opts)
{
	int width[HIST_MAX_COLUMNS];

	if (opts->hierarchy)
		return hists__fprintf_hierarchy(hists, fp, opts);
	hists__measure(hists, width);
	if (!opts->no_header)
		print_header(hists, fp, width, opts->separator);
	for (u32 i = 0; i < hists->nr_entries; i++) {
		const struct hist_entry *entry = hists->entry[i];

		if (hist_entry__percent(entry, hist_entry__period(entry)) < opts->min_percent)
			continue;
		fputs_unlocked(opts->separator ? "" : "  ", fp);
		hist_entry__fprintf(entry, fp, width, opts->separator);
		fputc_unlocked('\n', fp);
		if (hist_entry__fprintf_chains(entry, fp, opts->skip_first_frame))
			return -ENOMEM;
	}
	return 0;
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
