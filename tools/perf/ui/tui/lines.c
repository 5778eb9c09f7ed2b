// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ui/report/columns.h"
#include "util/hist/entry-chains.h"
#include "util/lib/hash.h"

struct opened { /* an entry or a node */
	const void *what;
	UT_hash_handle hh;
};

/* An open entry: kept, so that its nodes do not move. */
struct kept_tree {
	const struct hist_entry *entry;
	struct chain_tree tree;
	UT_hash_handle hh;
};

struct browser_lines {
	const struct hists *hists;
	double min_percent;
	char *filter;
	struct opened *opened;
	struct kept_tree *trees;
	bool *has_branches; /* by entry */
	struct browser_line *line;
	u32 nr, alloc;
	int width[HIST_MAX_COLUMNS];
};

static bool is_open(const struct browser_lines *lines, const void *what)
{
	struct opened *opened;

	HASH_FIND_PTR(lines->opened, &what, opened);
	return opened;
}

static int set_open(struct browser_lines *lines, const void *what, bool open)
{
	struct opened *opened;

	HASH_FIND_PTR(lines->opened, &what, opened);
	if (!!opened == open)
		return 0;
	if (!open) {
		HASH_DEL(lines->opened, opened);
		free(opened);
		return 0;
	}
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return -ENOMEM;
	opened->what = what;
	HASH_ADD_PTR(lines->opened, what, opened);
	if (hash_added(opened))
		return 0;
	free(opened);
	return -ENOMEM;
}

static int add_line(struct browser_lines *lines, const struct browser_line *line)
{
	if (lines->nr == lines->alloc) {
		u32 alloc = lines->alloc ? 2 * lines->alloc : 256;
		struct browser_line *grown = reallocarray(lines->line, alloc, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		lines->line = grown;
		lines->alloc = alloc;
	}
	lines->line[lines->nr++] = *line;
	return 0;
}

/* A branch without alternatives needs no key. */
static bool opens_by_itself(const struct chain_node *node)
{
	return node->nr_shown == 1;
}

static int add_nodes(struct browser_lines *lines, const struct hist_entry *entry, const struct chain_node *above, u32 depth, u64 base)
{
	bool relative = entry->hists->opts.chain_mode == HIST_CHAIN_FRACTAL;
	int ret = 0;

	for (u32 i = 0; i < above->nr_shown && !ret; i++) {
		const struct chain_node *node = above->child[i];
		struct browser_line line = { .entry = entry, .node = node, .depth = depth, .base = base };

		line.can_open = node->nr_shown > 0;
		line.is_open = line.can_open && (is_open(lines, node) != opens_by_itself(node));
		for (line.frame = 0; line.frame < node->nr_frames && !ret; line.frame++)
			ret = add_line(lines, &line);
		if (!ret && line.is_open)
			ret = add_nodes(lines, entry, node, depth + 1, relative ? node->children_hit : base);
	}
	return ret;
}

static char *entry_text(const struct browser_lines *lines, const struct hist_entry *entry, char *buf, size_t size)
{
	FILE *fp = fmemopen(buf, size, "w");

	buf[0] = '\0';
	if (fp) {
		hist_entry__fprintf(entry, fp, lines->width, NULL);
		fclose(fp);
		buf[size - 1] = '\0';
	}
	return buf;
}

/* NULL: no memory. */
static const struct chain_tree *tree_of(struct browser_lines *lines, const struct hist_entry *entry)
{
	struct kept_tree *kept;

	HASH_FIND_PTR(lines->trees, &entry, kept);
	if (kept)
		return &kept->tree;
	kept = calloc(1, sizeof(*kept));
	if (!kept || hist_entry__make_tree(entry, &kept->tree)) {
		free(kept);
		return NULL;
	}
	kept->entry = entry;
	HASH_ADD_PTR(lines->trees, entry, kept);
	if (hash_added(kept))
		return &kept->tree;
	chain_tree__exit(&kept->tree);
	free(kept);
	return NULL;
}

static bool is_large(const struct browser_lines *lines, const struct hist_entry *entry)
{
	return hist_entry__percent(entry, hist_entry__period(entry)) >= lines->min_percent;
}

/* Find out which entries can be opened: builds their trees for that, one after the other. */
static int find_branches(struct browser_lines *lines)
{
	struct chain_tree tree;

	lines->has_branches = calloc(lines->hists->nr_entries ?: 1, sizeof(*lines->has_branches));
	if (!lines->has_branches)
		return -ENOMEM;
	for (u32 i = 0; i < lines->hists->nr_entries; i++) {
		if (!is_large(lines, lines->hists->entry[i]))
			continue;
		if (hist_entry__make_tree(lines->hists->entry[i], &tree))
			return -ENOMEM;
		lines->has_branches[i] = tree.root.nr_shown > 0;
		chain_tree__exit(&tree);
	}
	return 0;
}

static bool is_shown(const struct browser_lines *lines, const struct hist_entry *entry)
{
	char text[4096];

	if (!is_large(lines, entry))
		return false;
	return !lines->filter || !*lines->filter || strcasestr(entry_text(lines, entry, text, sizeof(text)), lines->filter);
}

static int add_entry(struct browser_lines *lines, u32 i)
{
	const struct hist_entry *entry = lines->hists->entry[i];
	const struct hist_opts *opts = &lines->hists->opts;
	struct browser_line line = { .entry = entry, .can_open = lines->has_branches[i], .is_open = is_open(lines, entry) };
	const struct chain_tree *tree;
	int ret = add_line(lines, &line);

	if (ret || !line.is_open)
		return ret;
	tree = tree_of(lines, entry);
	if (!tree)
		return -ENOMEM;
	return add_nodes(lines, entry, &tree->root, 1,
			 opts->chain_mode == HIST_CHAIN_FRACTAL ? hist_entry__period(entry) : lines->hists->total_period);
}

static int make_lines(struct browser_lines *lines)
{
	struct browser_lines old = *lines;
	int ret = 0;

	lines->line = NULL;
	lines->nr = lines->alloc = 0;
	for (u32 i = 0; i < lines->hists->nr_entries && !ret; i++) {
		if (is_shown(lines, lines->hists->entry[i]))
			ret = add_entry(lines, i);
	}
	free(ret ? lines->line : old.line);
	if (ret) {
		lines->line = old.line;
		lines->nr = old.nr;
		lines->alloc = old.alloc;
	}
	return ret;
}

struct browser_lines *browser_lines__new(const struct hists *hists, double min_percent)
{
	struct browser_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->hists = hists;
	lines->min_percent = min_percent;
	hists__measure(hists, lines->width);
	if (find_branches(lines) || make_lines(lines)) {
		browser_lines__delete(lines);
		return NULL;
	}
	return lines;
}

void browser_lines__delete(struct browser_lines *lines)
{
	struct opened *opened, *next;
	struct kept_tree *kept, *next_kept;

	if (!lines)
		return;
	HASH_ITER(hh, lines->opened, opened, next) {
		HASH_DEL(lines->opened, opened);
		free(opened);
	}
	HASH_ITER(hh, lines->trees, kept, next_kept) {
		HASH_DEL(lines->trees, kept);
		chain_tree__exit(&kept->tree);
		free(kept);
	}
	free(lines->has_branches);
	free(lines->line);
	free(lines->filter);
	free(lines);
}

u32 browser_lines__nr(const struct browser_lines *lines)
{
	return lines->nr;
}

const struct browser_line *browser_lines__at(const struct browser_lines *lines, u32 i)
{
	return &lines->line[i];
}

int browser_lines__toggle(struct browser_lines *lines, u32 i)
{
	const struct browser_line *line = &lines->line[i];
	const void *what = line->node ? (const void *)line->node : line->entry;
	int ret;

	if (!line->can_open)
		return 0;
	ret = set_open(lines, what, !is_open(lines, what));
	return ret ? ret : make_lines(lines);
}

static int open_nodes(struct browser_lines *lines, const struct chain_node *above)
{
	int ret = 0;

	for (u32 i = 0; i < above->nr_shown && !ret; i++) {
		ret = set_open(lines, above->child[i], !opens_by_itself(above->child[i]));
		if (!ret)
			ret = open_nodes(lines, above->child[i]);
	}
	return ret;
}

int browser_lines__open_all(struct browser_lines *lines, u32 i)
{
	const struct hist_entry *entry = lines->line[i].entry;
	const struct chain_tree *tree = tree_of(lines, entry);
	int ret = tree ? set_open(lines, entry, true) : -ENOMEM;

	if (!ret)
		ret = open_nodes(lines, &tree->root);
	return ret ? ret : make_lines(lines);
}

int browser_lines__close_all(struct browser_lines *lines)
{
	struct opened *opened, *next;

	HASH_ITER(hh, lines->opened, opened, next) {
		HASH_DEL(lines->opened, opened);
		free(opened);
	}
	return make_lines(lines);
}

int browser_lines__filter(struct browser_lines *lines, const char *text)
{
	char *filter = strdup(text), *old = lines->filter;
	int ret;

	if (!filter)
		return -ENOMEM;
	lines->filter = filter;
	ret = make_lines(lines);
	if (ret)
		lines->filter = old;
	free(ret ? filter : old);
	return ret;
}

u32 browser_lines__find(const struct browser_lines *lines, const struct hist_entry *entry)
{
	for (u32 i = 0; i < lines->nr; i++) {
		if (lines->line[i].entry == entry)
			return i;
	}
	return 0;
}

static u64 node_part(const struct browser_line *line)
{
	return chain_node__sum(line->node);
}

double browser_lines__percent(const struct browser_lines *lines, u32 i)
{
	const struct browser_line *line = &lines->line[i];

	if (!line->node)
		return hist_entry__percent(line->entry, hist_entry__period(line->entry));
	return line->frame || !line->base ? -1 : node_part(line) * 100.0 / line->base;
}

static char *frame_text(const struct browser_lines *lines, u32 i, char *buf, size_t size)
{
	const struct browser_line *line = &lines->line[i];
	const struct chain_frame *frame = &line->node->frame[line->frame];
	int len = snprintf(buf, size, "%*s", 2 * (int)(line->depth < 100 ? line->depth : 100), "");

	if (len < (int)size)
		len += line->frame ? snprintf(buf + len, size - len, "%9s", "") :
				     snprintf(buf + len, size - len, "%7.2f%% ", browser_lines__percent(lines, i));
	if (len >= (int)size)
		return buf;
	if (frame->sym)
		snprintf(buf + len, size - len, "%s%s%s%s", frame->sym->name, frame->line ? " " : "", frame->line ?: "",
			 frame->sym->inlined ? " (inlined)" : "");
	else
		snprintf(buf + len, size - len, "%#llx", (unsigned long long)frame->addr);
	return buf;
}

char *browser_lines__text(const struct browser_lines *lines, u32 i, char *buf, size_t size)
{
	return lines->line[i].node ? frame_text(lines, i, buf, size) : entry_text(lines, lines->line[i].entry, buf, size);
}

char *browser_lines__titles(const struct browser_lines *lines, char *buf, size_t size)
{
	FILE *fp = fmemopen(buf, size, "w");

	buf[0] = '\0';
	if (fp) {
		hists__fprintf_titles(lines->hists, fp, lines->width, NULL);
		fclose(fp);
		buf[size - 1] = '\0';
	}
	return buf;
}
