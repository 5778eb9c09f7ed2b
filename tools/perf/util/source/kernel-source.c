// SPDX-License-Identifier: GPL-2.0
/* The kernel makes the samples and writes them to the event's ring; before that a BPF program or the kernel's own filter judges them. */
#include <errno.h>
#include "util/source/sources.h"

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	*source = source__new(sizeof(**source), &kernel_source_ops, wish);
	if (!*source)
		return errmsg__set(err, ENOMEM, "out of memory while opening events");
	(*source)->has_program = (*source)->filter.table;
	return 0;
}

static bool share(struct source *source, struct source *first)
{
	return event_filter__share(&source->filter, &first->filter);
}

static int load(struct source *source, const struct source_setup *setup, struct errmsg *err)
{
	const char *option;
	int ret;

	if (!source->evsel->filter || source->filter.bpf)
		return 0;
	ret = event_filter__load(&source->filter, err);
	option = source->evsel->nr_filters ? source->evsel->filters[0].option : "filter";
	if (ret == -EPERM && *option == '-') /* the user wrote no filter, but this */
		errmsg__prefix(err, "%s", option);
	return ret;
}

static int attach(struct source *source, int fd, struct errmsg *err)
{
	return source->evsel->filter || source->marks ? event_filter__attach(&source->filter, source->evsel, fd, err) : 0;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct filter_counts judged;
	int ret;

	counts->by_kernel = source->filter.kernel;
	if (!source->filter.bpf)
		return 0;
	ret = event_filter__counts(&source->filter, &judged, err);
	if (ret)
		return ret;
	counts->filtered = source->evsel->filter;
	counts->seen = judged.seen;
	counts->dropped = judged.dropped;
	counts->unmended = judged.unmended;
	counts->undecided = judged.undecided;
	counts->period = judged.period;
	counts->untaken = judged.untaken;
	counts->late = judged.late;
	counts->untimed = judged.untimed;
	filter_missing__fill(&source->missing, &source->filter, (const u64 *)judged.valueless);
	counts->missing = &source->missing;
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	if (source->filter.table && source->evsel->filter)
		event_filter__dump_engine(&source->filter, fp);
	else if (*source->why)
		fprintf(fp, "not recorded by a BPF program: %s\n", source->why);
}

const struct source_ops kernel_source_ops = {
	.name = "kernel",
	.mended = true,
	.choose = choose,
	.share = share,
	.load = load,
	.attach = attach,
	.counts = counts,
	.explain = explain,
	.delete = source__free,
};
