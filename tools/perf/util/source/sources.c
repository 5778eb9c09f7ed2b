// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "callchains"

#include "util/source/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/log.h"
#include "util/source/histogram-opts.h"
#include "util/source/tally-values.h"
#include "util/source/unwind-choice.h"

/* The order of the choice; the last one takes every event that is left. */
static const struct source_ops *const sources[] = {
	&trace_source_ops,
	&histogram_source_ops,
	&tracepoint_source_ops,
	&offcpu_source_ops,
	&lock_source_ops,
	&kwork_source_ops,
	&sched_source_ops,
	&graph_source_ops,
	&tally_source_ops,
	&unwind_source_ops,
	&kernel_source_ops,
};

/* Tracepoints choose their filter together with the source of their samples. */
static int compile_filter(struct source_wish *wish, struct errmsg *err)
{
	struct evsel *evsel = wish->evsel;
	int ret;

	if (evsel->tp || !evsel->filter)
		return 0;
	wish->filter.explain = wish->explain;
	ret = event_filter__compile(&wish->filter, evsel, wish->code, err);
	if (!ret && wish->filter.table)
		evsel->attr.sample_type |= wish->filter.table->sample_type;
	return ret;
}

static int check_unwinding(const struct source_wish *wish, struct errmsg *err)
{
	if (wish->tables_by_choice)
		return 0;
	if (!wish->tables && wish->tally && wish->tally->by_file)
		return errmsg__set(err, EINVAL, "%s: stacks of several processes are counted together only with --call-graph bpf for all events: "
				   "add pid to --key", wish->evsel->name);
	if (!wish->tables)
		return 0;
	if (wish->tally && wish->tally->both)
		return errmsg__set(err, EINVAL, "--both and --call-graph bpf exclude each other: the kernel writes the samples, with stacks by frame "
				   "pointers. Write them with perf record --call-graph bpf, and count them with perf report");
	return unwind_tables__check(err);
}

/* The filter is compiled, so that the sample's type is known. Tracepoints choose by themselves. */
static void choose_unwinding(struct source_wish *wish)
{
	const char *why = wish->tables_by_choice && !wish->evsel->tp ? unwind_choice__refuse(wish) : NULL;

	if (why)
		unwind_choice__give_up(wish, why);
}

static bool serves(const struct source_ops *ops, const struct event_kind *kind)
{
	return ops->kind[0] == kind || (kind && ops->kind[1] == kind);
}

int sources__choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	int ret = check_unwinding(wish, err) ?: compile_filter(wish, err);

	*source = NULL;
	if (!ret)
		choose_unwinding(wish);
	for (size_t i = 0; i < ARRAY_SIZE(sources) && !ret && !*source; i++)
		ret = serves(sources[i], wish->evsel->kind) ? sources[i]->choose(wish, source, err) : 0;
	event_filter__exit(&wish->filter); /* no source took it over */
	if (!ret) {
		if ((*source)->tables)
			pr_debug("%s: user stacks unwound by BPF programs\n", wish->evsel->name);
		return 0;
	}
	source__delete(*source);
	*source = NULL;
	return ret;
}

void source__delete(struct source *source)
{
	if (source)
		source->ops->delete(source);
}

void *source__new(size_t size, const struct source_ops *ops, struct source_wish *wish)
{
	struct source *source = calloc(1, size);

	if (!source)
		return NULL;
	source->ops = ops;
	source->evsel = wish->evsel;
	source->tables = wish->tables;
	source->tables_by_choice = wish->tables_by_choice;
	source->marks = wish->marks;
	source->filter = wish->filter;
	source->filter.marks = wish->marks;
	wish->filter = (struct event_filter){ 0 };
	memcpy(source->why, wish->why, sizeof(source->why));
	memcpy(source->no_tables, wish->no_tables, sizeof(source->no_tables));
	return source;
}

static void set_tally(struct source *source, const struct source_wish *wish)
{
	source->tallied = true;
	source->tally = *wish->tally;
	source->tally.marks = source->marks;
	source->tally.own = event_filter__own(source->evsel, true);
	source->tally.clocks = event_filter__clocks(source->evsel);
	source->tally.tables = source->tally.key & TALLY_KEY_USTACK ? source->tables : NULL;
}

int source__set_tally(struct source *source, const struct source_wish *wish, struct errmsg *err)
{
	set_tally(source, wish);
	if (wish->tally->exprs)
		return errmsg__set(err, EINVAL, "%s: --sum, and values in --key, are for tracepoints and for events of the kernel, and not for "
				   "--latency: leave them out, or give them a recording of their own", source->evsel->name);
	if (!wish->histogram)
		return 0;
	source->tally.histogram = &source->histogram;
	return histogram_opts__configure(wish->histogram, source->evsel, &source->histogram, err);
}

int source__set_values(struct source *source, const struct source_wish *wish, struct errmsg *err)
{
	struct tally_exprs exprs = wish->tally->exprs ? *wish->tally->exprs : (struct tally_exprs){ 0 };
	int ret;

	set_tally(source, wish);
	if (wish->histogram) { /* its number is what is summed up */
		source->tally.histogram = &source->histogram;
		histogram_opts__fill(wish->histogram, &source->histogram);
		exprs.sum = wish->histogram->number;
		exprs.sum_option = "--hist";
	}
	if (!exprs.nr && !exprs.sum)
		return 0;
	ret = tally_values__new(&exprs, source->evsel, &source->filter, &source->values, err);
	source->tally.values = source->values;
	if (!ret && !source->evsel->tp)
		source->evsel->attr.sample_type |= tally_values__sample_type(source->values);
	return ret;
}

int source__share_tables(const struct source *source, struct bpf_programs *programs)
{
	return source->tables ? unwind_tables__share(source->tables, programs) : 0;
}

void source__free(struct source *source)
{
	event_filter__exit(&source->filter);
	tally_values__delete(source->values);
	free(source);
}
