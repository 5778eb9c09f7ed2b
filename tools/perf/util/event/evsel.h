/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event that is to be opened (evsel) and an ordered set of them (evlist), as the -e grammar makes them.
 * Nothing here opens descriptors: that is sampler/'s work.
 */
#ifndef PERF_EVENT_EVSEL_H
#define PERF_EVENT_EVSEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "util/event/callgraph.h"
#include "util/lib/cpumap.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct tracepoint;

enum evsel_wish { WISH_NONE, WISH_YES, WISH_NO };

struct evsel_terms { /* what the spec's own terms say of its samples; it goes before what is said for all events */
	bool has_callgraph;
	struct callgraph callgraph;
	u16 max_stack;			/* entries of a callchain; 0: nothing was said */
	u64 branch_types;		/* PERF_SAMPLE_BRANCH_*; 0: likewise */
	enum evsel_wish inherit;
};

struct evsel_filter {
	const char *option;
	char *text;
};

struct evsel {
	char *name;			/* as reports show it: "cycles:u", "sched:sched_switch" */
	bool has_name;			/* a name= term gave it, so it is no description of the event */
	struct perf_event_attr attr;	/* type, config*, exclude_*, precise_ip from the spec; period, freq if a term gave one */
	struct evsel_terms terms;
	bool has_period, has_freq;	/* the spec's own terms said so; -c and -F leave them alone */
	bool exact_modifier;		/* a u, k or h modifier was given: paranoid fallbacks must not change exclude_* silently */
	bool sample_read;		/* :S: samples hold the counts of its group, and the leader alone takes them */
	bool weak_group;		/* :W: it may leave its group, if that is what keeps it from being opened */
	bool retire_latency;		/* :R: samples hold weights, the latency of retirement among them */
	bool precise_max;		/* :P or the default event: take the highest precise_ip that opens */
	struct tracepoint *tp;		/* tracepoint events only, else NULL; owned */
	struct cpumap *cpus;		/* a PMU's own cpumask (uncore), else NULL; owned */
	struct evsel_filter *filters;	/* what its samples must pass: all of these */
	unsigned int nr_filters;
	char *filter;			/* all of them as one text, to show it and for the kernel's own filter; NULL: none */
	char *cgroup;			/* -G: only tasks in it, a path below its mount; NULL: no matter where they are */
	bool side_band;			/* has no samples, and is for records of tasks and maps; of the target, or with ... */
	bool everywhere;		/* ... this of all tasks on every CPU */
	bool off_cpu;			/* time in which tasks do not run; BPF programs make the samples, the kernel knows no such event */
	struct evsel *leader;		/* of the group it is in; NULL: it leads one or stands alone */
	unsigned int nr_members;	/* of a leader: events of its group, which follow it, itself counted; else 0 */
	char *group_name;		/* of a leader whose group was given a name, else NULL */
	unsigned int idx;		/* its place in the evlist */
};

struct evlist {
	struct evsel **evsel;		/* owned */
	unsigned int nr;
};

/* An event of its own with the defaults of a plain spec; NULL with errno set. The name is not set. */
struct evsel *evsel__new(u32 type, u64 config);
void evsel__delete(struct evsel *evsel);

struct evlist *evlist__new(void);
void evlist__delete(struct evlist *evlist);
/* Put evsel at the end of evlist, which then owns it. -ENOMEM: evsel is still the caller's. */
int evlist__append(struct evlist *evlist, struct evsel *evsel);

/* The events from first on become one group, which first leads; they leave those that they were in. */
void evlist__group(struct evlist *evlist, unsigned int first);

/*
 * Add the events of one -e argument ("cycles:u,sched:sched_switch"); *first is set to the index of the first one added, so
 * that --filter can find them (it may be NULL). -EINVAL: wrong or unknown event, -EACCES: tracefs is closed to us (the
 * command exits 129 for both). err says where and what is near; evlist is then as it was.
 */
int evlist__parse(struct evlist *evlist, const char *spec, unsigned int *first, struct errmsg *err);
/* The event of a command that got no -e: cycles:P */
int evlist__add_default(struct evlist *evlist, struct errmsg *err);

/* A dummy event that has no samples and is for the side-band: of the target, or everywhere */
int evlist__add_side_band(struct evlist *evlist, bool everywhere, struct errmsg *err);
unsigned int evlist__nr_sampling(const struct evlist *evlist); /* events that have samples: all but those */

/* The event of --off-cpu, which -e knows as off-cpu: offcpu-time */
int evlist__add_off_cpu(struct evlist *evlist, struct errmsg *err);

/* One more text; option is a constant: what messages about it begin with, "filter" for --filter. -ENOMEM */
int evsel__add_filter(struct evsel *evsel, const char *option, const char *text, struct errmsg *err);
int evsel__copy_filters(struct evsel *to, const struct evsel *from, struct errmsg *err);
void evsel__drop_filters(struct evsel *evsel);

/* Turn a hardware cycles event into software cpu-clock, keeping modifiers; false if this event has no such stand-in. */
bool evsel__fall_back_to_cpu_clock(struct evsel *evsel);

/*
 * Does the kernel make one perf_sample_data for this event and all others of its kind (kernel/events/core.c, do_perf_sw_event())? Clocks have
 * their own, dummies none, and what programs output is their own, too.
 */
static inline bool evsel__shares_samples(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	return attr->type == PERF_TYPE_SOFTWARE && attr->config != PERF_COUNT_SW_CPU_CLOCK && attr->config != PERF_COUNT_SW_TASK_CLOCK &&
	       attr->config != PERF_COUNT_SW_DUMMY && attr->config != PERF_COUNT_SW_BPF_OUTPUT;
}

/* Do its samples have to come by way of those of its group's leader? */
static inline bool evsel__is_sampled_by_leader(const struct evsel *evsel)
{
	return evsel->leader && evsel->leader->sample_read;
}

/* A name for an event of which only the attr is known (a file without EVENT_DESC). buf is filled; returns buf. */
const char *attr__name(const struct perf_event_attr *attr, char *buf, size_t size);

#endif
