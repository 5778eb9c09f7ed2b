// SPDX-License-Identifier: GPL-2.0
/*
 * The tree is drawn as perf does, so that scripts and eyes find what they know: a branch starts with "--PERCENT--", a bar
 * goes down from a node as long as branches of it follow, and a line of bars separates branches.
 */
#include "ui/callchain-stdio.h"

#define LEFT_MARGIN 12 /* columns before the first bar */
#define TRUNK_INDENT 3 /* what frames below "---main" are moved to the right */

struct drawing {
	FILE *fp;
	bool relative; /* percentages are of the branch above */
	int margin;
};

struct level { /* of the tree; on the stack of the function that draws the node */
	const struct level *above;
	bool bar; /* more branches follow */
};

static void put_frame(FILE *fp, const struct chain_frame *frame)
{
	if (frame->sym)
		fprintf(fp, "%s%s\n", frame->sym->name, frame->sym->inlined ? " (inlined)" : "");
	else
		fprintf(fp, "%#llx\n", (unsigned long long)frame->addr);
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

static void put_percent(const struct drawing *d, const struct level *level, u64 part, u64 total)
{
	put_bars(d, level->above);
	fprintf(d->fp, "%c--%.2f%%--", level->bar ? '|' : ' ', total ? part * 100.0 / total : 0.0);
}

static void put_branches(const struct drawing *d, const struct level *above, const struct chain_node *node, u64 total)
{
	struct level level = { .above = above, .bar = true };
	u64 remaining = total;

	for (u32 i = 0; i < node->nr_shown; i++) {
		const struct chain_node *child = node->child[i];
		u64 sum = chain_node__sum(child);

		remaining -= sum;
		put_separator(d, &level);
		level.bar = i + 1 < node->nr_shown || (d->relative && remaining);
		put_percent(d, &level, sum, total);
		put_frame(d->fp, &child->frame[0]);
		for (u32 f = 1; f < child->nr_frames; f++) {
			put_bars(d, &level);
			put_frame(d->fp, &child->frame[f]);
		}
		put_branches(d, &level, child, d->relative ? child->children_hit : total);
	}
	/* What the limit hid is named, so that the branches add up to 100%. */
	if (d->relative && remaining && remaining != total) {
		level.bar = false;
		put_percent(d, &level, remaining, total);
		fputs("[...]\n", d->fp);
	}
}

/* The frames that all chains of the entry share, without a percentage. Returns whether there were any. */
static bool put_trunk(const struct drawing *d, const struct chain_node *trunk, bool skip_first)
{
	if (trunk->nr_frames <= skip_first)
		return false;
	fprintf(d->fp, "%*s|\n%*s---", d->margin, "", d->margin, "");
	for (u32 i = skip_first; i < trunk->nr_frames; i++) {
		if (i > skip_first)
			fprintf(d->fp, "%*s", d->margin + TRUNK_INDENT, "");
		put_frame(d->fp, &trunk->frame[i]);
	}
	return true;
}

void hist_entry__fprintf_chains(const struct hist_entry *entry, FILE *fp, bool skip_first)
{
	const struct hist_opts *opts = &entry->hists->opts;
	struct drawing d = { .fp = fp, .relative = opts->chain_mode == HIST_CHAIN_FRACTAL, .margin = LEFT_MARGIN };
	const struct chain_node *node = &entry->chains.root;
	u64 period = hist_entry__period(entry);
	bool printed = node->nr_shown;

	if (node->nr_shown == 1 && chain_node__sum(node->child[0]) == period) {
		node = node->child[0];
		printed = put_trunk(&d, node, skip_first);
		if (printed)
			d.margin += TRUNK_INDENT;
		printed |= node->nr_shown;
	}
	put_branches(&d, NULL, node, d.relative ? period : entry->hists->total_period);
	if (printed)
		fputc('\n', fp);
}
