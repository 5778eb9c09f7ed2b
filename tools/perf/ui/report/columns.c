// SPDX-License-Identifier: GPL-2.0
#include "ui/report/columns.h"

#include <string.h>

#include "util/hist/entry-chains.h"
#include "util/hist/group.h"
#include "util/lib/text.h"

static u32 nr_members(const struct hists *hists)
{
	return hists->nr_group ?: 1;
}

static int put_text(char *buf, size_t size, const struct hist_cell *cell, const struct hist_column *column)
{
	int len;

	if (column->key->print)
		len = column->key->print(buf, size, cell);
	else
		len = snprintf(buf, size, "%*s", column->key->flags & HIST_KEY_RIGHT ? cell->width : 0,
			       cell->value->shown ?: cell->value->text);
	return len < 0 ? 0 : len;
}

/* Print the sums of all members of a group side by side. */
static int put_sums(char *buf, size_t size, const struct hist_entry *entry, const struct hist_column *column, int width)
{
	u32 nr = nr_members(entry->hists);
	const u64 *totals = nr > 1 && column->key->flags & HIST_KEY_TOTAL ? hist_entry__member_totals(entry) : NULL;
	size_t len = 0;

	for (u32 i = 0; i < nr && len < size; i++) {
		struct hist_cell cell = { .entry = hist_entry__member(entry, i), .column = column, .width = width / (int)nr };

		cell.total = i && totals ? totals[i] : cell.entry->total.period;
		if (i && !width)
			len += text__copy(buf + len, size - len, " ");
		len += put_text(buf + len, size - len, &cell, column);
	}
	return len;
}

int hist_entry__cell(char *buf, size_t size, const struct hist_entry *entry, const struct hist_column *column, int width)
{
	struct hist_cell cell = { .entry = entry, .column = column, .width = width };

	if (column->key->kind == HIST_KEY_SUM && !(column->key->flags & HIST_KEY_COMPARED))
		return put_sums(buf, size, entry, column, width);
	if (column->key->kind == HIST_KEY_VALUE)
		cell.value = &entry->value[column->slot];
	return put_text(buf, size, &cell, column);
}

const char *hist_column__title(const struct hists *hists, const struct hist_column *column)
{
	if (*column->field)
		return column->field;
	if (hists->opts.children && !hists->opts.layout->own_columns && !strcmp(column->key->name, "overhead"))
		return "Self";
	return column->key->title;
}

static int entry_width(const struct hist_entry *entry, const struct hist_column *column)
{
	char buf[HIST_CELL_MAX];

	return column->key->measure ? column->key->measure(entry) : hist_entry__cell(buf, sizeof(buf), entry, column, 0);
}

static int column_width(const struct hists *hists, const struct hist_column *column)
{
	int title = strlen(hist_column__title(hists, column)), width = column->width;

	if (column->key->kind == HIST_KEY_SUM && !(column->key->flags & HIST_KEY_COMPARED))
		width *= nr_members(hists);
	if (column->user_width && column->key->kind != HIST_KEY_SUM)
		return column->user_width;
	if (width < column->user_width)
		width = column->user_width;
	if (width < title)
		width = title;

	for (u32 e = 0; e < hists->nr_entries && !(column->key->flags & HIST_KEY_FIXED); e++) {
		int w = entry_width(hists->entry[e], column);

		if (w > width)
			width = w;
	}
	return width;
}

void hists__measure(const struct hists *hists, int width[HIST_MAX_COLUMNS])
{
	const struct hist_column_list *list = &hists->opts.layout->columns;

	for (u32 i = 0; i < list->nr; i++)
		width[i] = column_width(hists, &list->at[i]);
}

void hists__fprintf_titles(const struct hists *hists, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator)
{
	const struct hist_column_list *list = &hists->opts.layout->columns;

	for (u32 i = 0; i < list->nr; i++) {
		const struct hist_key *key = list->at[i].key;
		int w = key->kind == HIST_KEY_SUM || key->flags & HIST_KEY_FIELD ? width[i] : -width[i]; /* as in perf */

		fprintf(fp, "%s%*.*s", i ? separator ?: "  " : "", w, width[i], hist_column__title(hists, &list->at[i]));
	}
}

void hide_separator(char *text, const char *separator)
{
	if (strlen(separator) != 1)
		return;
	while ((text = strchr(text, *separator)))
		*text++ = '.';
}

/* A requested width cuts texts, but not addresses. */
static int cut(char *text, int len, const struct hist_entry *entry, const struct hist_column *column)
{
	bool is_address = column->key->kind == HIST_KEY_OWN && !strcmp(column->key->name, "symbol") && !entry->sym;

	if (!column->user_width || column->key->kind == HIST_KEY_SUM || is_address || len <= column->user_width)
		return len;
	text[column->user_width] = '\0';
	return column->user_width;
}

/* As in perf: sums are aligned to the left, after a blank. */
static void put_separated(FILE *fp, char *text, int len, int width, const char *separator, bool sum)
{
	hide_separator(text, separator);
	len += sum;
	fprintf(fp, "%s%s%*s", sum ? " " : "", text, width > len ? width - len : 0, "");
}

/* As "%s%*s", for the most of all rows. */
static void put_padded(FILE *fp, const char *text, int len, int width)
{
	static const char blanks[] = "                                                                ";
	int more = width - len;

	fwrite_unlocked(text, 1, len < HIST_CELL_MAX ? len : HIST_CELL_MAX - 1, fp);
	for (; more > 0; more -= sizeof(blanks) - 1)
		fwrite_unlocked(blanks, 1, more < (int)sizeof(blanks) - 1 ? more : (int)sizeof(blanks) - 1, fp);
}

void hist_entry__fprintf_cell(const struct hist_entry *entry, FILE *fp, const struct hist_column *column, int width,
			      const char *separator, bool pad)
{
	bool sum = column->key->kind == HIST_KEY_SUM;
	char buf[HIST_CELL_MAX];
	int len = hist_entry__cell(buf, sizeof(buf), entry, column, separator && sum ? 0 : width);

	len = cut(buf, len, entry, column);
	if (separator)
		put_separated(fp, buf, len, pad ? width : 0, separator, sum && !(column->key->flags & HIST_KEY_COMPARED));
	else
		put_padded(fp, buf, len, pad ? width : 0);
}

void hist_entry__fprintf(const struct hist_entry *entry, FILE *fp, const int width[HIST_MAX_COLUMNS], const char *separator)
{
	const struct hist_column_list *list = &entry->hists->opts.layout->columns;

	for (u32 i = 0; i < list->nr; i++) {
		bool open = i + 1 == list->nr && list->at[i].key->flags & HIST_KEY_OPEN;

		fputs_unlocked(i ? separator ?: "  " : "", fp);
		hist_entry__fprintf_cell(entry, fp, &list->at[i], width[i], separator, !open);
	}
}
