// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stat"

#include "cmd/stat/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "builtin.h"
#include "util/counter/metrics.h"
#include "util/lib/log.h"
#include "util/record/header.h"

#define MAX_RECORD 65528 /* bytes: the size has 16 bits, and is a multiple of 8 */

/* How other perfs number enum counter_by */
static const u64 aggr_modes[] = {
	[COUNTER_BY_CPU] = 0, [COUNTER_BY_NONE] = 1, [COUNTER_BY_SOCKET] = 2, [COUNTER_BY_DIE] = 3, [COUNTER_BY_CLUSTER] = 4,
	[COUNTER_BY_CACHE] = 5, [COUNTER_BY_CORE] = 6, [COUNTER_BY_THREAD] = 7, [COUNTER_BY_NODE] = 9,
};

struct stat_recording {
	const struct stat_options *o;
	const char *path;
	struct perfdata_writer *w; /* NULL: not begun */
	struct perfdata_features features;
	struct record_opts opts; /* for the features */
	bool is_pipe;
	unsigned int nr_cpus; /* places of a thread, which follow each other */
};

static void tell_note(void *data, const char *text)
{
	pr_info("%s\n", text);
}

struct stat_recording *stat_recording__new(const struct stat_options *o, int argc, const char *const *argv)
{
	static const struct tally_opts without_formats;
	struct stat_recording *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->o = o;
	r->path = o->path ?: "perf.data";
	r->is_pipe = !strcmp(r->path, "-");
	r->opts.version = perf_version;
	r->opts.cmdline_argc = argc;
	r->opts.cmdline_argv = argv;
	r->opts.run.note = tell_note;
	/* Other perfs want the formats of tracepoints in a file; from a pipe their stat report cannot skip them. */
	r->opts.count = r->is_pipe ? &without_formats : NULL;
	return r;
}

void stat_recording__delete(struct stat_recording *r)
{
	if (!r)
		return;
	perfdata_writer__delete(r->w);
	perfdata_features__exit(&r->features);
	free(r);
}

bool stat_recording__is_pipe(const struct stat_recording *r)
{
	return r->is_pipe;
}

/* Ids are numbers from 1 on: those of the kernel would tell nothing, and programs count without. */
static u64 id_of(unsigned int event)
{
	return event + 1;
}

/* There are no samples, but readers of files want to tell those of the events apart; those of pipes do not take it. */
static int describe_event(struct perfdata_event *event, const struct evsel *evsel, bool is_pipe)
{
	event->attr = evsel->attr;
	event->attr.sample_type = is_pipe ? 0 : PERF_SAMPLE_IDENTIFIER;
	if (evsel->tool) {
		event->attr.type = STAT_TOOL_TYPE;
		event->attr.config = evsel->tool;
	}
	event->name = strdup(evsel->name);
	event->ids = malloc(sizeof(*event->ids));
	if (!event->name || !event->ids)
		return -ENOMEM;
	event->ids[0] = id_of(evsel->idx);
	event->nr_ids = 1;
	return 0;
}

static int collect(struct stat_recording *r, struct errmsg *err)
{
	const struct evlist *evlist = r->o->evlist;
	int ret = 0;

	header__collect(&r->features, evlist, &r->opts);
	r->features.present[HEADER_STAT / 64] |= 1ULL << HEADER_STAT % 64;
	r->features.event_desc = calloc(evlist->nr, sizeof(*r->features.event_desc));
	if (!r->features.event_desc)
		return errmsg__set(err, ENOMEM, "out of memory");
	r->features.nr_event_desc = evlist->nr;
	for (unsigned int i = 0; i < evlist->nr && !ret; i++)
		ret = describe_event(&r->features.event_desc[i], evlist->evsel[i], r->is_pipe);
	return ret ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

static int write_record(struct stat_recording *r, void *record, u32 type, size_t size, struct errmsg *err)
{
	struct perf_event_header *header = record;

	header->type = type;
	header->size = size;
	return perfdata_writer__write(r->w, record, size, err);
}

static int write_update(struct stat_recording *r, const struct evsel *evsel, u64 what, const void *data, size_t size, struct errmsg *err)
{
	union {
		struct record_event_update update;
		char room[256];
	} u = { .update = { .what = what, .id = id_of(evsel->idx) } };

	if (size > sizeof(u) - sizeof(u.update) - 8) /* a name that no reader would show */
		size = sizeof(u) - sizeof(u.update) - 8;
	memcpy(u.update.data, data, size);
	return write_record(r, &u, PERF_RECORD_EVENT_UPDATE, (sizeof(u.update) + size + 8) & ~7UL, err);
}

static int write_updates(struct stat_recording *r, struct errmsg *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < r->o->evlist->nr && !ret; i++) {
		const struct evsel *evsel = r->o->evlist->evsel[i];
		const char *unit = counter_event__unit(evsel);
		const double scale = counter_event__scale(evsel);

		if (*unit)
			ret = write_update(r, evsel, EVENT_UPDATE_UNIT, unit, strlen(unit), err);
		if (!ret && scale != 1)
			ret = write_update(r, evsel, EVENT_UPDATE_SCALE, &scale, sizeof(scale), err);
		if (!ret && r->is_pipe)
			ret = write_update(r, evsel, EVENT_UPDATE_NAME, evsel->name, strlen(evsel->name), err);
	}
	return ret;
}

static int write_threads(struct stat_recording *r, const struct counter_place *places, unsigned int nr, struct errmsg *err)
{
	const size_t size = sizeof(struct record_thread_map) + nr * sizeof(((struct record_thread_map *)NULL)->entry[0]);
	struct record_thread_map *map = size <= MAX_RECORD ? calloc(1, size) : NULL;
	int ret;

	if (size > MAX_RECORD)
		return errmsg__set(err, E2BIG, "a perf.data has no room for counts of %u threads: choose fewer than 2700", nr);
	if (!map)
		return errmsg__set(err, ENOMEM, "out of memory");
	map->nr = nr;
	for (unsigned int i = 0; i < nr; i++) {
		const pid_t tid = places[i * r->nr_cpus].tid;

		map->entry[i].pid = tid;
		if (tid > 0)
			counter_thread__comm(map->entry[i].comm, tid);
	}
	ret = write_record(r, map, PERF_RECORD_THREAD_MAP, size, err);
	free(map);
	return ret;
}

/* Form 0: a list of numbers of 16 bits; -1 is any CPU */
static int write_cpus(struct stat_recording *r, const struct counter_place *places, struct errmsg *err)
{
	const size_t size = (sizeof(struct perf_event_header) + (2 + r->nr_cpus) * sizeof(u16) + 7) & ~7UL;
	char *record = size <= MAX_RECORD ? calloc(1, size) : NULL;
	u16 *list = record ? (u16 *)(record + sizeof(struct perf_event_header)) : NULL;
	int ret;

	if (!record)
		return errmsg__set(err, ENOMEM, "out of memory for a list of CPUs");
	list[1] = r->nr_cpus;
	for (unsigned int i = 0; i < r->nr_cpus; i++)
		list[2 + i] = places[i].cpu;
	ret = write_record(r, record, PERF_RECORD_CPU_MAP, size, err);
	free(record);
	return ret;
}

static int write_config(struct stat_recording *r, struct errmsg *err)
{
	const u64 values[][2] = {
		{ STAT_CONFIG_AGGR_MODE, aggr_modes[r->o->by] },
		{ STAT_CONFIG_INTERVAL, r->o->interval },
		{ STAT_CONFIG_SCALE, !r->o->no_scale },
		{ STAT_CONFIG_AGGR_LEVEL, r->o->cache_level },
	};
	struct {
		struct record_stat_config config;
		u64 values[4][2];
	} record = { .config.nr = ARRAY_SIZE(values) };

	memcpy(record.values, values, sizeof(values));
	return write_record(r, &record, PERF_RECORD_STAT_CONFIG, sizeof(record), err);
}

int stat_recording__begin(struct stat_recording *r, const struct counters *c, struct errmsg *err)
{
	unsigned int nr;
	const struct counter_place *places = counters__places(c, &nr);
	int ret = collect(r, err) ?: perfdata_writer__open(r->path, &r->w, err);

	for (r->nr_cpus = 1; r->nr_cpus < nr && places[r->nr_cpus].tid == places[0].tid; r->nr_cpus++)
		;
	ret = ret ?: perfdata_writer__set_events(r->w, r->features.event_desc, r->features.nr_event_desc, err);
	if (!ret && r->is_pipe)
		ret = header__add(r->w, &r->features, true, &r->opts, err);
	return ret ?: write_updates(r, err) ?: write_threads(r, places, nr / r->nr_cpus, err) ?: write_cpus(r, places, err) ?: write_config(r, err);
}

/* All of an event at once: there may be many CPUs. */
static int write_counts(struct stat_recording *r, const struct counters *c, unsigned int event, struct errmsg *err)
{
	struct counter_value value;
	unsigned int nr, nr_counts = 0;
	const struct counter_place *places = counters__places(c, &nr);
	struct record_stat *stats = calloc(nr, sizeof(*stats));
	int ret;

	if (!stats)
		return errmsg__set(err, ENOMEM, "out of memory");
	for (unsigned int i = 0; i < nr; i++) {
		if (!counters__value(c, event, i, COUNTER_TOTAL, &value))
			continue;
		stats[nr_counts++] = (struct record_stat){
			.header = { .type = PERF_RECORD_STAT, .size = sizeof(*stats) },
			.id = id_of(event),
			.cpu = places[i].cpu,
			.thread = i / r->nr_cpus,
			.value = value.value,
			.enabled = value.enabled,
			.running = value.running,
		};
	}
	ret = nr_counts ? perfdata_writer__write(r->w, stats, nr_counts * sizeof(*stats), err) : 0;
	free(stats);
	return ret;
}

int stat_recording__round(struct stat_recording *r, const struct counters *c, bool is_last, u64 time, struct errmsg *err)
{
	struct record_stat_round round = { .type = is_last ? STAT_ROUND_FINAL : STAT_ROUND_INTERVAL, .time = time };
	int ret = 0;

	for (unsigned int i = 0; i < r->o->evlist->nr && !ret; i++)
		ret = counters__is_supported(c, i) ? write_counts(r, c, i, err) : 0;
	return ret ?: write_record(r, &round, PERF_RECORD_STAT_ROUND, sizeof(round), err);
}

int stat_recording__finish(struct stat_recording *r, struct errmsg *err)
{
	int ret = r->is_pipe ? 0 : header__add(r->w, &r->features, false, &r->opts, err);

	return ret ?: perfdata_writer__finish(r->w, err);
}
