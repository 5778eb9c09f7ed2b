// SPDX-License-Identifier: GPL-2.0
#include "ui/annotate/annotated.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util/annotate/source-lines.h"
#include "util/symbol/resolve.h"

const char *const annotate_percents[ANNOTATE_NR_PERCENTS] = {
	[ANNOTATE_LOCAL_PERIOD] = "local period",
	[ANNOTATE_LOCAL_HITS] = "local hits",
	[ANNOTATE_GLOBAL_PERIOD] = "global period",
	[ANNOTATE_GLOBAL_HITS] = "global hits",
};

u64 annotated__size(const struct annotated *a)
{
	return a->loc.sym->end - a->loc.sym->start;
}

static void count_event(const struct annotated *a, struct annotated_event *event)
{
	for (u32 i = 0; i < a->nr; i++)
		event->sum[i] = (struct code_sum){ .offset = a->code.line[a->line[i]].offset };
	if (event->function)
		code_hits__sum(a->source.hits, event->function, annotated__size(a), event->sum, a->nr);
}

void annotated__count(struct annotated *a, const struct annotated_event *event)
{
	for (u32 i = 0; i < a->nr_events; i++) {
		struct code_sum *sum = a->event[i].sum;

		a->event[i] = event[i];
		a->event[i].sum = sum;
		count_event(a, &a->event[i]);
	}
}

/* Objdump prints them in the order of their addresses; text that looks like one and does not go on is none. */
static int find_instructions(struct annotated *a)
{
	s64 last = -1;

	a->line = calloc(a->code.nr + 1, sizeof(*a->line));
	if (!a->line)
		return -ENOMEM;
	for (u32 i = 0; i < a->code.nr; i++) {
		if (a->code.line[i].offset > last) {
			last = a->code.line[i].offset;
			a->line[a->nr++] = i;
		} else {
			a->code.line[i].offset = -1;
		}
	}
	return 0;
}

static struct location location_at(const struct annotated *a, u32 instruction)
{
	struct location loc = a->loc;

	loc.number = 0;
	loc.sym_addr = a->loc.sym->start + a->code.line[a->line[instruction]].offset;
	loc.addr = a->loc.addr - a->loc.sym_addr + loc.sym_addr;
	return loc;
}

static int find_types(struct annotated *a)
{
	a->type = calloc(a->nr + 1, sizeof(*a->type));
	if (!a->type)
		return -ENOMEM;
	for (u32 i = 0; i < a->nr && a->source.view->types; i++) {
		const struct location loc = location_at(a, i);
		const struct data_type *type = resolver__data_type(a->source.resolver, &loc);

		a->type[i] = type == &data_type_unknown || type->is_of_previous ? NULL : type;
	}
	return 0;
}

static int add_events(struct annotated *a, const struct annotated_event *event, u32 nr_events)
{
	a->event = calloc(nr_events, sizeof(*a->event));
	if (!a->event)
		return -ENOMEM;
	for (; a->nr_events < nr_events; a->nr_events++) {
		struct annotated_event *own = &a->event[a->nr_events];

		*own = event[a->nr_events];
		own->sum = calloc(a->nr + 1, sizeof(*own->sum));
		if (!own->sum)
			return -ENOMEM;
		count_event(a, own);
	}
	return 0;
}

int annotated__init(struct annotated *a, const struct annotate_source *source, const struct location *loc, const struct annotated_event *event,
		    u32 nr_events, struct errmsg *err)
{
	int ret;

	*a = (struct annotated){ .source = *source, .loc = *loc };
	ret = code_text__read(&a->code, source->resolver, loc, source->code, err);
	if (!ret && !source->code->no_source && source_lines__add(&a->code, source->resolver, loc, source->code))
		ret = errmsg__set(err, ENOMEM, "out of memory");
	if (!ret && (find_instructions(a) || find_types(a) || add_events(a, event, nr_events)))
		ret = errmsg__set(err, ENOMEM, "out of memory");
	if (ret)
		annotated__exit(a);
	return ret;
}

void annotated__exit(struct annotated *a)
{
	for (u32 i = 0; i < a->nr_events; i++)
		free(a->event[i].sum);
	free(a->event);
	free(a->line);
	free(a->type);
	code_text__exit(&a->code);
	*a = (struct annotated){};
}

double annotated__percent(const struct annotated *a, u32 i, u32 instruction)
{
	const struct annotated_event *event = &a->event[i];
	const struct code_sum *sum = &event->sum[instruction];
	enum annotate_percent type = a->source.view->percent;
	bool of_hits = type == ANNOTATE_LOCAL_HITS || type == ANNOTATE_GLOBAL_HITS;
	const u64 whole[ANNOTATE_NR_PERCENTS] = {
		[ANNOTATE_LOCAL_PERIOD] = event->function ? event->function->period : 0,
		[ANNOTATE_LOCAL_HITS] = event->function ? event->function->nr : 0,
		[ANNOTATE_GLOBAL_PERIOD] = event->hists->total_period,
		[ANNOTATE_GLOBAL_HITS] = event->hists->nr_samples,
	};

	return whole[type] ? (of_hits ? sum->nr : sum->period) * 100.0 / whole[type] : 0.0;
}

void annotated__put_type(const struct annotated *a, u32 instruction, const char *before, FILE *fp)
{
	const struct data_type *type = a->type[instruction];

	if (!type)
		return;
	fprintf(fp, "%s# data-type: %s", before, type->name);
	if (type->member)
		fprintf(fp, " +%#" PRIx64 " (%s)", (uint64_t)type->offset, type->member);
}

char *annotated__place(const struct annotated *a, u32 instruction)
{
	const struct location loc = location_at(a, instruction);
	const struct srcline *source;
	char text[4096];

	source = resolver__srcline(a->source.resolver, &loc);
	if (!source || !source->frame[0].file)
		return NULL;
	srcline_frame__snprint(&source->frame[0], a->source.view->full_paths, text, sizeof(text));
	return strdup(text);
}
