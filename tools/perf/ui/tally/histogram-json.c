// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/histogram-output.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "ui/tally/bars.h"
#include "ui/json.h"
#include "util/lib/cgroup-mount.h"
#include "util/lib/stream.h"
#include "util/source/tally-values.h"

struct histogram_json {
	struct histogram_output out;
	struct histogram_output_opts opts;
	struct histograms **histograms; /* by event: of the current round */
	yajl_gen gen;
	bool begun;
};

static struct histogram_json *of(struct histogram_output *out)
{
	return (struct histogram_json *)out;
}

static int take_row(struct histogram_output *out, u32 event, const struct tally_row *row)
{
	return histograms__add(of(out)->histograms[event], row);
}

static void put_wide(yajl_gen gen, const char *key, wide value)
{
	char buf[WIDE_SIZE], *text = wide__text(value, buf);

	json__string(gen, key);
	yajl_gen_number(gen, text, strlen(text));
}

static void put_event(const struct histogram_json *j, u32 event)
{
	json__put_text(j->gen, j->opts.number ? "event" : "from", j->opts.event[event]);
	if (!j->opts.number)
		json__put_text(j->gen, "to", j->opts.end);
}

static void put_key(const struct histogram_json *j, const struct tally_row *who)
{
	const unsigned int key = j->opts.key;
	char comm[sizeof(who->comm) + 1] = "", path[PATH_MAX];

	memcpy(comm, who->comm, sizeof(who->comm));
	json__put_text(j->gen, "comm", key & TALLY_KEY_COMM ? comm : NULL);
	if (key & TALLY_KEY_PID)
		json__put_number(j->gen, "pid", who->pid);
	if (key & TALLY_KEY_TID)
		json__put_number(j->gen, "tid", who->tid);
	if (key & TALLY_KEY_CPU)
		json__put_number(j->gen, "cpu", who->cpu);
	if (key & TALLY_KEY_UID)
		json__put_number(j->gen, "uid", who->uid);
	for (unsigned int i = 0; i < tally_values__nr(who->values); i++) {
		char text[256];

		tally_values__show(who->values, i, who->has, who->value, text, sizeof(text));
		json__put_text(j->gen, tally_values__text(who->values, i), text);
	}
	if (!(key & TALLY_KEY_CGROUP))
		return;
	json__put_number(j->gen, "cgroup", who->cgroup);
	json__put_text(j->gen, "cgroup_path", cgroup__path(who->cgroup, path, sizeof(path)) ? NULL : path);
}

static void put_buckets(yajl_gen gen, const struct histogram *h, const struct histogram_config *config)
{
	json__string(gen, "buckets");
	yajl_gen_array_open(gen);
	for (u32 i = 0; i < h->nr_bars; i++) {
		const struct histogram_range range = histogram_range(config, h->bar[i].bucket);

		yajl_gen_map_open(gen);
		put_wide(gen, "low", range.low);
		put_wide(gen, "high", range.high);
		json__put_number(gen, "count", h->bar[i].count);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

static void put_histogram(const struct histogram_json *j, u32 event, const struct histogram *h)
{
	yajl_gen_map_open(j->gen);
	put_event(j, event);
	put_key(j, &h->who);
	json__put_number(j->gen, "count", h->count);
	if (h->sum_known)
		put_wide(j->gen, "sum", h->sum);
	put_wide(j->gen, "min", h->least);
	put_wide(j->gen, "max", h->greatest);
	put_buckets(j->gen, h, histograms__config(j->histograms[event]));
	yajl_gen_map_close(j->gen);
}

static void begin(struct histogram_json *j)
{
	j->begun = true;
	yajl_gen_map_open(j->gen);
	json__put_text(j->gen, "number", j->opts.number);
	if (!j->opts.number)
		json__put_text(j->gen, "unit", "ns");
	if (j->opts.interval)
		json__put_number(j->gen, "interval_ms", j->opts.interval);
	json__string(j->gen, "rounds");
	yajl_gen_array_open(j->gen);
}

static void put_histograms(struct histogram_json *j, u32 event)
{
	const struct histogram *h;

	histograms__sort(j->histograms[event]);
	for (u32 i = 0; (h = histograms__get(j->histograms[event], i)); i++)
		put_histogram(j, event, h);
	histograms__clear(j->histograms[event]);
}

static int end_round(struct histogram_output *out)
{
	struct histogram_json *j = of(out);

	if (!j->begun)
		begin(j);
	yajl_gen_map_open(j->gen);
	json__put_now(j->gen, "time");
	json__string(j->gen, "histograms");
	yajl_gen_array_open(j->gen);
	for (u32 i = 0; i < j->opts.nr_events; i++)
		put_histograms(j, i);
	yajl_gen_array_close(j->gen);
	yajl_gen_map_close(j->gen);
	stream__flush(j->opts.fp);
	return 0;
}

/* Walks of the filter and of the keys that led to no value */
static void put_missing(yajl_gen gen, const struct filter_missing *missing)
{
	if (!missing || !missing->nr)
		return;
	json__string(gen, "no_value");
	yajl_gen_array_open(gen);
	for (unsigned int i = 0; i < missing->nr; i++) {
		yajl_gen_map_open(gen);
		json__put_text(gen, "walk", missing->walk[i].text);
		json__put_number(gen, "hits", missing->walk[i].samples);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

static void put_counts(const struct histogram_json *j, u32 event, const struct tally_counts *c)
{
	yajl_gen_map_open(j->gen);
	put_event(j, event);
	json__put_number(j->gen, "seen", c->seen);
	json__put_number(j->gen, "dropped", c->dropped);
	json__put_number(j->gen, "missed", c->missed);
	json__put_number(j->gen, "lost", c->lost_keys + c->lost_spill + c->lost_starts);
	if (!j->opts.number) {
		json__put_number(j->gen, "open_starts", c->open_starts);
		json__put_number(j->gen, "lone_ends", c->lone_ends);
	}
	put_missing(j->gen, c->missing);
	yajl_gen_map_close(j->gen);
}

static void finish(struct histogram_output *out, const struct tally_counts *counts)
{
	struct histogram_json *j = of(out);

	if (!j->begun)
		begin(j);
	yajl_gen_array_close(j->gen);
	json__string(j->gen, "events");
	yajl_gen_array_open(j->gen);
	for (u32 i = 0; i < j->opts.nr_events; i++)
		put_counts(j, i, &counts[i]);
	yajl_gen_array_close(j->gen);
	yajl_gen_map_close(j->gen);
	fputc('\n', j->opts.fp);
	stream__flush(j->opts.fp);
}

static void delete(struct histogram_output *out)
{
	struct histogram_json *j = of(out);

	if (!j)
		return;
	histograms__delete_array(j->histograms, j->opts.nr_events);
	if (j->gen)
		yajl_gen_free(j->gen);
	free(j);
}

static int init(struct histogram_json *j)
{
	j->gen = json__new(j->opts.fp);
	j->histograms = histograms__new_array(j->opts.nr_events);
	return j->gen && j->histograms ? 0 : -ENOMEM;
}

struct histogram_output *histogram_json__new(const struct histogram_output_opts *opts)
{
	static const struct histogram_output_ops ops = { .row = take_row, .round = end_round, .finish = finish, .delete = delete };
	struct histogram_json *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->out.ops = &ops;
	j->opts = *opts;
	if (init(j)) {
		delete(&j->out);
		return NULL;
	}
	return &j->out;
}
