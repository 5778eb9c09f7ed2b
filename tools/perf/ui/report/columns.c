// SPDX-License-Identifier: GPL-2.0
#include "ui/report/columns.h"

#include <string.h>

#include "util/hist/entry-chains.h"
#include "util/hist/group.h"
#include "util/lib/text.h"

#define NARROW_TEXT 12 /* no text is made narrower for a terminal */

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

/* true: wider texts make the column wider. */
static bool begin_width(const struct hists *hists, const struct hist_column *column, int *width)
{
	int title = strlen(hist_column__title(hists, column));

	*width = column->width;
	if (column->key->kind == HIST_KEY_SUM && !(column->key->flags & HIST_KEY_COMPARED))
		*width *= nr_members(hists);
	if (column->user_width && column->key->kind != HIST_KEY_SUM) {
		*width = column->user_width;
		return false;
	}
	if (*width < column->user_width)
		*width = column->user_width;
	if (*width < title)
		*width = title;
	return !(column->key->flags & HIST_KEY_FIXED);
}

void hists__measure(const struct hists *hists, int width[HIST_MAX_COLUMNS])
{
	const struct hist_column_list *list = &hists->opts.layout->columns;
	u32 grows[HIST_MAX_COLUMNS], nr = 0;

	for (u32 i = 0; i < list->nr; i++) {
		if (begin_width(hists, &list->at[i], &width[i]))
			grows[nr++] = i;
	}
	for (u32 e = 0; e < hists->nr_entries && nr; e++) {
		for (u32 i = 0; i < nr; i++) {
			int w = entry_width(hists->entry[e], &list->at[grows[i]]);

			if (w > width[grows[i]])
				width[grows[i]] = w;
		}
	}
}

/* Not the text of a tracepoint, which is whole in other perfs, too: scripts take it apart. */
static bool may_cut(const struct hist_column *column)
{
	return column->key->kind != HIST_KEY_SUM && !column->user_width && !(column->key->flags & (HIST_KEY_FIXED | HIST_KEY_RAW));
}

void hists__limit_widths(const struct hists *hists, int width[HIST_MAX_COLUMNS])
{
	const struct hist_column_list *list = &hists->opts.layout->columns;

	for (u32 i = 0; i < list->nr; i++) {
		if (may_cut(&list->at[i]) && width[i] > HIST_TEXT_WIDTH)
			width[i] = HIST_TEXT_WIDTH;
	}
}

static int widest_text(const struct hists *hists, const int width[HIST_MAX_COLUMNS])
{
	const struct hist_column_list *list = &hists->opts.layout->columns;
	int widest = -1;

	for (u32 i = 0; i + 1 < list->nr; i++) {
		const int least = strlen(hist_column__title(hists, &list->at[i]));

		if (may_cut(&list->at[i]) && width[i] > NARROW_TEXT && width[i] > least && (widest < 0 || width[i] > width[widest]))
			widest = i;
	}
	return widest;
}

void hists__fit_widths(const struct hists *hists, int width[HIST_MAX_COLUMNS], int terminal_width)
{
	int all = 0, i;

	for (u32 c = 0; c < hists->opts.layout->columns.nr; c++)
		all += 2 + width[c];
	while (all > terminal_width && (i = widest_text(hists, width)) >= 0) {
		width[i]--;
		all--;
	}
}

/* Where a character begins: at this byte, or before it */
static int character_at(const char *text, int at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* The begin and the end tell names of templates apart, most of all. */
static int cut_middle(char *text, int len, int width)
{
	static const char dots[] = "...";
	const int head = character_at(text, (width - 3) * 2 / 3), tail = character_at(text, len - (width - 3 - (width - 3) * 2 / 3));

	memcpy(text + head, dots, 3);
	memmove(text + head + 3, text + tail, len - tail + 1);
	return head + 3 + len - tail;
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

static void put_blanks(struct text *row, int nr)
{
	char *to = nr > 0 ? text__reserve(row, nr) : NULL;

	if (!to)
		return;
	memset(to, ' ', nr);
	row->len += nr;
}

/* Was the column made narrower than the entry needs? Others may overflow it, such as marks of inlined functions. */
static bool is_narrow(const struct hist_entry *entry, const struct hist_column *column, int width)
{
	return width >= NARROW_TEXT && entry_width(entry, column) > width;
}

void hist_entry__put_cell(const struct hist_entry *entry, struct text *row, const struct hist_column *column, int width,
			  const char *separator, bool pad)
{
	bool sum = column->key->kind == HIST_KEY_SUM, apart = separator && sum && !(column->key->flags & HIST_KEY_COMPARED);
	char *to;
	int len;

	if (apart) /* as in perf: sums are aligned to the left, after a blank */
		text__char(row, ' ');
	to = text__reserve(row, HIST_CELL_MAX);
	if (!to)
		return;
	len = hist_entry__cell(to, HIST_CELL_MAX, entry, column, separator && sum ? 0 : width);
	len = cut(to, len, entry, column);
	if (!separator && len > width && len < HIST_CELL_MAX && may_cut(column) && is_narrow(entry, column, width))
		len = cut_middle(to, len, width);
	if (separator)
		hide_separator(to, separator);
	row->len += len < HIST_CELL_MAX ? len : HIST_CELL_MAX - 1;
	put_blanks(row, pad ? width - len - apart : 0);
}

void hist_entry__put(const struct hist_entry *entry, struct text *row, const int width[HIST_MAX_COLUMNS], const char *separator)
{
	const struct hist_column_list *list = &entry->hists->opts.layout->columns;

	for (u32 i = 0; i < list->nr; i++) {
		bool open = i + 1 == list->nr && list->at[i].key->flags & HIST_KEY_OPEN;

		if (i)
			text__str(row, separator ?: "  ");
		hist_entry__put_cell(entry, row, &list->at[i], width[i], separator, !open);
	}
}
