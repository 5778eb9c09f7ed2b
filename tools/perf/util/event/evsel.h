/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event to open (evsel) and an ordered set of them (evlist), as the -e grammar makes them. Nothing here opens descriptors:
 * sampler/ does.
 */
#ifndef PERF_EVENT_EVSEL_H
#define PERF_EVENT_EVSEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "util/event/callgraph.h"
#include "util/event/kind.h"
#include "util/event/probe.h"
#include "util/event/symbols.h"
#include "util/lib/cpumap.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct tracepoint;

enum evsel_wish { WISH_NONE, WISH_YES, WISH_NO };

struct evsel_terms { /* terms in the spec about its samples; they take precedence over the options for all events */
	bool has_callgraph;
	struct callgraph callgraph;
	u16 max_stack;			/* limit of entries in a callchain; 0: not given */
	u64 branch_types;		/* PERF_SAMPLE_BRANCH_*; 0: not given */
	enum evsel_wish inherit;
};

struct evsel_filter {
	const char *option;
	char *text;
};

struct evsel {
	char *name;			/* name for reports: "cycles:u", "sched:sched_switch" */
	bool has_name;			/* from a name= term, so it does not describe the event */
	struct perf_event_attr attr;	/* type, config*, exclude_*, precise_ip from the spec; period, freq if a term gave one */
	struct evsel_terms terms;
	bool has_period, has_freq;	/* from the spec's own terms; -c and -F do not change them */
	bool exact_modifier;		/* a u, k or h modifier was given: paranoid fallbacks must not change exclude_* silently */
	bool sample_read;		/* :S: samples hold the counts of its group, and only the leader samples */
	bool weak_group;		/* :W: it may leave its group if it cannot be opened in it */
	bool retire_latency;		/* :R: samples hold weights, including the retirement latency */
	bool precise_max;		/* :P or the default event: use the highest precise_ip that opens */
	struct tracepoint *tp;		/* for tracepoints, and kinds with fields for filters, otherwise NULL; owned */
	struct cpumap *cpus;		/* a PMU's own cpumask (uncore), otherwise NULL; owned */
	struct evsel_filter *filters;	/* filters of its samples, ANDed */
	unsigned int nr_filters;
	char *filter;			/* all filters as one text, for messages and the kernel's own filter; NULL: none */
	char **fields;			/* expressions whose values its records get besides the tracepoint's own fields; owned */
	unsigned int nr_fields;
	char *cgroup;			/* -G: only tasks in it, a path below its mount; NULL: tasks in any cgroup */
	char unit[24];			/* of its count, as the PMU names it: "Joules"; "": none */
	double scale;			/* what a count of 1 is in that unit; 0: 1 */
	bool snapshot;			/* its count is a state, as a temperature: it is not added up over time */
	bool side_band;			/* has no samples, only records of tasks and maps; for the target, or with ... */
	bool everywhere;		/* ... this for all tasks on every CPU */
	const struct event_kind *kind;	/* NULL: an event of the kernel. Others have a row of source/sources.c that makes or counts samples */
	const void *kind_opts;		/* the kind's struct ..._opts; NULL: its defaults. Not owned; must outlive the samples */
	enum evsel_tool tool;		/* TOOL_NONE: an event of the kernel or of a kind. Others have counts, and no samples */
	struct evsel *leader;		/* leader of its group; NULL: it is a leader or in no group */
	unsigned int nr_members;	/* in a leader: number of events in its group, which follow it, including itself; otherwise 0 */
	char *group_name;		/* in a leader of a named group, otherwise NULL */
	unsigned int idx;		/* index in the evlist */
};

struct evlist {
	struct evsel **evsel;		/* owned */
	unsigned int nr;
	probe_finder find_probe;	/* for events on functions; NULL: those are refused */
};

/* How to take its callchains: by its own terms, or if it has none by those for all events. */
struct callgraph evsel__callgraph(const struct evsel *evsel, const struct callgraph *all);

/* Create an event with the defaults of a plain spec, without a name; NULL with errno set. */
struct evsel *evsel__new(u32 type, u64 config);
void evsel__delete(struct evsel *evsel);

struct evlist *evlist__new(void);
void evlist__delete(struct evlist *evlist);
/* Append evsel to evlist, which then owns it. -ENOMEM: the caller still owns evsel. */
int evlist__append(struct evlist *evlist, struct evsel *evsel);

/* Delete an event that is in no group. */
void evlist__remove(struct evlist *evlist, unsigned int idx);

/* Make the events from first on one group with first as leader; they leave their earlier groups. */
void evlist__group(struct evlist *evlist, unsigned int first);

/*
 * Add the events of one -e argument ("cycles:u,sched:sched_switch"); *first (may be NULL) is set to the index of the first one
 * added, so that --filter can find them. -EINVAL: wrong or unknown event, -EACCES: tracefs is not readable (the command exits 129
 * for both). err has the place and near names; evlist is then unchanged.
 */
int evlist__parse(struct evlist *evlist, const char *spec, unsigned int *first, struct errmsg *err);
/* Add the default event, for commands without -e: cycles:P */
int evlist__add_default(struct evlist *evlist, struct errmsg *err);

/* Add a dummy event without samples, for the side-band: of the target, or of all CPUs */
int evlist__add_side_band(struct evlist *evlist, bool everywhere, struct errmsg *err);
unsigned int evlist__nr_sampling(const struct evlist *evlist); /* number of events with samples: all but those */

/* Add an event of a kind that is not the kernel's; name NULL: that of the kind. */
int evlist__add_kind(struct evlist *evlist, const struct event_kind *kind, const char *name, const void *opts, struct errmsg *err);
/* Give all events of this kind these options. */
void evlist__set_kind_opts(struct evlist *evlist, const struct event_kind *kind, const void *opts);
int evlist__add_tool(struct evlist *evlist, enum evsel_tool tool, struct errmsg *err);

/* Add a filter; option is a constant: the prefix of messages about it, "filter" for --filter. -ENOMEM */
int evsel__add_filter(struct evsel *evsel, const char *option, const char *text, struct errmsg *err);
/* The filter of -G, for events whose cgroup the kernel does not check: cgroups with commas between, as paths below their mount. */
int evsel__add_cgroups(struct evsel *evsel, const char *list, struct errmsg *err);
int evsel__copy_filters(struct evsel *to, const struct evsel *from, struct errmsg *err);
void evsel__drop_filters(struct evsel *evsel);
/* Add the expressions of a list with commas. -EINVAL: one is empty, or the event is no tracepoint; -ENOMEM */
int evsel__add_fields(struct evsel *evsel, const char *list, struct errmsg *err);
/* -EINVAL: two events of one tracepoint have different fields, but a file has one format for both. */
int evlist__check_fields(const struct evlist *evlist, struct errmsg *err);

/* Turn a hardware cycles event into software cpu-clock, keeping modifiers; false: not possible for this event. */
bool evsel__fall_back_to_cpu_clock(struct evsel *evsel);

/* Is it cpu-clock or task-clock? These are timers, and count ns. */
static inline bool attr__is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Do the two tasks of a switch take turns in causing its events? */
static inline bool attr__counts_switches(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES || attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
						    attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/*
 * Does the kernel make one perf_sample_data for this event and all others of its kind (kernel/events/core.c, do_perf_sw_event())?
 * Clocks have their own, dummies have none, and output of programs has its own, too.
 */
static inline bool evsel__shares_samples(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	return attr->type == PERF_TYPE_SOFTWARE && !attr__is_clock(attr) && attr->config != PERF_COUNT_SW_DUMMY &&
	       attr->config != PERF_COUNT_SW_BPF_OUTPUT;
}

/* Do programs of its kind fill in its samples, so that options for their contents and callchains do not apply? */
static inline bool evsel__has_own_contents(const struct evsel *evsel)
{
	return evsel->kind && evsel->kind->sample_type;
}

/* Off-CPU or wall-clock time? Then there are fewer samples than spans. */
static inline bool evsel__has_spans(const struct evsel *evsel)
{
	return evsel->kind && evsel->kind->has_spans;
}

/* Must its samples come through those of its group's leader? */
static inline bool evsel__is_sampled_by_leader(const struct evsel *evsel)
{
	return evsel->leader && evsel->leader->sample_read;
}

/* A name for an event with only an attr (a file without EVENT_DESC). Fills and returns buf. */
const char *attr__name(const struct perf_event_attr *attr, char *buf, size_t size);

#endif
