// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/histogram-output.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ui/tally/heat-map.h"
#include "ui/round-time.h"
#include "ui/tally/bars.h"
#include "util/lib/cgroup-mount.h"
#include "util/lib/printable.h"
#include "util/lib/stream.h"
#include "util/source/tally-values.h"

struct histogram_text {
	struct histogram_output out;
	struct histogram_output_opts opts;
	struct histograms **histograms; /* by event: of the current round, or with a heat map of all rounds */
	struct heat_map *map;	   /* NULL: none */
};

static struct histogram_text *of(struct histogram_output *out)
{
	return (struct histogram_text *)out;
}

static int take_row(struct histogram_output *out, u32 event, const struct tally_row *row)
{
	struct histogram_text *t = of(out);

	if (t->map)
		heat_map__add(t->map, row->histogram, row->bucket, row->count);
	return histograms__add(t->histograms[event], row);
}

static void print_cgroup(u64 id, FILE *fp)
{
	char path[PATH_MAX];

	if (cgroup__path(id, path, sizeof(path)))
		fprintf(fp, "cgroup %" PRIu64 "  ", id);
	else
		fprintf(fp, "cgroup %s  ", printable__clean(path));
}

static void print_key(const struct histogram_text *t, const struct tally_row *who)
{
	const unsigned int key = t->opts.key;
	FILE *fp = t->opts.fp;
	char comm[sizeof(who->comm) + 1] = "";

	memcpy(comm, who->comm, sizeof(who->comm));
	if (key & TALLY_KEY_COMM)
		fprintf(fp, "comm %s  ", printable__clean(comm));
	if (key & TALLY_KEY_PID)
		fprintf(fp, "pid %u  ", who->pid);
	if (key & TALLY_KEY_TID)
		fprintf(fp, "tid %u  ", who->tid);
	if (key & TALLY_KEY_CPU)
		fprintf(fp, "cpu %u  ", who->cpu);
	if (key & TALLY_KEY_UID)
		fprintf(fp, "uid %u  ", who->uid);
	if (key & TALLY_KEY_CGROUP)
		print_cgroup(who->cgroup, fp);
	for (unsigned int i = 0; i < tally_values__nr(who->values); i++) {
		char text[256];

		tally_values__show(who->values, i, who->has, who->value, text, sizeof(text));
		fprintf(fp, "%s %s  ", tally_values__text(who->values, i), printable__clean(text));
	}
}

static void print_histogram(const struct histogram_text *t, u32 event, const struct histogram *h)
{
	const struct histogram_config *config = histograms__config(t->histograms[event]);
	const struct histogram_bars_opts bars = {
		.what = t->opts.number ?: "time",
		.unit = t->opts.number ? NULL : t->opts.unit,
		.value_unit = t->opts.number ? NULL : "ns",
	};

	if (t->opts.number)
		fprintf(t->opts.fp, "%s  ", t->opts.event[event]);
	else
		fprintf(t->opts.fp, "%s -> %s  ", t->opts.event[event], t->opts.end);
	print_key(t, &h->who);
	histogram__print_summary(h, &bars, t->opts.fp);
	fputc('\n', t->opts.fp);
	histogram__print_bars(h, config, &bars, t->opts.fp);
	fputc('\n', t->opts.fp);
}

static void print_all(struct histogram_text *t)
{
	const struct histogram *h;
	u32 event, i, nr = 0;

	for (event = 0; event < t->opts.nr_events; event++) {
		histograms__sort(t->histograms[event]);
		for (i = 0; (h = histograms__get(t->histograms[event], i)); i++, nr++)
			print_histogram(t, event, h);
	}
	if (!nr)
		fputs("nothing was counted\n\n", t->opts.fp);
	stream__flush(t->opts.fp);
}

static int end_round(struct histogram_output *out)
{
	struct histogram_text *t = of(out);

	if (t->map) {
		heat_map__end_interval(t->map, time(NULL));
		return 0;
	}
	if (t->opts.interval)
		round_time__print(t->opts.fp);
	print_all(t);
	for (u32 i = 0; i < t->opts.nr_events; i++)
		histograms__clear(t->histograms[i]);
	return 0;
}

static void finish(struct histogram_output *out, const struct tally_counts *counts)
{
	struct histogram_text *t = of(out);

	if (!t->map)
		return;
	heat_map__finish(t->map);
	fputc('\n', t->opts.fp);
	print_all(t);
}

static void delete(struct histogram_output *out)
{
	struct histogram_text *t = of(out);

	if (!t)
		return;
	histograms__delete_array(t->histograms, t->opts.nr_events);
	heat_map__delete(t->map);
	free(t);
}

static int add_heat_map(struct histogram_text *t)
{
	struct heat_map_opts opts;

	heat_map_opts__init(&opts, t->opts.fp);
	opts.interval = t->opts.interval;
	opts.unit = t->opts.unit;
	t->map = heat_map__new(&opts);
	return t->map ? 0 : -ENOMEM;
}

static int init(struct histogram_text *t)
{
	t->histograms = histograms__new_array(t->opts.nr_events);
	if (!t->histograms)
		return -ENOMEM;
	return !t->opts.number && t->opts.interval ? add_heat_map(t) : 0;
}

struct histogram_output *histogram_text__new(const struct histogram_output_opts *opts)
{
	static const struct histogram_output_ops ops = { .row = take_row, .round = end_round, .finish = finish, .delete = delete };
	struct histogram_text *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->out.ops = &ops;
	t->opts = *opts;
	if (init(t)) {
		delete(&t->out);
		return NULL;
	}
	return &t->out;
}
