// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ui/report/columns.h"
#include "util/hist/entry-chains.h"
#include "util/lib/array.h"
#include "util/lib/hash.h"
#include "util/lib/hash-index.h"

/* An entry or a node, by a key that it has in later hists, too: a hash of what it is of. */
struct opened {
	u64 key;
	UT_hash_handle hh;
};

/* An open entry: kept, so that its nodes do not move. */
struct kept_tree {
	const struct hist_entry *entry;
	struct chain_tree tree;
	UT_hash_handle hh;
};

struct zoom {
	enum browser_zoom kind;
	struct hist_entry *entry; /* a copy: others have the same values of the kind's keys */
};

/* The keys of each kind of zoom; of those the layout has, entries share all. Each is a HIST_KEY_OWN. */
static const char *const zoom_keys[BROWSER_NR_ZOOMS][4] = {
	[BROWSER_ZOOM_DSO] = { "dso" },
	[BROWSER_ZOOM_THREAD] = { "pid", "tgid", "comm" },
};

struct browser_lines {
	const struct hists *hists;
	double min_percent;
	char *filter;
	struct zoom zoom[BROWSER_NR_ZOOMS]; /* each kind once at most, in the order in which they were made */
	u32 nr_zooms;
	struct opened *opened;
	struct kept_tree *trees;
	bool *has_branches; /* by entry */
	struct browser_line *line;
	u32 nr, alloc;
	int width[HIST_MAX_COLUMNS];
};

static bool is_open(const struct browser_lines *lines, u64 key)
{
	struct opened *opened;

	HASH_FIND(hh, lines->opened, &key, sizeof(key), opened);
	return opened;
}

static int set_open(struct browser_lines *lines, u64 key, bool open)
{
	struct opened *opened;

	HASH_FIND(hh, lines->opened, &key, sizeof(key), opened);
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
	opened->key = key;
	HASH_ADD(hh, lines->opened, key, sizeof(key), opened);
	if (hash_added(opened))
		return 0;
	free(opened);
	return -ENOMEM;
}

/*
 * Of the numbers and texts of its keys. Sums are not part of it: entries are sorted by them, too, but they differ from one list to the next. Nor
 * is the command name that is shown with a pid: it changes with exec.
 */
static u64 entry_key(const struct browser_lines *lines, const struct hist_entry *entry)
{
	const struct hist_column_list *keys = &lines->hists->opts.layout->sort;
	u64 key = 1;

	for (u32 i = 0; i < keys->nr; i++) {
		const struct hist_column *column = &keys->at[i];
		char cell[1024];

		if (column->key->kind == HIST_KEY_SUM)
			continue;
		if (column->key->number) {
			key = hash_mix(key, column->key->number(entry));
			continue;
		}
		hist_entry__cell(cell, sizeof(cell), entry, column, 0);
		key = hash_mix(key, hash_text(cell));
	}
	return key ?: 1;
}

static u64 node_key(u64 above, const struct chain_node *node)
{
	u64 key = hash_mix(above, node->nr_frames);

	for (u32 i = 0; i < node->nr_frames; i++) {
		const struct chain_frame *frame = &node->frame[i];

		key = hash_mix(key, frame->sym ? hash_text(frame->sym->name) : frame->addr);
	}
	return key ?: 1;
}

static int add_line(struct browser_lines *lines, const struct browser_line *line)
{
	if (array__grow(lines->line, lines->nr, lines->alloc))
		return -ENOMEM;
	lines->line[lines->nr++] = *line;
	return 0;
}

/* A branch without alternatives needs no key. */
static bool opens_by_itself(const struct chain_node *node)
{
	return node->nr_shown == 1;
}

static int add_nodes(struct browser_lines *lines, const struct hist_entry *entry, const struct chain_node *above, u64 key, u32 depth, u64 base)
{
	bool relative = entry->hists->opts.chain_mode == HIST_CHAIN_FRACTAL;
	int ret = 0;

	for (u32 i = 0; i < above->nr_shown && !ret; i++) {
		const struct chain_node *node = above->child[i];
		struct browser_line line = { .entry = entry, .node = node, .key = node_key(key, node), .depth = depth, .base = base };

		line.can_open = node->nr_shown > 0;
		line.is_open = line.can_open && (is_open(lines, line.key) != opens_by_itself(node));
		for (line.frame = 0; line.frame < node->nr_frames && !ret; line.frame++)
			ret = add_line(lines, &line);
		if (!ret && line.is_open)
			ret = add_nodes(lines, entry, node, line.key, depth + 1, relative ? node->children_hit : base);
	}
	return ret;
}

static char *entry_text(const struct browser_lines *lines, const struct hist_entry *entry, char *buf, size_t size)
{
	struct text row = {};

	hist_entry__put(entry, &row, lines->width, NULL);
	text__char(&row, '\0');
	buf[0] = '\0';
	if (!row.failed)
		text__copy(buf, size, row.buf);
	text__exit(&row);
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

static const struct hist_column *zoom_column(const struct browser_lines *lines, const char *key)
{
	const struct hist_column_list *keys = &lines->hists->opts.layout->sort;

	for (u32 i = 0; i < keys->nr; i++) {
		if (!strcmp(keys->at[i].key->name, key))
			return &keys->at[i];
	}
	return NULL;
}

static bool can_zoom(const struct browser_lines *lines, enum browser_zoom kind)
{
	for (const char *const *key = zoom_keys[kind]; *key; key++) {
		if (zoom_column(lines, *key))
			return true;
	}
	return false;
}

static bool is_in_zooms(const struct browser_lines *lines, const struct hist_entry *entry)
{
	for (u32 i = 0; i < lines->nr_zooms; i++) {
		for (const char *const *key = zoom_keys[lines->zoom[i].kind]; *key; key++) {
			const struct hist_column *column = zoom_column(lines, *key);

			if (column && column->key->identity(entry, lines->zoom[i].entry))
				return false;
		}
	}
	return true;
}

static bool is_shown(const struct browser_lines *lines, const struct hist_entry *entry)
{
	char text[4096];

	if (!is_large(lines, entry) || !is_in_zooms(lines, entry))
		return false;
	return !lines->filter || !*lines->filter || strcasestr(entry_text(lines, entry, text, sizeof(text)), lines->filter);
}

static int add_entry(struct browser_lines *lines, u32 i)
{
	const struct hist_entry *entry = lines->hists->entry[i];
	const struct hist_opts *opts = &lines->hists->opts;
	struct browser_line line = { .entry = entry, .can_open = lines->has_branches[i] };
	const struct chain_tree *tree;
	u64 key = 0;
	int ret;

	if (line.can_open && lines->opened) {
		key = entry_key(lines, entry);
		line.is_open = is_open(lines, key);
	}
	ret = add_line(lines, &line);
	if (ret || !line.is_open)
		return ret;
	tree = tree_of(lines, entry);
	if (!tree)
		return -ENOMEM;
	return add_nodes(lines, entry, &tree->root, key, 1,
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
	while (lines->nr_zooms)
		free(lines->zoom[--lines->nr_zooms].entry);
	free(lines->has_branches);
	free(lines->line);
	free(lines->filter);
	free(lines);
}

u32 browser_lines__nr(const struct browser_lines *lines)
{
	return lines->nr;
}

u32 browser_lines__nr_entries(const struct browser_lines *lines)
{
	u32 nr = 0;

	for (u32 i = 0; i < lines->nr; i++)
		nr += !lines->line[i].node;
	return nr;
}

const struct browser_line *browser_lines__at(const struct browser_lines *lines, u32 i)
{
	return &lines->line[i];
}

int browser_lines__toggle(struct browser_lines *lines, u32 i)
{
	const struct browser_line *line = &lines->line[i];
	u64 key;
	int ret;

	if (!line->can_open)
		return 0;
	key = line->node ? line->key : entry_key(lines, line->entry);
	ret = set_open(lines, key, !is_open(lines, key));
	return ret ? ret : make_lines(lines);
}

static int open_nodes(struct browser_lines *lines, const struct chain_node *above, u64 above_key)
{
	int ret = 0;

	for (u32 i = 0; i < above->nr_shown && !ret; i++) {
		u64 key = node_key(above_key, above->child[i]);

		ret = set_open(lines, key, !opens_by_itself(above->child[i]));
		if (!ret)
			ret = open_nodes(lines, above->child[i], key);
	}
	return ret;
}

static int open_entry(struct browser_lines *lines, const struct hist_entry *entry)
{
	const struct chain_tree *tree = tree_of(lines, entry);
	u64 key = entry_key(lines, entry);
	int ret = tree ? set_open(lines, key, true) : -ENOMEM;

	return ret ? ret : open_nodes(lines, &tree->root, key);
}

int browser_lines__open_entry(struct browser_lines *lines, u32 i)
{
	int ret = open_entry(lines, lines->line[i].entry);

	return ret ? ret : make_lines(lines);
}

int browser_lines__open_all(struct browser_lines *lines)
{
	int ret = 0;

	for (u32 i = 0; i < lines->nr && !ret; i++) {
		if (!lines->line[i].node && lines->line[i].can_open)
			ret = open_entry(lines, lines->line[i].entry);
	}
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

static int push_zoom(struct browser_lines *lines, enum browser_zoom kind, const struct hist_entry *entry)
{
	size_t size = hist_entry__size(entry->hists);
	struct hist_entry *copy = malloc(size);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, entry, size);
	lines->zoom[lines->nr_zooms++] = (struct zoom){ kind, copy };
	return 0;
}

/* If there is no memory, the zoom stays. */
static int drop_zoom(struct browser_lines *lines, u32 i)
{
	const struct zoom dropped = lines->zoom[i];
	int ret;

	memmove(&lines->zoom[i], &lines->zoom[i + 1], (lines->nr_zooms - i - 1) * sizeof(*lines->zoom));
	lines->nr_zooms--;
	ret = make_lines(lines);
	if (!ret) {
		free(dropped.entry);
		return 0;
	}
	memmove(&lines->zoom[i + 1], &lines->zoom[i], (lines->nr_zooms - i) * sizeof(*lines->zoom));
	lines->zoom[i] = dropped;
	lines->nr_zooms++;
	return ret;
}

int browser_lines__zoom(struct browser_lines *lines, enum browser_zoom kind, u32 i)
{
	int ret;

	for (u32 k = 0; k < lines->nr_zooms; k++) {
		if (lines->zoom[k].kind == kind)
			return drop_zoom(lines, k);
	}
	if (!can_zoom(lines, kind))
		return -ENOENT;
	if (push_zoom(lines, kind, lines->line[i].entry))
		return -ENOMEM;
	ret = make_lines(lines);
	if (ret)
		free(lines->zoom[--lines->nr_zooms].entry);
	return ret;
}

int browser_lines__unzoom(struct browser_lines *lines)
{
	return lines->nr_zooms ? drop_zoom(lines, lines->nr_zooms - 1) : -ENOENT;
}

char *browser_lines__zoom_text(const struct browser_lines *lines, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (u32 i = 0; i < lines->nr_zooms; i++) {
		const struct hist_entry *entry = lines->zoom[i].entry;

		for (const char *const *key = zoom_keys[lines->zoom[i].kind]; *key && len < size; key++) {
			const struct hist_column *column = zoom_column(lines, *key);
			char cell[256];

			if (!column)
				continue;
			hist_entry__cell(cell, sizeof(cell), entry, column, 0);
			len += snprintf(buf + len, size - len, ", %s: %s", *key, cell + strspn(cell, " "));
		}
	}
	return buf;
}

u32 browser_lines__find(const struct browser_lines *lines, const struct hist_entry *entry)
{
	for (u32 i = 0; i < lines->nr; i++) {
		if (lines->line[i].entry == entry)
			return i;
	}
	return 0;
}

char browser_lines__mark(const struct browser_lines *lines, u32 i)
{
	const struct browser_line *line = &lines->line[i];

	return line->frame || !line->can_open ? ' ' : line->is_open ? '-' : '+';
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

static int copy_state(struct browser_lines *lines, const struct browser_lines *old)
{
	struct opened *opened, *next;
	int ret = 0;

	HASH_ITER(hh, old->opened, opened, next)
		ret = ret ?: set_open(lines, opened->key, true);
	for (u32 i = 0; i < old->nr_zooms && !ret; i++) {
		ret = push_zoom(lines, old->zoom[i].kind, old->zoom[i].entry);
		if (!ret)
			lines->zoom[i].entry->hists = lines->hists;
	}
	return ret ?: browser_lines__filter(lines, old->filter ?: "");
}

/* The row of the same entry and node; else of the entry; else the same row */
static u32 same_row(const struct browser_lines *lines, const struct browser_lines *old, u32 row)
{
	const struct browser_line *at = row < old->nr ? &old->line[row] : NULL;
	u32 entry = row;
	u64 key = at ? entry_key(old, at->entry) : 0;

	for (u32 i = 0; at && i < lines->nr; i++) {
		const struct browser_line *line = &lines->line[i];

		if (line->node ? line->key != at->key || line->frame != at->frame : entry_key(lines, line->entry) != key)
			continue;
		if (!line->node)
			entry = i;
		if (!at->node || line->node)
			return i;
	}
	return entry;
}

struct browser_lines *browser_lines__follow(const struct browser_lines *old, const struct hists *hists, u32 *row)
{
	struct browser_lines *lines = browser_lines__new(hists, old->min_percent);

	if (!lines)
		return NULL;
	if (copy_state(lines, old)) {
		browser_lines__delete(lines);
		return NULL;
	}
	*row = same_row(lines, old, *row);
	return lines;
}
