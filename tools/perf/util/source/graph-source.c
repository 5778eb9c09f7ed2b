// SPDX-License-Identifier: GPL-2.0
/*
 * Times of a function of the kernel from the function_graph tracer, for kernels whose functions BPF programs cannot be attached to. Their only
 * result is what collect() returns.
 */
#define LOG_DOMAIN "graph"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/bpf_skel/plain.h"
#include "util/bpf_skel/histogram.bpf.h"
#include "util/source/graph-line.h"
#include "util/source/graph-tracer.h"
#include "util/source/sources.h"

#define NR_SLOTS (HISTOGRAM_MAX_LINEAR + 2) /* all buckets from 0 on, HISTOGRAM_UNDER and HISTOGRAM_OVER */

struct graph_slot {
	u64 count, sum, least, greatest;
};

struct graph_source {
	struct source base;
	struct graph_tracer *tracer;
	pid_t waits_for; /* this process executes the command to measure; 0: it has */
	u64 seen;
	struct graph_slot slot[NR_SLOTS];
	size_t nr_text; /* of a line whose end is not read yet */
	char text[16384];
};

static struct graph_source *of(const struct source *source)
{
	return (struct graph_source *)source; /* its first member */
}

/* Running */

static int load(struct source *source, const struct source_setup *wanted, struct errmsg *err)
{
	struct graph_source *g = of(source);

	graph_tracer__close(g->tracer);
	g->tracer = NULL;
	g->waits_for = wanted->target->waits && wanted->target->nr_tids ? wanted->target->tids[0] : 0;
	return graph_tracer__open(&g->tracer, source->evsel->name, wanted->target, err);
}

static int enable(struct source *source, struct errmsg *err)
{
	int ret = graph_tracer__switch(of(source)->tracer, true);

	return ret ? errmsg__set(err, -ret, "cannot switch on the kernel's function tracer: %s", strerror(-ret)) : 0;
}

static int disable(struct source *source)
{
	struct graph_source *g = of(source);

	return g->tracer ? graph_tracer__switch(g->tracer, false) : 0;
}

static int fd(const struct source *source)
{
	return graph_tracer__fd(of(source)->tracer);
}

/* Lines */

static struct graph_slot *slot_of(struct graph_source *g, s32 bucket)
{
	if (bucket == HISTOGRAM_UNDER)
		return &g->slot[HISTOGRAM_MAX_LINEAR];
	return &g->slot[bucket < HISTOGRAM_MAX_LINEAR ? bucket : HISTOGRAM_MAX_LINEAR + 1];
}

static void add_time(struct graph_source *g, u64 ns)
{
	struct graph_slot *slot = slot_of(g, histogram__bucket(&g->base.histogram, ns));

	if (!slot->count || ns < slot->least)
		slot->least = ns;
	if (ns > slot->greatest)
		slot->greatest = ns;
	slot->count++;
	slot->sum += ns;
	g->seen++;
}

static void take_line(struct graph_source *g, const char *line)
{
	u64 value;

	switch (graph_line__parse(line, &value)) {
	case GRAPH_LINE_TIME:
		if (!g->waits_for)
			add_time(g, value);
		break;
	case GRAPH_LINE_EXEC:
		if ((pid_t)value == g->waits_for)
			g->waits_for = 0;
		break;
	case GRAPH_LINE_OTHER:
		break;
	}
}

static void take_lines(struct graph_source *g)
{
	char *line = g->text, *end;

	while ((end = memchr(line, '\n', g->text + g->nr_text - line))) {
		*end = '\0';
		take_line(g, line);
		line = end + 1;
	}
	g->nr_text -= line - g->text;
	memmove(g->text, line, g->nr_text);
	if (g->nr_text == sizeof(g->text)) /* no line of the tracer is that long */
		g->nr_text = 0;
}

static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct graph_source *g = of(source);
	ssize_t nr;

	if (!g->tracer)
		return 0;
	while ((nr = read(graph_tracer__fd(g->tracer), g->text + g->nr_text, sizeof(g->text) - g->nr_text)) > 0) {
		g->nr_text += nr;
		take_lines(g);
	}
	return 0;
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	struct graph_source *g = of(source);
	struct tally_row row = { .histogram = &source->histogram };
	int ret = drain(source, NULL, NULL, NULL);

	for (int i = 0; i < NR_SLOTS && !ret; i++) {
		const struct graph_slot *slot = &g->slot[i];

		if (!slot->count)
			continue;
		row.bucket = i < HISTOGRAM_MAX_LINEAR ? i : i == HISTOGRAM_MAX_LINEAR ? HISTOGRAM_UNDER : HISTOGRAM_OVER;
		row.count = slot->count;
		row.period = slot->sum;
		row.least = slot->least;
		row.greatest = slot->greatest;
		ret = cb(data, &row);
	}
	memset(g->slot, 0, sizeof(g->slot));
	return ret;
}

/* Counts */

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	counts->seen = of(source)->seen;
	return 0;
}

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	const struct graph_source *g = of(source);
	int ret;

	*counts = (struct tally_counts){ .seen = g->seen, .counted = g->seen };
	ret = graph_tracer__lost(g->tracer, &counts->lost_spill);
	return ret ? errmsg__set(err, -ret, "cannot read what the kernel's function tracer has lost, per_cpu in tracefs: %s", strerror(-ret)) : 0;
}

static void explain(const struct source *source, FILE *fp)
{
	fprintf(fp, "engine: the kernel's function_graph tracer\n");
}

static void delete(struct source *source)
{
	graph_tracer__close(of(source)->tracer);
	source__free(source);
}

/* Choosing */

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	struct graph_source *g;

	g = source__new(sizeof(*g), &graph_source_ops, wish);
	if (!g)
		return errmsg__set(err, ENOMEM, "out of memory");
	*source = &g->base;
	return source__set_tally(&g->base, wish, err);
}

const struct source_ops graph_source_ops = {
	.name = "graph",
	.kind = { &calls_kind },
	.stand_in = true,
	.choose = choose,
	.load = load,
	.enable = enable,
	.disable = disable,
	.fd = fd,
	.drain = drain,
	.collect = collect,
	.counts = counts,
	.tally_counts = tally_counts,
	.explain = explain,
	.delete = delete,
};
