// SPDX-License-Identifier: GPL-2.0
/* Draws as perf does: numbers are indented by the depth of their node, and keys begin after the deepest numbers. */
#include "ui/report/hierarchy.h"

#include <errno.h>
#include <string.h>

#include "ui/report/callchain.h"
#include "util/hist/hierarchy.h"

#define INDENT 3	/* per level */
#define MAX_DOTS 207	/* below the titles of keys, as in perf */

struct drawing {
	const struct hists *hists;
	FILE *fp;
	const struct hist_stdio_opts *opts;
	struct hist_level level[HIST_MAX_COLUMNS];
	u32 nr_levels;
	int width[HIST_MAX_COLUMNS];
	struct text *cell; /* space for one */
};

static void repeat(const struct drawing *d, char c, int nr)
{
	while (nr-- > 0)
		fputc(c, d->fp);
}

static const char *separator(const struct drawing *d, const char *other)
{
	return d->opts->separator ?: other;
}

static int width_of(const struct drawing *d, const struct hist_column *column)
{
	return d->width[column - d->hists->opts.layout->columns.at];
}

/* Pad all nodes so that their keys begin in one column, apart from their level. */
static int depth_indent(const struct drawing *d)
{
	const struct hist_column_list *sort = &d->hists->opts.layout->sort;
	int depth = 0;

	/* as in perf, sums among the keys of -s count, too */
	for (u32 i = 0; i < sort->nr; i++)
		depth = sort->at[i].level > depth ? sort->at[i].level : depth;
	return d->opts->separator || !d->nr_levels ? 0 : depth * INDENT;
}

static void print_sum_titles(const struct drawing *d)
{
	const struct hist_column_list *list = &d->hists->opts.layout->columns;

	repeat(d, ' ', depth_indent(d));
	for (u32 i = 0; i < list->nr; i++) {
		if (list->at[i].key->kind == HIST_KEY_SUM)
			fprintf(d->fp, "%*s%s", d->width[i], hist_column__title(d->hists, &list->at[i]), separator(d, "  "));
	}
}

/* Returns the number of characters. */
static int print_key_titles(const struct drawing *d)
{
	int len = 0;

	for (u32 i = 0; i < d->nr_levels; i++) {
		for (u32 n = 0; n < d->level[i].nr; n++) {
			const char *title = hist_column__title(d->hists, d->level[i].column[n]);

			title += strspn(title, " ");
			len += fprintf(d->fp, "%s%s", n ? "+" : i ? " / " : "", title);
		}
	}
	return len;
}

static void print_dots(const struct drawing *d, int width)
{
	const struct hist_column_list *list = &d->hists->opts.layout->columns;
	bool first = true;

	repeat(d, '.', depth_indent(d));
	for (u32 i = 0; i < list->nr; i++) {
		if (list->at[i].key->kind != HIST_KEY_SUM)
			continue;
		fputs(first ? "" : separator(d, ".."), d->fp);
		repeat(d, '.', d->width[i]);
		first = false;
	}
	for (u32 i = 0; i < d->nr_levels; i++) {
		int level = i * INDENT + d->level[i].nr - 1;

		for (u32 n = 0; n < d->level[i].nr; n++)
			level += width_of(d, d->level[i].column[n]);
		width = level > width ? level : width;
	}
	fputs(separator(d, "  "), d->fp);
	repeat(d, '.', width < MAX_DOTS ? width : MAX_DOTS);
}

static void print_header(const struct drawing *d)
{
	int width;

	fputs("# ", d->fp);
	print_sum_titles(d);
	width = print_key_titles(d);
	fputs("\n# ", d->fp);
	print_dots(d, width);
	fputs("\n#\n", d->fp);
}

static void print_sums(const struct drawing *d, const struct hist_node *node)
{
	const struct hist_column_list *list = &d->hists->opts.layout->columns;
	bool first = true;

	for (u32 i = 0; i < list->nr; i++) {
		if (list->at[i].key->kind != HIST_KEY_SUM)
			continue;
		fputs(!first ? separator(d, "  ") : d->opts->separator ? "" : "  ", d->fp);
		d->cell->len = 0;
		hist_entry__put_cell(node->entry, d->cell, &list->at[i], d->width[i], d->opts->separator, true);
		fwrite(d->cell->buf, 1, d->cell->len, d->fp);
		first = false;
	}
}

static void print_keys(const struct drawing *d, const struct hist_node *node)
{
	const struct hist_level *level = &d->level[node->level];
	char buf[HIST_CELL_MAX];

	for (u32 n = 0; n < level->nr; n++) {
		int width = width_of(d, level->column[n]);
		int len = hist_entry__cell(buf, sizeof(buf), node->entry, level->column[n], width);

		if (d->opts->separator)
			hide_separator(buf, d->opts->separator);
		fprintf(d->fp, "%s%s", separator(d, "  "), buf + strspn(buf, " "));
		if (n + 1 < level->nr || !(level->column[n]->key->flags & HIST_KEY_OPEN))
			repeat(d, ' ', width - len);
	}
}

static double percent_of(const struct hist_node *node)
{
	return hist_entry__percent(node->entry, hist_entry__period(node->entry));
}

static bool any_child_shown(const struct drawing *d, const struct hist_node *node)
{
	for (u32 i = 0; i < node->nr; i++) {
		if (percent_of(&node->child[i]) >= d->opts->min_percent)
			return true;
	}
	return false;
}

/* Indent keys by their level; not if there is a separator. */
static void print_no_child(const struct drawing *d, const struct hist_node *node)
{
	const struct hist_column_list *list = &d->hists->opts.layout->columns;
	int indent = d->opts->separator ? 0 : (node->level + 1) * INDENT + depth_indent(d);

	for (u32 i = 0; i < list->nr; i++)
		indent += list->at[i].key->kind == HIST_KEY_SUM ? d->width[i] + 2 : 0;
	fprintf(d->fp, "%*sno entry >= %.2f%%\n", indent + 2, "", d->opts->min_percent);
}

static int print_children(const struct drawing *d, const struct hist_node *parent);

static int print_node(const struct drawing *d, const struct hist_node *node)
{
	repeat(d, ' ', node->level * INDENT);
	print_sums(d, node);
	repeat(d, ' ', depth_indent(d));
	print_keys(d, node);
	fputc('\n', d->fp);
	if (node->leaf)
		return hist_entry__fprintf_chains(node->entry, d->fp, false);
	if (any_child_shown(d, node))
		return print_children(d, node);
	print_no_child(d, node);
	return 0;
}

static int print_children(const struct drawing *d, const struct hist_node *parent)
{
	int ret = 0;

	for (u32 i = 0; i < parent->nr && !ret; i++) {
		if (percent_of(&parent->child[i]) >= d->opts->min_percent)
			ret = print_node(d, &parent->child[i]);
	}
	return ret;
}

int hists__fprintf_hierarchy(const struct hists *hists, FILE *fp, const struct hist_stdio_opts *opts)
{
	struct text cell = {};
	struct drawing d = { .hists = hists, .fp = fp, .opts = opts, .cell = &cell };
	struct hist_node root;
	int ret;

	d.nr_levels = hist_layout__levels(hists->opts.layout, d.level);
	hists__measure(hists, d.width);
	if (!opts->no_header)
		print_header(&d);
	ret = hist_node__init(&root, hists) ?: print_children(&d, &root);
	hist_node__exit(&root);
	ret = ret ?: cell.failed ? -ENOMEM : 0;
	text__exit(&cell);
	return ret;
}
