/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A whole recording as stacks, written for other tools and for the browser: a row of profile_formats for each format.
 */
#ifndef PERF_UI_PROFILE_PROFILE_H
#define PERF_UI_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdio.h>
#include "util/hist/stack-tree.h"
#include "util/hist/timeline.h"
#include "util/lib/errmsg.h"

struct profile_event {
	const char *name;
	const char *type; /* how receivers of rounds call the values: cpu, off_cpu; NULL: they are named after the event */
	const struct stack_tree *stacks; /* sorted */
	const struct stack_tree *owned; /* the same below labels, for PROFILE_PPROF; NULL: as stacks */
	u64 nr_samples, total_period;
	u64 freq; /* samples a second that were asked for; 0: by period */
	u64 sample_period; /* that was asked for; 0: by frequency */
	const struct stack_tree *old_stacks; /* of the recording to compare with; NULL: none, or it lacks the event */
	u64 old_samples, old_period;
};

/* The unit of the event's periods: "nanoseconds" for software clocks, sleeps and waits for locks, otherwise "count". */
const char *profile_event__unit(const struct profile_event *event);
/* Do the periods of its samples end when they were taken: sleeps, and wall-clock time? */
bool profile_event__has_spans(const struct profile_event *event);

struct profile_label {
	const char *name, *value;
};

struct profile {
	const struct profile_event *event;
	u32 nr_events;
	const struct timeline *timeline; /* ended; NULL: no format that takes it is wanted */
	const struct profile_event *const *timeline_event; /* by the index of the event in the session */
	u64 time_first, time_last; /* ns of the recording's clock; both 0: unknown */
	const char *cmdline, *hostname; /* of the recording; NULL: unknown */
	const char *old_name; /* of the recording that this one is compared with, for PROFILE_FLAMEGRAPH and PROFILE_JSON; NULL: none */
	u64 wall_clock; /* ns since 1970 at time_first; 0: unknown */
	const char *page; /* the path of flamegraph.html, for PROFILE_FLAMEGRAPH and PROFILE_TIMELINE; NULL: it is not installed */
	const char *colors; /* what those of the page are by at first, see --flamegraph-colors; NULL: states or kinds */
	u64 time_quantum; /* ns, for timelines; 0: by the length of the recording */
	const struct profile_label *label; /* of all samples, for receivers of rounds */
	u32 nr_labels;
};

struct profile_format {
	const char *name;
	bool of_timeline; /* takes profile.timeline */
	/* Is there what it needs? page: as in struct profile. 0 or -errno; NULL: it needs nothing */
	int (*check)(const char *page, struct errmsg *err);
	/* 0 or -errno. The caller checks fp for errors. */
	int (*write)(const struct profile *profile, FILE *fp, struct errmsg *err);
};

enum {
	PROFILE_FLAMEGRAPH,
	PROFILE_PPROF,
	PROFILE_JSON,
	PROFILE_SPEEDSCOPE,
	PROFILE_FIREFOX,
	PROFILE_TIMELINE,
	PROFILE_TIMELINE_TEXT,
	PROFILE_NR_FORMATS,
};

extern const struct profile_format profile_formats[PROFILE_NR_FORMATS];
/* Their rows, each in a file of its own */
int profile_page__check(const char *page, struct errmsg *err);
int profile__write_flamegraph(const struct profile *profile, FILE *fp, struct errmsg *err);
int profile__write_pprof(const struct profile *profile, FILE *fp, struct errmsg *err);
int profile__write_json(const struct profile *profile, FILE *fp, struct errmsg *err);
int profile__write_speedscope(const struct profile *profile, FILE *fp, struct errmsg *err);
int profile__write_firefox(const struct profile *profile, FILE *fp, struct errmsg *err);
int profile__write_timeline(const struct profile *profile, FILE *fp, struct errmsg *err);
int profile__write_timeline_text(const struct profile *profile, FILE *fp, struct errmsg *err);

/*
 * Before the work that leads to a profile: can it be written to path? page: as in struct profile. Nothing stays behind. 0, or -errno with a
 * message.
 */
int profile__check_file(const struct profile_format *format, const char *path, const char *page, struct errmsg *err);
/*
 * Write profile to path; the file appears completely or not at all. "-" is the standard output: the caller checks errors when
 * flushing it.
 */
int profile__write_file(const struct profile *profile, const struct profile_format *format, const char *path, struct errmsg *err);

#endif
