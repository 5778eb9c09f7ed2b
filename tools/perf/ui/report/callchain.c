// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the tree as perf does, for scripts and users that know it: a branch starts with "--PERCENT--", a bar goes down from a node
 * as long as more of its branches follow, and a line of bars separates branches.
 */
#include "ui/report/callchain.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hist/entry-chains.h"

#define LEFT_MARGIN 12 /* columns before the first bar */
#define TRUNK_INDENT 3 /* indentation of frames below "---main" */

#define FLAT_VALUE_MARGIN 11
#define FLAT_FRAME_MARGIN 16

struct drawing {
	FILE *fp;
	enum hist_chain_value value;
	bool relative; /* percentages are relative to the parent branch */
	int margin;
	u32 max_branches;
};

struct level { /* a level of the tree; on the stack of the function that draws the node */
	const struct level *above;
	bool bar; /* more branches follow */
};

static void put_name(FILE *fp, const struct chain_frame *frame)
{
	if (frame->sym)
		fprintf(fp, "%s%s%s%s", frame->sym->name, frame->line ? " " : "", frame->line ?: "",
			frame->sym->inlined ? " (inlined)" : "");
	else
		fprintf(fp, "%#llx", (unsigned long long)frame->addr);
}

static void put_frame(FILE *fp, const struct chain_frame *frame)
{
	put_name(fp, frame);
	fputc('\n', fp);
}

struct share { /* of a branch */
	u64 period, count;
};

static struct share node_share(const struct chain_node *node)
{
	return (struct share){ chain_node__sum(node), chain_node__count(node) };
}

static void put_value(FILE *fp, enum hist_chain_value value, const struct share *share, u64 total)
{
	switch (value) {
	case HIST_CHAIN_PERCENT:
		fprintf(fp, "%.2f%%", total ? share->period * 100.0 / total : 0.0);
		break;
	case HIST_CHAIN_PERIOD:
		fprintf(fp, "%llu", (unsigned long long)share->period);
		break;
	case HIST_CHAIN_COUNT:
		fprintf(fp, "%llu", (unsigned long long)share->count);
		break;
	}
}

static void put_bars(const struct drawing *d, const struct level *level)
{
	if (!level) {
		fprintf(d->fp, "%*s", d->margin, "");
		return;
	}
	put_bars(d, level->above);
	fprintf(d->fp, "%c          ", level->bar ? '|' : ' ');
}

static void put_separator(const struct drawing *d, const struct level *level)
{
	put_bars(d, level);
	fputc('\n', d->fp);
}

static void put_share(const struct drawing *d, const struct level *level, const struct share *share, u64 total)
{
	put_bars(d, level->above);
	fprintf(d->fp, "%c--", level->bar ? '|' : ' ');
	put_value(d->fp, d->value, share, total);
	fputs("--", d->fp);
}

/* total: sum of the branches, including those hidden by the limit. */
static void put_branches(const struct drawing *d, const struct level *above, const struct chain_node *node, struct share total)
{
	struct level level = { .above = above, .bar = true };
	struct share remaining = total;
	u32 nr = node->nr_shown < d->max_branches ? node->nr_shown : d->max_branches;

	for (u32 i = 0; i < nr; i++) {
		const struct chain_node *child = node->child[i];
		struct share share = node_share(child);

		remaining.period -= share.period;
		remaining.count -= share.count;
		put_separator(d, &level);
		level.bar = i + 1 < node->nr_shown || (d->relative && remaining.period);
		put_share(d, &level, &share, total.period);
		put_frame(d->fp, &child->frame[0]);
		for (u32 f = 1; f < child->nr_frames; f++) {
			put_bars(d, &level);
			put_frame(d->fp, &child->frame[f]);
		}
		put_branches(d, &level, child, d->relative ? (struct share){ child->children_hit, child->children_nr } : total);
	}
	/* A line for what the limit hides, so that the branches add up to 100%. */
	if (d->relative && remaining.period && remaining.period != total.period) {
		level.bar = false;
		put_share(d, &level, &remaining, total.period);
		fputs("[...]\n", d->fp);
	}
}

/*
 * Print the frames that all chains of the entry share, without a percentage; as in perf they count for the limit, too. Returns
 * whether there were any.
 */
static bool put_trunk(const struct drawing *d, const struct chain_node *trunk, bool skip_first)
{
	if (trunk->nr_frames <= skip_first)
		return false;
	fprintf(d->fp, "%*s|\n%*s---", d->margin, "", d->margin, "");
	for (u32 i = skip_first; i < trunk->nr_frames && i - skip_first < d->max_branches; i++) {
		if (i > skip_first)
			fprintf(d->fp, "%*s", d->margin + TRUNK_INDENT, "");
		put_frame(d->fp, &trunk->frame[i]);
	}
	return true;
}

static void draw_tree(const struct hist_entry *entry, const struct chain_tree *tree, FILE *fp, bool skip_first)
{
	const struct hist_opts *opts = &entry->hists->opts;
	struct drawing d = { .fp = fp, .value = opts->chain_value, .relative = opts->chain_mode == HIST_CHAIN_FRACTAL,
			     .margin = LEFT_MARGIN, .max_branches = opts->chain_max_branches ?: UINT32_MAX };
	const struct chain_node *node = &tree->root;
	const u64 period = hist_entry__period(entry);
	struct share total = { period, opts->children ? entry->total.nr : entry->self.nr };
	bool printed = node->nr_shown;

	if (node->nr_shown == 1 && chain_node__sum(node->child[0]) == period) {
		node = node->child[0];
		printed = put_trunk(&d, node, skip_first);
		if (printed)
			d.margin += TRUNK_INDENT;
		printed |= node->nr_shown;
	}
	if (!d.relative)
		total.period = entry->hists->all_period;
	put_branches(&d, NULL, node, total);
	if (printed)
		fputc('\n', fp);
}

/* Print the frames of a whole chain, those of the parent nodes first; each one begins with a margin and ends with end. */
static void put_chain(FILE *fp, const struct chain_node *node, int margin, char end)
{
	if (node->parent)
		put_chain(fp, node->parent, margin, end);
	for (u32 i = 0; i < node->nr_frames; i++) {
		if (end != '\n' && (node->parent || i))
			fputc(end, fp);
		fprintf(fp, "%*s", margin, "");
		put_name(fp, &node->frame[i]);
		if (end == '\n')
			fputc(end, fp);
	}
}

/* As in perf, a chain in one line counts the samples that end there, a chain in many lines also those that go on. */
static int list_chains(const struct hist_entry *entry, const struct chain_tree *tree, FILE *fp)
{
	const struct hists *hists = entry->hists;
	bool folded = hists->opts.chain_mode == HIST_CHAIN_FOLDED;
	u64 limit = hists->total_period * (hists->opts.chain_min_percent / 100);
	struct chain_node **end;
	u32 nr;

	end = chain_tree__ends(tree, limit, &nr);
	if (!end)
		return -ENOMEM;
	if (hists->opts.chain_max_branches && nr > hists->opts.chain_max_branches)
		nr = hists->opts.chain_max_branches;
	for (u32 i = 0; i < nr; i++) {
		struct share own = { end[i]->hit, end[i]->nr }, share = folded ? own : node_share(end[i]);

		fprintf(fp, "%*s", folded ? 0 : FLAT_VALUE_MARGIN, "");
		put_value(fp, hists->opts.chain_value, &share, hists->all_period);
		fputc(folded ? ' ' : '\n', fp);
		put_chain(fp, end[i], folded ? 0 : FLAT_FRAME_MARGIN, folded ? ';' : '\n');
		fputc('\n', fp);
	}
	free(end);
	return 0;
}

int hist_entry__fprintf_chains(const struct hist_entry *entry, FILE *fp, bool skip_first)
{
	struct chain_tree tree;
	int ret = hist_entry__make_tree(entry, &tree);

	if (ret)
		return ret;
	switch (entry->hists->opts.chain_mode) {
	case HIST_CHAIN_NONE:
		break;
	case HIST_CHAIN_GRAPH:
	case HIST_CHAIN_FRACTAL:
		draw_tree(entry, &tree, fp, skip_first);
		break;
	case HIST_CHAIN_FLAT:
	case HIST_CHAIN_FOLDED:
		ret = list_chains(entry, &tree, fp);
	}
	chain_tree__exit(&tree);
	return ret;
}
