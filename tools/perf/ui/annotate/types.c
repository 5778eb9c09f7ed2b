// SPDX-License-Identifier: GPL-2.0
#include "ui/annotate/types.h"

#include <inttypes.h>

#define INDENT 4
#define FIELD 24 /* columns before the fields, behind the numbers */

static int width_of(const struct annotated_type *t)
{
	return t->view->show_period ? 11 : 7;
}

static void print_title(const struct annotated_type *t, FILE *fp)
{
	const struct annotate_view_opts *view = t->view;
	u64 nr = 0, period = 0;

	for (u32 i = 0; i < t->nr_events; i++)
		type_use__sum(t->use, t->event[i], 0, UINT64_MAX, &nr, &period);
	fprintf(fp, "Annotate type: '%s' in %s (%" PRIu64 " samples):\n", t->layout->member[0].type, t->use->hit->dso->shown, (uint64_t)nr);
	for (u32 i = 0; i < t->nr_events && t->nr_events > 1; i++)
		fprintf(fp, " event[%u] = %s\n", i, t->name[i]);
	fprintf(fp, "============================================================================\n%*s %10s %10s  field\n",
		(width_of(t) + 1) * (int)t->nr_events, view->show_period ? "Period" : view->show_samples ? "Samples" : "Percent", "offset", "size");
}

static double percent_of(const struct annotated_type *t, u32 event, u64 nr, u64 period)
{
	u64 all = 0, total = 0;

	type_use__sum(t->use, event, 0, UINT64_MAX, &all, &total);
	switch (t->view->percent) {
	case ANNOTATE_LOCAL_HITS:
		return all ? 100.0 * nr / all : 0;
	case ANNOTATE_GLOBAL_HITS:
		return t->hists[event].nr_samples ? 100.0 * nr / t->hists[event].nr_samples : 0;
	case ANNOTATE_GLOBAL_PERIOD:
		return t->hists[event].total_period ? 100.0 * period / t->hists[event].total_period : 0;
	default:
		return total ? 100.0 * period / total : 0;
	}
}

static void print_number(const struct annotated_type *t, u32 event, const struct data_member *member, FILE *fp)
{
	u64 nr = 0, period = 0;

	type_use__sum(t->use, event, member->offset, member->size, &nr, &period);
	if (t->view->show_period)
		fprintf(fp, " %*" PRIu64, width_of(t), (uint64_t)period);
	else if (t->view->show_samples)
		fprintf(fp, " %*" PRIu64, width_of(t), (uint64_t)nr);
	else
		fprintf(fp, " %*.2f", width_of(t), percent_of(t, event, nr, period));
}

static void print_ends(const struct annotated_type *t, u32 from, u32 to, FILE *fp)
{
	while (from-- > to)
		fprintf(fp, "%*s};\n", (width_of(t) + 1) * (int)t->nr_events + FIELD + INDENT * (int)from, "");
}

void annotated_type__fprintf(const struct annotated_type *t, FILE *fp)
{
	const struct data_layout *layout = t->layout;

	print_title(t, fp);
	for (u32 i = 0; i < layout->nr; i++) {
		const struct data_member *member = &layout->member[i];
		const u32 next = i + 1 < layout->nr ? layout->member[i + 1].depth : 0;

		for (u32 k = 0; k < t->nr_events; k++)
			print_number(t, t->event[k], member, fp);
		fprintf(fp, " %#10" PRIx64 " %#10" PRIx64 "  %*s%s\t%s%s\n", (uint64_t)member->offset, (uint64_t)member->size,
			INDENT * (int)member->depth, "", member->type, member->name, next > member->depth ? " {" : ";");
		if (next < member->depth)
			print_ends(t, member->depth, next, fp);
	}
	fputc('\n', fp);
}
