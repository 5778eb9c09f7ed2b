// SPDX-License-Identifier: GPL-2.0
/*
 * A profile of the Firefox Profiler, in its "processed" format, version 60 (docs-developer/CHANGELOG-formats.md and
 * src/types/profile.ts of github.com/firefox-devtools/profiler; newer ones upgrade it). Tables are columns of equal length. Strings,
 * functions, frames and stacks are shared by all threads; a function of ours is one function and one frame of theirs.
 *
 * A thread shows samples of one event. Sleeps (offcpu-time) are markers of the thread, from their begin to their end; each further
 * event is a thread of its own. Wall-clock time is both: samples whose innermost frame is the state, and a marker for each span of time
 * in which the thread did not run.
 */
#include "ui/profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "ui/json.h"
#include "util/event/kind.h"
#include "util/symbol/symtab.h"

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_SLEEP, CATEGORY_RUNNABLE, CATEGORY_DISK, CATEGORY_LOCK };
enum { RESOURCE_LIBRARY = 1 };
enum { PHASE_INTERVAL = 1 };

struct firefox {
	yajl_gen gen;
	const struct profile *profile;
	const struct timeline_row **row; /* by process, thread and event */
	const struct dso **lib;
	u32 *lib_of; /* by function; TIMELINE_NONE */
	u32 nr_libs;
	u64 first; /* time that the viewer shows as 0 */
	const struct timeline_sample **pause; /* room for those of any row */
};

/* What innermost frames of wall-clock time say; other states are other sleeps. */
static const struct {
	const char *name;
	int category;
	bool runs;
} states[] = {
	{ "[user]", CATEGORY_USER, true },	    { "[kernel]", CATEGORY_KERNEL, true },  { "[running]", CATEGORY_OTHER, true },
	{ "[runnable]", CATEGORY_RUNNABLE, false }, { "[disk]", CATEGORY_DISK, false },	    { "[lock]", CATEGORY_LOCK, false },
	{ "[futex]", CATEGORY_LOCK, false },
};

static size_t find_state(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(states) && strcmp(states[i].name, name))
		i++;
	return i;
}

static int state_category(const char *name)
{
	size_t i = find_state(name);

	return i < ARRAY_SIZE(states) ? states[i].category : CATEGORY_SLEEP;
}

static bool is_sleep(const struct firefox *f, const struct timeline_row *row)
{
	return event_kind__of_name(f->profile->timeline_event[row->event]->name) == &off_cpu_kind;
}

static bool has_time_unit(const struct firefox *f, const struct timeline_row *row)
{
	return !strcmp(profile_event__unit(f->profile->timeline_event[row->event]), "nanoseconds");
}

static bool has_spans(const struct firefox *f, const struct timeline_row *row)
{
	return profile_event__has_spans(f->profile->timeline_event[row->event]);
}

/* A time in which its thread did not run */
static bool is_pause(const struct firefox *f, const struct timeline_row *row, const struct timeline_sample *sample)
{
	size_t i;

	if (sample->node->kind != STACK_STATE)
		return is_sleep(f, row);
	i = find_state(sample->node->name);
	return i == ARRAY_SIZE(states) || !states[i].runs;
}

static void put_ms(yajl_gen gen, u64 ns)
{
	char text[32];

	yajl_gen_number(gen, text, snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000));
}

static void put_time(const struct firefox *f, u64 time)
{
	put_ms(f->gen, time > f->first ? time - f->first : 0);
}

static void put_flag(yajl_gen gen, const char *key, bool value)
{
	json__string(gen, key);
	yajl_gen_bool(gen, value);
}

static void put_nothing(yajl_gen gen, const char *key)
{
	json__string(gen, key);
	yajl_gen_null(gen);
}

static void open_column(yajl_gen gen, const char *key)
{
	json__string(gen, key);
	yajl_gen_array_open(gen);
}

static void open_table(yajl_gen gen, const char *key, u64 length)
{
	json__string(gen, key);
	yajl_gen_map_open(gen);
	json__put_number(gen, "length", length);
}

enum fill { FILL_NULL, FILL_ZERO, FILL_FALSE };

static void put_values(yajl_gen gen, u64 nr, enum fill fill)
{
	for (u64 i = 0; i < nr; i++) {
		if (fill == FILL_NULL)
			yajl_gen_null(gen);
		else if (fill == FILL_ZERO)
			yajl_gen_integer(gen, 0);
		else
			yajl_gen_bool(gen, 0);
	}
}

/* A column that has the same value in each row. */
static void put_column(yajl_gen gen, const char *key, u64 length, enum fill fill)
{
	open_column(gen, key);
	put_values(gen, length, fill);
	yajl_gen_array_close(gen);
}

static void put_category(yajl_gen gen, const char *name, const char *color)
{
	yajl_gen_map_open(gen);
	json__put_text(gen, "name", name);
	json__put_text(gen, "color", color);
	open_column(gen, "subcategories");
	json__string(gen, "Other");
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
}

static void put_sleep_schema(yajl_gen gen)
{
	static const char *const shown_in[] = { "marker-chart", "marker-table", "timeline-overview" };

	yajl_gen_map_open(gen);
	json__put_text(gen, "name", "Sleep");
	json__put_text(gen, "description", "The thread did not run. The stack is the one that it slept in.");
	open_column(gen, "display");
	for (size_t i = 0; i < ARRAY_SIZE(shown_in); i++)
		json__string(gen, shown_in[i]);
	yajl_gen_array_close(gen);
	open_column(gen, "fields");
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
}

static void put_meta(const struct firefox *f)
{
	const struct profile *profile = f->profile;
	u64 freq = profile->nr_events ? profile->event[0].freq : 0;
	yajl_gen gen = f->gen;

	json__string(gen, "meta");
	yajl_gen_map_open(gen);
	json__put_number(gen, "version", 24); /* of Firefox's own format: not used */
	json__put_number(gen, "preprocessedProfileVersion", 60);
	json__string(gen, "interval");
	put_ms(gen, freq ? 1000000000 / freq : 1000000);
	json__string(gen, "startTime");
	put_ms(gen, profile->wall_clock ? profile->wall_clock - (profile->timeline->first - f->first) : 0);
	json__put_number(gen, "processType", 0);
	json__put_text(gen, "product", profile->cmdline ?: "perf");
	json__put_text(gen, "importedFrom", "perf");
	json__put_text(gen, "platform", "Linux");
	json__put_number(gen, "stackwalk", 1);
	put_flag(gen, "debug", false);
	put_flag(gen, "symbolicated", true);
	put_flag(gen, "usesOnlyOneStackType", true);
	put_flag(gen, "sourceCodeIsNotOnSearchfox", true);
	json__string(gen, "sampleUnits");
	yajl_gen_map_open(gen);
	json__put_text(gen, "time", "ms");
	json__put_text(gen, "eventDelay", "ms");
	json__put_text(gen, "threadCPUDelta", "ns");
	yajl_gen_map_close(gen);
	open_column(gen, "categories"); /* in the order of their enum; the viewer wants a grey one */
	put_category(gen, "Other", "grey");
	put_category(gen, "User", "yellow");
	put_category(gen, "Kernel", "orange");
	put_category(gen, "Sleep", "lightblue");
	put_category(gen, "Waiting for a CPU", "green");
	put_category(gen, "Disk", "purple");
	put_category(gen, "Lock", "magenta");
	yajl_gen_array_close(gen);
	open_column(gen, "markerSchema");
	put_sleep_schema(gen);
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
}

/* A build-id as Breakpad writes it: the first 16 bytes as a GUID, whose first three numbers are little-endian, and an age of 0. */
static void put_breakpad_id(yajl_gen gen, const struct build_id *id)
{
	static const u8 order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char text[2 * sizeof(order) + 2];

	for (size_t i = 0; i < sizeof(order); i++)
		snprintf(text + 2 * i, 3, "%02X", order[i] < id->size ? id->data[order[i]] : 0);
	strcat(text, "0");
	json__put_text(gen, "breakpadId", text);
}

static void put_lib(yajl_gen gen, const struct dso *dso)
{
	char id[41];

	yajl_gen_map_open(gen);
	put_nothing(gen, "arch");
	json__put_text(gen, "name", dso->short_name);
	json__put_text(gen, "path", dso->shown);
	json__put_text(gen, "debugName", dso->short_name);
	json__put_text(gen, "debugPath", dso->shown);
	put_breakpad_id(gen, &dso->build_id);
	if (dso->build_id.size)
		json__put_text(gen, "codeId", build_id__str(&dso->build_id, id));
	else
		put_nothing(gen, "codeId");
	yajl_gen_map_close(gen);
}

/* The names of functions, of libraries, and the one of markers. */
static void put_strings(const struct firefox *f)
{
	const struct timeline *t = f->profile->timeline;

	open_column(f->gen, "stringArray");
	for (u32 i = 0; i < t->nr_functions; i++)
		json__string(f->gen, t->function[i].name);
	for (u32 i = 0; i < f->nr_libs; i++)
		json__string(f->gen, f->lib[i]->short_name);
	json__string(f->gen, "off CPU");
	yajl_gen_array_close(f->gen);
}

static void put_stacks(yajl_gen gen, const struct timeline *t)
{
	open_table(gen, "stackTable", t->nr_stacks);
	open_column(gen, "frame");
	for (u32 i = 0; i < t->nr_stacks; i++)
		yajl_gen_integer(gen, t->stack[i].function);
	yajl_gen_array_close(gen);
	open_column(gen, "prefix");
	for (u32 i = 0; i < t->nr_stacks; i++) {
		if (t->stack[i].caller == TIMELINE_NONE)
			yajl_gen_null(gen);
		else
			yajl_gen_integer(gen, t->stack[i].caller);
	}
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
}

static void put_frames(yajl_gen gen, const struct timeline *t)
{
	u32 nr = t->nr_functions;

	open_table(gen, "frameTable", nr);
	open_column(gen, "address"); /* unknown: stacks are of functions */
	for (u32 i = 0; i < nr; i++)
		yajl_gen_integer(gen, -1);
	yajl_gen_array_close(gen);
	open_column(gen, "category"); /* inlined functions have their caller's */
	for (u32 i = 0; i < nr; i++) {
		if (t->function[i].kind == STACK_INLINED)
			yajl_gen_null(gen);
		else if (t->function[i].kind == STACK_STATE)
			yajl_gen_integer(gen, state_category(t->function[i].name));
		else
			yajl_gen_integer(gen, t->function[i].kind == STACK_KERNEL ? CATEGORY_KERNEL : CATEGORY_USER);
	}
	yajl_gen_array_close(gen);
	open_column(gen, "func");
	for (u32 i = 0; i < nr; i++)
		yajl_gen_integer(gen, i);
	yajl_gen_array_close(gen);
	put_column(gen, "subcategory", nr, FILL_ZERO);
	put_column(gen, "inlineDepth", nr, FILL_ZERO);
	put_column(gen, "innerWindowID", nr, FILL_ZERO);
	put_column(gen, "nativeSymbol", nr, FILL_NULL);
	put_column(gen, "line", nr, FILL_NULL);
	put_column(gen, "column", nr, FILL_NULL);
	yajl_gen_map_close(gen);
}

static void put_functions(const struct firefox *f)
{
	u32 nr = f->profile->timeline->nr_functions;
	yajl_gen gen = f->gen;

	open_table(gen, "funcTable", nr);
	open_column(gen, "name");
	for (u32 i = 0; i < nr; i++)
		yajl_gen_integer(gen, i);
	yajl_gen_array_close(gen);
	open_column(gen, "resource");
	for (u32 i = 0; i < nr; i++)
		yajl_gen_integer(gen, f->lib_of[i] == TIMELINE_NONE ? -1 : (long long)f->lib_of[i]);
	yajl_gen_array_close(gen);
	put_column(gen, "isJS", nr, FILL_FALSE);
	put_column(gen, "relevantForJS", nr, FILL_FALSE);
	put_column(gen, "source", nr, FILL_NULL);
	put_column(gen, "lineNumber", nr, FILL_NULL);
	put_column(gen, "columnNumber", nr, FILL_NULL);
	yajl_gen_map_close(gen);
}

static void put_resources(const struct firefox *f)
{
	yajl_gen gen = f->gen;

	open_table(gen, "resourceTable", f->nr_libs);
	open_column(gen, "lib");
	for (u32 i = 0; i < f->nr_libs; i++)
		yajl_gen_integer(gen, i);
	yajl_gen_array_close(gen);
	open_column(gen, "name");
	for (u32 i = 0; i < f->nr_libs; i++)
		yajl_gen_integer(gen, f->profile->timeline->nr_functions + i);
	yajl_gen_array_close(gen);
	open_column(gen, "type");
	for (u32 i = 0; i < f->nr_libs; i++)
		yajl_gen_integer(gen, RESOURCE_LIBRARY);
	yajl_gen_array_close(gen);
	put_column(gen, "host", f->nr_libs, FILL_NULL);
	yajl_gen_map_close(gen);
}

static void put_empty_table(yajl_gen gen, const char *key, const char *const *column, size_t nr)
{
	open_table(gen, key, 0);
	for (size_t i = 0; i < nr; i++)
		put_column(gen, column[i], 0, FILL_NULL);
	yajl_gen_map_close(gen);
}

static void put_shared(const struct firefox *f)
{
	static const char *const symbol_columns[] = { "libIndex", "address", "name", "functionSize" };
	static const char *const source_columns[] = { "uuid", "filename" };

	json__string(f->gen, "shared");
	yajl_gen_map_open(f->gen);
	put_strings(f);
	put_stacks(f->gen, f->profile->timeline);
	put_frames(f->gen, f->profile->timeline);
	put_functions(f);
	put_resources(f);
	put_empty_table(f->gen, "nativeSymbols", symbol_columns, ARRAY_SIZE(symbol_columns));
	put_empty_table(f->gen, "sources", source_columns, ARRAY_SIZE(source_columns));
	yajl_gen_map_close(f->gen);
}

/* Sums of short spans, which have no time, come first; they are not shown. */
static size_t first_with_time(const struct firefox *f, const struct timeline_row *row)
{
	size_t first = 0;

	while (row && has_spans(f, row) && first < row->nr && !row->sample[first].time)
		first++;
	return first;
}

/* A sleep is recorded at its end. */
static u64 sleep_start(const struct timeline_sample *sleep)
{
	return sleep->time > sleep->period ? sleep->time - sleep->period : 0;
}

struct firefox_thread {
	const struct timeline_row *samples, *sleeps; /* not both NULL */
	const char *process;
	u32 further; /* 0: the thread itself; else one of its further events */
};

/* Viewers show the time between the first and the last sample, and nothing of a sleep outside it: samples that count nothing widen it. */
struct edges {
	bool before, after; /* there is one */
	u64 first, last; /* their times */
};

static struct edges find_edges(const struct firefox *f, const struct firefox_thread *thread)
{
	const struct timeline_row *row = thread->samples, *sleeps = thread->sleeps;
	size_t first = first_with_time(f, row);
	struct edges edges;

	if (!row || !sleeps || first == row->nr)
		return (struct edges){};
	edges = (struct edges){ .first = row->sample[first].time, .last = row->sample[row->nr - 1].time };
	for (size_t i = first_with_time(f, sleeps); i < sleeps->nr; i++) {
		if (!is_pause(f, sleeps, &sleeps->sample[i]))
			continue;
		if (sleep_start(&sleeps->sample[i]) < edges.first)
			edges.first = sleep_start(&sleeps->sample[i]), edges.before = true;
		if (sleeps->sample[i].time > edges.last)
			edges.last = sleeps->sample[i].time, edges.after = true;
	}
	return edges;
}

/* A clock's period is the time that the thread ran since its sample before. */
static void put_cpu_times(const struct firefox *f, const struct timeline_row *row, size_t first, const struct edges *edges)
{
	open_column(f->gen, "threadCPUDelta");
	put_values(f->gen, edges->before, FILL_ZERO);
	for (size_t i = first; i < row->nr; i++)
		json__number(f->gen, is_pause(f, row, &row->sample[i]) ? 0 : row->sample[i].period);
	put_values(f->gen, edges->after, FILL_ZERO);
	yajl_gen_array_close(f->gen);
}

static void put_sample_times(const struct firefox *f, const struct timeline_row *row, size_t first, const struct edges *edges)
{
	open_column(f->gen, "time");
	if (edges->before)
		put_time(f, edges->first);
	for (size_t i = first; row && i < row->nr; i++)
		put_time(f, row->sample[i].time);
	if (edges->after)
		put_time(f, edges->last);
	yajl_gen_array_close(f->gen);
}

static void put_samples(const struct firefox *f, const struct firefox_thread *thread)
{
	const struct timeline_row *row = thread->samples;
	struct edges edges = find_edges(f, thread);
	bool in_ms = row && has_time_unit(f, row);
	size_t nr = row ? row->nr : 0, first = first_with_time(f, row);
	yajl_gen gen = f->gen;

	open_table(gen, "samples", nr - first + edges.before + edges.after);
	open_column(gen, "stack");
	put_values(gen, edges.before, FILL_NULL);
	for (size_t i = first; i < nr; i++)
		yajl_gen_integer(gen, timeline__stack(f->profile->timeline, &row->sample[i]));
	put_values(gen, edges.after, FILL_NULL);
	yajl_gen_array_close(gen);
	put_sample_times(f, row, first, &edges);
	open_column(gen, "weight");
	put_values(gen, edges.before, FILL_ZERO);
	for (size_t i = first; i < nr; i++) {
		if (in_ms)
			put_ms(gen, row->sample[i].period);
		else
			json__number(gen, row->sample[i].period);
	}
	put_values(gen, edges.after, FILL_ZERO);
	yajl_gen_array_close(gen);
	json__put_text(gen, "weightType", in_ms ? "tracing-ms" : "samples");
	if (in_ms)
		put_cpu_times(f, row, first, &edges);
	yajl_gen_map_close(gen);
}

static void put_sleep(const struct firefox *f, const struct timeline_row *row, const struct timeline_sample *sleep)
{
	yajl_gen_map_open(f->gen);
	json__put_text(f->gen, "type", "Sleep");
	json__string(f->gen, "cause");
	yajl_gen_map_open(f->gen);
	json__put_number(f->gen, "tid", row->tid);
	json__string(f->gen, "time");
	put_time(f, sleep_start(sleep));
	json__put_number(f->gen, "stack", timeline__stack(f->profile->timeline, sleep));
	yajl_gen_map_close(f->gen);
	yajl_gen_map_close(f->gen);
}

/* To f->pause; returns how many. row: NULL for none */
static size_t list_pauses(const struct firefox *f, const struct timeline_row *row)
{
	size_t nr = 0;

	for (size_t i = first_with_time(f, row); row && i < row->nr; i++) {
		if (is_pause(f, row, &row->sample[i]))
			f->pause[nr++] = &row->sample[i];
	}
	return nr;
}

/* The index of its string: names of functions, which states are, come first. */
static u64 pause_name(const struct firefox *f, const struct timeline_sample *pause)
{
	const struct timeline *t = f->profile->timeline;

	return pause->node->kind == STACK_STATE ? t->stack[timeline__stack(t, pause)].function : t->nr_functions + f->nr_libs;
}

/* row: the thread's sleeps or wall-clock time; NULL: it has none */
static void put_markers(const struct firefox *f, const struct timeline_row *row)
{
	const struct timeline_sample **pause = f->pause;
	size_t nr = list_pauses(f, row);
	yajl_gen gen = f->gen;

	open_table(gen, "markers", nr);
	open_column(gen, "name");
	for (size_t i = 0; i < nr; i++)
		json__number(gen, pause_name(f, pause[i]));
	yajl_gen_array_close(gen);
	open_column(gen, "startTime");
	for (size_t i = 0; i < nr; i++)
		put_time(f, sleep_start(pause[i]));
	yajl_gen_array_close(gen);
	open_column(gen, "endTime");
	for (size_t i = 0; i < nr; i++)
		put_time(f, pause[i]->time);
	yajl_gen_array_close(gen);
	open_column(gen, "phase");
	for (size_t i = 0; i < nr; i++)
		yajl_gen_integer(gen, PHASE_INTERVAL);
	yajl_gen_array_close(gen);
	open_column(gen, "category");
	for (size_t i = 0; i < nr; i++)
		yajl_gen_integer(gen, pause[i]->node->kind == STACK_STATE ? state_category(pause[i]->node->name) : CATEGORY_SLEEP);
	yajl_gen_array_close(gen);
	open_column(gen, "data");
	for (size_t i = 0; i < nr; i++)
		put_sleep(f, row, pause[i]);
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
}

static void put_names(const struct firefox *f, const struct firefox_thread *thread)
{
	const struct timeline_row *row = thread->samples ?: thread->sleeps;
	char text[256];

	if (thread->further)
		snprintf(text, sizeof(text), "%s [%s]", row->comm, f->profile->timeline_event[row->event]->name);
	json__put_text(f->gen, "name", thread->further ? text : row->comm);
	json__put_text(f->gen, "processName", thread->process);
	snprintf(text, sizeof(text), "%u", row->pid);
	json__put_text(f->gen, "pid", text);
	/* Viewers tell threads apart by this. */
	snprintf(text, sizeof(text), thread->further ? "%u.%u" : "%u", row->tid, thread->further);
	json__put_text(f->gen, "tid", text);
	put_flag(f->gen, "isMainThread", row->pid == row->tid && !thread->further);
}

static void put_thread(const struct firefox *f, const struct firefox_thread *thread)
{
	yajl_gen gen = f->gen;

	yajl_gen_map_open(gen);
	put_names(f, thread);
	json__put_text(gen, "processType", "default");
	json__put_number(gen, "processStartupTime", 0);
	put_nothing(gen, "processShutdownTime");
	json__put_number(gen, "registerTime", 0);
	put_nothing(gen, "unregisterTime");
	put_column(gen, "pausedRanges", 0, FILL_NULL);
	put_flag(gen, "showMarkersInTimeline", thread->sleeps);
	put_samples(f, thread);
	put_markers(f, thread->sleeps);
	yajl_gen_map_close(gen);
}

static bool is_same_thread(const struct timeline_row *a, const struct timeline_row *b)
{
	return a->pid == b->pid && a->tid == b->tid;
}

/* The thread whose rows begin at i; returns the index after them. */
static u32 put_threads_at(const struct firefox *f, u32 i, const char *process)
{
	struct firefox_thread thread = { .process = process };
	u32 end = i, nr = f->profile->timeline->nr_rows;

	for (; end < nr && is_same_thread(f->row[end], f->row[i]); end++) {
		if (is_sleep(f, f->row[end]))
			thread.sleeps = f->row[end];
	}
	for (u32 k = i; k < end; k++) {
		if (f->row[k] == thread.sleeps)
			continue;
		if (thread.samples)
			thread.sleeps = NULL, thread.further++;
		thread.samples = f->row[k];
		if (has_spans(f, f->row[k]))
			thread.sleeps = f->row[k];
		put_thread(f, &thread);
	}
	if (!thread.samples)
		put_thread(f, &thread);
	return end;
}

static void put_threads(const struct firefox *f)
{
	u32 nr = f->profile->timeline->nr_rows, next;
	const char *process = NULL;

	open_column(f->gen, "threads");
	for (u32 i = 0; i < nr; i = next) {
		/* The first thread of a process is the one that it began with, if that was sampled. */
		if (!i || f->row[i]->pid != f->row[i - 1]->pid)
			process = f->row[i]->comm;
		next = put_threads_at(f, i, process);
	}
	yajl_gen_array_close(f->gen);
}

static void put_file(const struct firefox *f)
{
	yajl_gen_map_open(f->gen);
	put_meta(f);
	open_column(f->gen, "libs");
	for (u32 i = 0; i < f->nr_libs; i++)
		put_lib(f->gen, f->lib[i]);
	yajl_gen_array_close(f->gen);
	put_column(f->gen, "pages", 0, FILL_NULL);
	put_shared(f);
	put_threads(f);
	yajl_gen_map_close(f->gen);
}

static int row__cmp(const void *a, const void *b)
{
	const struct timeline_row *x = *(const struct timeline_row *const *)a, *y = *(const struct timeline_row *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static u32 max_dso(const struct timeline *t)
{
	u32 max = 0;

	for (u32 i = 0; i < t->nr_functions; i++) {
		if (t->function[i].dso && t->function[i].dso->index > max)
			max = t->function[i].dso->index;
	}
	return max;
}

static int list_libs(struct firefox *f)
{
	const struct timeline *t = f->profile->timeline;
	u32 *number = calloc(max_dso(t) + 1, sizeof(*number)); /* by dso, plus 1 */

	f->lib = calloc(max_dso(t) + 1, sizeof(*f->lib));
	f->lib_of = calloc(t->nr_functions ?: 1, sizeof(*f->lib_of));
	if (!number || !f->lib || !f->lib_of) {
		free(number);
		return -ENOMEM;
	}
	for (u32 i = 0; i < t->nr_functions; i++) {
		const struct dso *dso = t->function[i].dso;

		if (dso && !number[dso->index]) {
			f->lib[f->nr_libs++] = dso;
			number[dso->index] = f->nr_libs;
		}
		f->lib_of[i] = dso ? number[dso->index] - 1 : TIMELINE_NONE;
	}
	free(number);
	return 0;
}

static int order_rows(struct firefox *f)
{
	const struct timeline *t = f->profile->timeline;

	f->row = calloc(t->nr_rows ?: 1, sizeof(*f->row));
	if (!f->row)
		return -ENOMEM;
	for (u32 i = 0; i < t->nr_rows; i++)
		f->row[i] = &t->row[i];
	qsort(f->row, t->nr_rows, sizeof(*f->row), row__cmp);
	return 0;
}

/* They may begin before the first sample. */
static int look_at_spans(struct firefox *f)
{
	const struct timeline *t = f->profile->timeline;
	size_t most = 1;

	for (u32 i = 0; i < t->nr_rows; i++) {
		const struct timeline_row *row = &t->row[i];

		if (row->nr > most)
			most = row->nr;
		for (size_t k = first_with_time(f, row); has_spans(f, row) && k < row->nr; k++) {
			if (sleep_start(&row->sample[k]) < f->first)
				f->first = sleep_start(&row->sample[k]);
		}
	}
	f->pause = calloc(most, sizeof(*f->pause));
	return f->pause ? 0 : -ENOMEM;
}

int profile__write_firefox(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	struct firefox f = { .profile = profile, .gen = json__new(fp), .first = profile->timeline->first };
	int ret = f.gen ? 0 : -ENOMEM;

	if (!ret)
		ret = list_libs(&f) ?: order_rows(&f) ?: look_at_spans(&f);
	if (!ret)
		put_file(&f);
	if (f.gen)
		yajl_gen_free(f.gen);
	fputc('\n', fp);
	free(f.pause);
	free(f.row);
	free(f.lib);
	free(f.lib_of);
	return ret ? errmsg__set(err, -ret, "out of memory") : 0;
}
