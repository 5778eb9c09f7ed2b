// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stat"

#include "cmd/stat/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/stat/recording.h"
#include "util/counter/counters.h"
#include "util/counter/metrics.h"
#include "util/lib/log.h"
#include "util/lib/printable.h"
#include "util/lib/text.h"
#include "util/perfdata/cpu-set.h"
#include "util/perfdata/reader.h"

struct event_id {
	u64 id;
	u32 event;
};

struct report {
	struct stat_options *o;
	const char *input;
	struct perfdata_reader *reader;
	const struct perfdata_event *events; /* of the file; nr: as evlist */
	struct event_id *ids; /* sorted */
	size_t nr_ids;
	struct record_thread_map *threads; /* copies of the records; NULL: not there yet */
	struct cpumap *cpus;
	u64 aggr_mode, interval, aggr_level, scale;
	bool has_level;			/* the file has the numbers of perf 6.9 and newer */
	struct counters *counters;	/* NULL: no count was read so far */
	struct counter_place *place;
	struct counter_groups groups;
	struct stat_output *out;
	u64 last;			/* ns: the time of the last round */
	unsigned int nr_rounds;
};

static int no_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory");
}

/* Events */

static int add_event(struct report *r, const struct perfdata_event *event, struct errmsg *err)
{
	struct evsel *evsel = evsel__new(event->attr.type, event->attr.config);
	char name[256];

	if (!evsel)
		return no_memory(err);
	evsel->attr = event->attr;
	if (event->attr.type == STAT_TOOL_TYPE && event->attr.config < NR_TOOLS)
		evsel->tool = event->attr.config;
	evsel->name = strdup(event->name ?: attr__name(&event->attr, name, sizeof(name)));
	if (evsel->name && !evlist__append(r->o->evlist, evsel))
		return 0;
	evsel__delete(evsel);
	return no_memory(err);
}

static int compare_ids(const void *a, const void *b)
{
	const struct event_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int list_ids(struct report *r, struct errmsg *err)
{
	size_t nr = 0;

	for (unsigned int i = 0; i < r->o->evlist->nr; i++)
		nr += r->events[i].nr_ids;
	r->ids = calloc(nr + 1, sizeof(*r->ids));
	if (!r->ids)
		return no_memory(err);
	for (unsigned int i = 0; i < r->o->evlist->nr; i++) {
		for (u32 j = 0; j < r->events[i].nr_ids; j++)
			r->ids[r->nr_ids++] = (struct event_id){ r->events[i].ids[j], i };
	}
	qsort(r->ids, r->nr_ids, sizeof(*r->ids), compare_ids);
	return 0;
}

static int add_events(struct report *r, struct errmsg *err)
{
	int ret = 0;
	u32 nr;

	r->events = perfdata_reader__events(r->reader, &nr);
	for (u32 i = 0; i < nr && !ret; i++)
		ret = add_event(r, &r->events[i], err);
	return ret ?: list_ids(r, err);
}

/* -1: the file has no such event. */
static int find_event(const struct report *r, u64 id)
{
	const struct event_id key = { .id = id }, *found = bsearch(&key, r->ids, r->nr_ids, sizeof(key), compare_ids);

	return found ? (int)found->event : -1;
}

/* What stands before the counts */

static int take_threads(struct report *r, const union perf_record *record, struct errmsg *err)
{
	free(r->threads);
	r->threads = malloc(record->header.size);
	if (!r->threads)
		return no_memory(err);
	memcpy(r->threads, record, record->header.size);
	for (u64 i = 0; i < r->threads->nr; i++) {
		r->threads->entry[i].comm[sizeof(r->threads->entry[i].comm) - 1] = '\0';
		printable__clean(r->threads->entry[i].comm);
	}
	return 0;
}

static int take_cpus(struct report *r, const union perf_record *record, struct errmsg *err)
{
	free(r->cpus);
	r->cpus = cpu_set__read(&record->cpu_map.type, record->header.size - sizeof(record->header));
	return r->cpus ? 0 : no_memory(err);
}

static int take_config(struct report *r, const union perf_record *record)
{
	for (u64 i = 0; i < record->stat_config.nr; i++) {
		const u64 tag = record->stat_config.entry[i].tag, value = record->stat_config.entry[i].value;

		if (tag == STAT_CONFIG_AGGR_MODE)
			r->aggr_mode = value;
		else if (tag == STAT_CONFIG_INTERVAL)
			r->interval = value;
		else if (tag == STAT_CONFIG_SCALE)
			r->scale = value;
		else if (tag == STAT_CONFIG_AGGR_LEVEL)
			r->aggr_level = value;
		r->has_level |= tag == STAT_CONFIG_AGGR_LEVEL;
	}
	return 0;
}

static int take_update(struct report *r, const union perf_record *record)
{
	const struct record_event_update *update = &record->event_update;
	const size_t size = record->header.size - sizeof(*update);
	const int event = find_event(r, update->id);
	struct evsel *evsel = event < 0 ? NULL : r->o->evlist->evsel[event];

	if (evsel && update->what == EVENT_UPDATE_UNIT && !evsel->tool && !attr__is_clock(&evsel->attr)) {
		snprintf(evsel->unit, sizeof(evsel->unit), "%.*s", (int)size, update->data);
		printable__clean(evsel->unit);
	} else if (evsel && update->what == EVENT_UPDATE_SCALE && size >= sizeof(evsel->scale)) {
		memcpy(&evsel->scale, update->data, sizeof(evsel->scale));
		if (!(evsel->scale > 0 && evsel->scale < 1e30))
			evsel->scale = 0;
	}
	return 0;
}

/* Places */

/* How other perfs number them: since 6.9, and before that, without clusters and caches */
static enum counter_by by_of(const struct report *r)
{
	static const enum counter_by modes[] = {
		COUNTER_BY_CPU, COUNTER_BY_NONE, COUNTER_BY_SOCKET, COUNTER_BY_DIE, COUNTER_BY_CLUSTER, COUNTER_BY_CACHE, COUNTER_BY_CORE,
		COUNTER_BY_THREAD, COUNTER_BY_NONE, COUNTER_BY_NODE,
	}, old_modes[] = {
		COUNTER_BY_CPU, COUNTER_BY_NONE, COUNTER_BY_SOCKET, COUNTER_BY_DIE, COUNTER_BY_CORE, COUNTER_BY_THREAD, COUNTER_BY_NONE,
		COUNTER_BY_NODE,
	};

	if (r->has_level)
		return r->aggr_mode < ARRAY_SIZE(modes) ? modes[r->aggr_mode] : COUNTER_BY_NONE;
	return r->aggr_mode < ARRAY_SIZE(old_modes) ? old_modes[r->aggr_mode] : COUNTER_BY_NONE;
}

static unsigned int nr_cpus(const struct report *r)
{
	return r->cpus->nr ?: 1;
}

/* Each thread with each CPU; without CPUs a thread has one place. A file that claims many must have counts for them. */
static int make_places(struct report *r, unsigned int *nr, struct errmsg *err)
{
	const u64 nr_places = r->threads && r->cpus ? r->threads->nr * nr_cpus(r) : 0;
	const u64 room = perfdata_reader__data_size(r->reader) / sizeof(struct record_stat);

	if (!nr_places)
		return errmsg__set(err, EINVAL, "%s does not say which threads and CPUs its counts belong to", r->input);
	if (nr_places * r->o->evlist->nr > 64 * (room + 64))
		return errmsg__set(err, EINVAL, "%s claims %llu places with counts, but has no room for them", r->input, (unsigned long long)nr_places);
	r->place = calloc(nr_places, sizeof(*r->place));
	if (!r->place)
		return no_memory(err);
	for (u64 i = 0; i < nr_places; i++) {
		const u64 thread = i / nr_cpus(r);

		r->place[i].tid = r->threads->entry[thread].pid;
		r->place[i].cpu = r->cpus->nr ? r->cpus->cpu[i % nr_cpus(r)] : -1;
		r->place[i].comm = r->threads->entry[thread].comm;
	}
	*nr = nr_places;
	return 0;
}

static int check_groups(const struct report *r, enum counter_by by, struct errmsg *err)
{
	const bool of_cpus = by != COUNTER_BY_NONE && by != COUNTER_BY_THREAD;

	if (of_cpus && !r->cpus->nr)
		return errmsg__set(err, EINVAL, "%s has counts of threads, not of CPUs: record with -a or -C", r->input);
	return 0;
}

static int begin_counts(struct report *r, struct errmsg *err)
{
	const struct counter_machine machine = { .recorded = perfdata_reader__features(r->reader) };
	const enum counter_by by = r->o->by != COUNTER_BY_NONE ? r->o->by : by_of(r);
	unsigned int nr = 0;
	int ret = make_places(r, &nr, err) ?: check_groups(r, by, err);

	if (ret)
		return ret;
	r->counters = counters__new(r->o->evlist);
	if (!r->counters)
		return no_memory(err);
	ret = counters__set_recorded(r->counters, r->place, nr, err) ?:
	      counter_groups__init(&r->groups, by, r->o->cache_level ?: by == COUNTER_BY_CACHE ? r->aggr_level : 0, r->place, nr, &machine, err);
	if (ret)
		return ret;
	r->out = stat_output__new(&r->o->output, &r->groups);
	return r->out ? 0 : no_memory(err);
}

/* Counts */

static int compare_cpus(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* -1: the file's own maps lack it */
static long find_place(const struct report *r, const struct record_stat *stat)
{
	const int cpu = stat->cpu, *found;

	if (stat->thread >= r->threads->nr)
		return -1;
	if (!r->cpus->nr)
		return stat->thread;
	found = bsearch(&cpu, r->cpus->cpu, r->cpus->nr, sizeof(cpu), compare_cpus);
	return found ? (long)stat->thread * nr_cpus(r) + (found - r->cpus->cpu) : -1;
}

static int take_count(struct report *r, const union perf_record *record, struct errmsg *err)
{
	const struct record_stat *stat = &record->stat;
	const struct counter_value value = { .value = stat->value, .enabled = stat->enabled, .running = stat->running };
	const int event = find_event(r, stat->id), ret = r->counters ? 0 : begin_counts(r, err);
	const long place = ret ? -1 : find_place(r, stat);

	if (ret)
		return ret;
	if (event < 0 || place < 0)
		return errmsg__set(err, EINVAL, "%s has a count at %#llx of an event, a CPU or a thread that it does not describe", r->input,
				   (unsigned long long)perfdata_reader__record_offset(r->reader));
	return counters__record(r->counters, event, place, &value) ? no_memory(err) : 0;
}

/* The recording's command line; a pipe has none at this time in other perfs, which say so */
static char *make_title(const struct report *r)
{
	const struct perfdata_features *f = perfdata_reader__features(r->reader);
	struct text title = {};

	text__str(&title, "'");
	if (!strcmp(r->input, "-"))
		text__str(&title, "pipe");
	for (u32 i = 0; strcmp(r->input, "-") && i < f->nr_cmdline; i++)
		text__printf(&title, "%s%s", i ? " " : "", f->cmdline[i]);
	text__put(&title, "'", 2);
	if (!title.failed)
		return title.buf;
	text__exit(&title);
	return NULL;
}

static int print_total(struct report *r, const struct counter_cells *cells, u64 time, struct errmsg *err)
{
	const struct stat_interval none = { .is_one = false };
	struct stat_times times = {};
	char *title = make_title(r);

	if (!title)
		return no_memory(err);
	stats__add(&times.elapsed, time);
	stat_output__title(r->out, title, 1);
	stat_output__cells(r->out, cells, time, &none);
	stat_output__times(r->out, &times);
	free(title);
	return 0;
}

static int end_round(struct report *r, const union perf_record *record, struct errmsg *err)
{
	const struct record_stat_round *round = &record->stat_round;
	const bool is_last = round->type == STAT_ROUND_FINAL;
	const struct stat_interval interval = { .is_one = true, .at = round->time / 1e9 };
	struct counter_cells cells = {};
	int ret = r->counters ? 0 : begin_counts(r, err);

	if (!ret && counter_cells__init(&cells, r->o->evlist, &r->groups))
		ret = no_memory(err);
	if (ret)
		return ret;
	counter_cells__add(&cells, r->counters, is_last ? COUNTER_TOTAL : COUNTER_DELTA, r->scale);
	if (is_last)
		ret = print_total(r, &cells, round->time, err);
	else
		stat_output__cells(r->out, &cells, round->time > r->last ? round->time - r->last : 0, &interval);
	counter_cells__exit(&cells);
	counters__end_round(r->counters);
	r->last = round->time;
	r->nr_rounds++;
	return ret;
}

static int take_record(struct report *r, const union perf_record *record, struct errmsg *err)
{
	switch (record->header.type) {
	case PERF_RECORD_THREAD_MAP:
		return r->counters ? 0 : take_threads(r, record, err);
	case PERF_RECORD_CPU_MAP:
		return r->counters ? 0 : take_cpus(r, record, err);
	case PERF_RECORD_STAT_CONFIG:
		return take_config(r, record);
	case PERF_RECORD_EVENT_UPDATE:
		return take_update(r, record);
	case PERF_RECORD_STAT:
		return take_count(r, record, err);
	case PERF_RECORD_STAT_ROUND:
		return end_round(r, record, err);
	default:
		return 0;
	}
}

static int read_records(struct report *r, struct errmsg *err)
{
	const union perf_record *record;
	u64 pos = 0;
	int ret;

	while ((ret = perfdata_reader__next(r->reader, &pos, &record, err)) > 0) {
		ret = take_record(r, record, err);
		if (ret)
			return ret;
		perfdata_reader__release(r->reader, pos);
	}
	if (!ret && !r->nr_rounds)
		ret = errmsg__set(err, EINVAL, "%s has no counts: perf stat record writes such files, perf report shows samples", r->input);
	return ret;
}

static void report__exit(struct report *r)
{
	stat_output__delete(r->out);
	counter_groups__exit(&r->groups);
	counters__delete(r->counters);
	free(r->place);
	free(r->ids);
	free(r->threads);
	free(r->cpus);
	perfdata_reader__delete(r->reader);
}

int stat_report(struct stat_options *o, const char *input)
{
	struct report r = { .o = o, .input = input, .aggr_mode = 1, .scale = 1 };
	struct errmsg err;
	int ret = perfdata_reader__open(input, &r.reader, &err) ?: add_events(&r, &err);

	if (!ret && perfdata_reader__warnings(r.reader))
		pr_warn("%s", perfdata_reader__warnings(r.reader));
	ret = ret ?: read_records(&r, &err);
	if (ret)
		pr_err("%s\n", err.text);
	report__exit(&r);
	return ret ? EXIT_SETUP : 0;
}
