// SPDX-License-Identifier: GPL-2.0
#include "ui/hist-columns.h"

#include <string.h>

#define CELL_MAX 65536 /* bytes; what is longer is cut */

/* Text of a cell, padded on one side only where its key does so itself. */
static int cell__text(char *buf, size_t size, const struct hist_entry *entry, const struct hist_column *column, int width)
{
	struct hist_cell cell = { .entry = entry, .width = width };
	int len;

	if (column->key->kind == HIST_KEY_VALUE)
		cell.value = &entry->value[column->slot];
	if (column->key->print)
		len = column->key->print(buf, size, &cell);
	else
		len = snprintf(buf, size, "%*s", column->key->flags & HIST_KEY_RIGHT ? width : 0, cell.value->shown ?: cell.value->text);
	return len < 0 ? 0 : len;
}

static const char *column_title(const struct hists *hists, const struct hist_column *column)
{
	if (column->key->flags & HIST_KEY_FIELD)
		return column->field;
	if (hists->opts.children && !hists->opts.layout.own_columns && !strcmp(column->key->name, "overhead"))
		return "Self";
	return column->key->title;
}

static int entry_width(const struct hist_entry *entry, const struct hist_column *column)
{
	char buf[CELL_MAX];

	return column->key->measure ? column->key->measure(entry) : cell__text(buf, sizeof(buf), entry, column, 0);
}

static int column_width(const struct hists *hists, const struct hist_column *column)
{
	int title = strlen(column_title(hists, column)), width = column->width > title ? column->width : title;

	for (u32 e = 0; e < hists->nr_entries && !(column->key->flags & HIST_KEY_FIXED); e++) {
		int w = entry_width(hists->entry[e], column);

		if (w > width)
			width = w;
	}
	return width;
}

void hists__measure(const struct hists *hists, int width[HIST_MAX_COLUMNS])
{
	const struct hist_column_list *list = &hists->opts.layout.columns;

	for (u32 i = 0; i < list->nr; i++)
		width[i] = column_width(hists, &list->at[i]);
}

void hists__fprintf_titles(const struct hists *hists, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator)
{
	const struct hist_column_list *list = &hists->opts.layout.columns;

	for (u32 i = 0; i < list->nr; i++) {
		int w = list->at[i].key->flags & HIST_KEY_RIGHT ? width[i] : -width[i];

		fprintf(fp, "%s%*s", i ? separator ?: "  " : "", w, column_title(hists, &list->at[i]));
	}
}

/* As in perf: sums stand at the left behind a blank, and the separator is in no cell. */
static void put_separated(FILE *fp, char *text, int len, int width, const char *separator, bool sum)
{
	if (strlen(separator) == 1) {
		for (char *at = text; (at = strchr(at, *separator)); at++)
			*at = '.';
	}
	len += sum;
	fprintf(fp, "%s%s%*s", sum ? " " : "", text, width > len ? width - len : 0, "");
}

void hist_entry__fprintf(const struct hist_entry *entry, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator)
{
	const struct hist_column_list *list = &entry->hists->opts.layout.columns;
	char buf[CELL_MAX];

	for (u32 i = 0; i < list->nr; i++) {
		const struct hist_column *column = &list->at[i];
		bool sum = column->key->kind == HIST_KEY_SUM;
		int len;

		fputs(i ? separator ?: "  " : "", fp);
		len = cell__text(buf, sizeof(buf), entry, column, separator && sum ? 0 : width[i]);
		if (separator) {
			put_separated(fp, buf, len, i + 1 < list->nr ? width[i] : 0, separator, sum);
			continue;
		}
		fputs(buf, fp);
		if (i + 1 < list->nr && len < width[i])
			fprintf(fp, "%*s", width[i] - len, "");
	}
}
