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

static bool is_wanted(const struct annotate_types *types, const struct type_use *use, u32 event)
{
	const char *name = types->options->type_name;
	const u64 all = types->hists[event].total_period;
	u64 nr = 0, period = 0;

	type_use__sum(use, event, 0, UINT64_MAX, &nr, &period);
	return (!name || is_called(use->hit->name, name)) && (all ? 100.0 * period / all : 0) >= types->options->report.min_percent;
}

/* 1, 0 if its members cannot be had, or -ENOMEM */
static int print_type(const struct annotate_types *types, struct annotated_type *type, FILE *fp)
{
	struct data_layout layout = {};
	int ret = resolver__data_layout(session__resolver(types->session), &type->use->hit->loc, &layout);

	if (ret) {
		if (ret != -ENOMEM)
			pr_err("Couldn't annotate %s of %s: it has too many members\n", type->use->hit->name, type->use->hit->dso->shown);
		return ret == -ENOMEM ? ret : 0;
	}
	type->layout = &layout;
	annotated_type__fprintf(type, fp);
	data_layout__exit(&layout);
	return 1;
}

int annotate_types__print(const struct annotate_types *types, const struct report_group *group, FILE *fp)
{
	struct annotated_type type = { .event = group->event, .nr_events = group->nr, .view = &types->options->view };
	const char **name = calloc(group->nr, sizeof(*name));
	struct type_hits hits = {};
	int nr = 0, ret = name ? 0 : -ENOMEM;

	for (u32 i = 0; i < group->nr && !ret; i++)
		name[i] = session__event(types->session, group->event[i])->name;
	type.name = name;
	if (!ret)
		ret = type_hits__fill(&hits, types->hits, session__resolver(types->session), group->event, group->nr);
	for (u32 i = 0; i < hits.nr_uses && ret >= 0; i++) {
		type.use = &hits.use[i];
		ret = is_wanted(types, type.use, group->event[0]) ? print_type(types, &type, fp) : 0;
		nr += ret > 0;
	}
	type_hits__exit(&hits);
	free(name);
	return ret < 0 ? ret : nr;
}
