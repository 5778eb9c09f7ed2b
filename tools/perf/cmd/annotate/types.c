// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "annotate"
#include "cmd/annotate/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/annotate/types.h"
#include "util/annotate/type-hits.h"
#include "util/lib/log.h"
#include "util/symbol/resolve.h"

/* "node" and "struct node" are the same. */
static bool is_called(const char *type, const char *name)
{
	static const char *const kinds[] = { "struct ", "union ", "enum " };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const size_t len = strlen(kinds[i]);

		if (!strncmp(type, kinds[i], len) && !strcmp(type + len, name))
			return true;
	}
	return !strcmp(type, name);
}

static double share_of(const struct annotate_types *types, const struct type_use *use, u32 event)
{
	const u64 all = types->hists[event].total_period;
	u64 nr = 0, period = 0;

	type_use__sum(use, event, 0, UINT64_MAX, &nr, &period);
	return all ? 100.0 * period / all : 0;
}

/* Returns 0, also for a type whose members cannot be read, or -ENOMEM. */
static int print_type(struct annotate_types *types, struct annotated_type *type, FILE *fp)
{
	struct data_layout layout = {};
	int ret = resolver__data_layout(session__resolver(types->session), &type->use->hit->loc, &layout);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		pr_err("Couldn't annotate %s of %s: it has too many members\n", type->use->hit->type->name, type->use->hit->dso->shown);
		types->nr_failed++;
		return 0;
	}
	type->layout = &layout;
	annotated_type__fprintf(type, fp);
	data_layout__exit(&layout);
	types->nr_shown++;
	return 0;
}

static int print_uses(struct annotate_types *types, struct annotated_type *type, const struct type_hits *hits, FILE *fp)
{
	const char *name = types->options->type_name;
	int ret = 0;

	for (u32 i = 0; i < hits->nr_uses && !ret; i++) {
		type->use = &hits->use[i];
		if (name && !is_called(type->use->hit->type->name, name))
			continue;
		types->nr_found++;
		if (share_of(types, type->use, type->event[0]) >= types->options->report.min_percent)
			ret = print_type(types, type, fp);
	}
	return ret;
}

int annotate_types__print(struct annotate_types *types, const struct report_group *group, FILE *fp)
{
	struct annotated_type type = { .event = group->event, .nr_events = group->nr, .hists = types->hists, .view = &types->options->view };
	const char **name = calloc(group->nr, sizeof(*name));
	struct type_hits hits = {};
	int ret = name ? 0 : -ENOMEM;

	for (u32 i = 0; i < group->nr && !ret; i++)
		name[i] = session__event(types->session, group->event[i])->name;
	type.name = name;
	ret = ret ?: type_hits__fill(&hits, types->hits, session__resolver(types->session), group->event, group->nr) ?:
	      print_uses(types, &type, &hits, fp);
	type_hits__exit(&hits);
	free(name);
	return ret;
}
