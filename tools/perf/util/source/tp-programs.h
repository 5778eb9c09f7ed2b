/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all BPF programs on tracepoints have in common: they follow a target, judge hits by a filter's table and may count them.
 * Order of calls: open, set the variables that are the caller's own, load, follow; then attach and detach; unload at the end.
 */
#ifndef PERF_SOURCE_TP_PROGRAMS_H
#define PERF_SOURCE_TP_PROGRAMS_H

#include "util/bpf/programs.h"
#include "util/bpf_skel/tp.h"
#include "util/event/tracepoint.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/bpf-target.h"
#include "util/source/source.h"
#include "util/source/tally-table.h"

struct tp_place { /* a tracepoint, and what programs have to know of its records */
	enum tp_kind kind;
	u64 id;
	struct tp_config config;
};

/* whole: as tp_layout__fill(), and so is what comes back */
int tp_place__fill(struct tp_place *place, const struct tracepoint *tp, bool whole, const char **why);

/*
 * Why BPF programs cannot make the samples of this tracepoint event; NULL: they can. nr_events: how many tracepoint events there
 * are in all. whole: as tp_layout__fill(). buf holds some of the answers.
 */
const char *tp_programs__refuse(const struct evsel *evsel, unsigned int nr_events, bool whole, char *buf, size_t size);

#define TP_MAX_LINKS 2

struct tp_programs {
	struct bpf_programs *programs; /* NULL: none are loaded */
	struct bpf_target target;
	struct tally_table *tally; /* of hits that are counted; NULL: they are not */
	int link[TP_MAX_LINKS];
	unsigned int nr_links;
};
#define TP_PROGRAMS_INIT ((struct tp_programs){ .target = BPF_TARGET_NONE })

struct tp_programs_setup {
	const struct bpf_image *image;
	const struct filter_table *table; /* as programs get it; NULL: all hits are kept */
	const struct tally_setup *tally;  /* NULL: hits are not counted */
	const struct sampler_target *target;
};

/* What is open is unloaded first. */
int tp_programs__open(struct tp_programs *p, const struct tp_programs_setup *setup, struct errmsg *err);
int tp_programs__load(struct tp_programs *p); /* -errno, for the caller to explain */
int tp_programs__follow(struct tp_programs *p, const struct tp_programs_setup *setup, bool waits_for_exec, struct errmsg *err);
void tp_programs__unload(struct tp_programs *p);

/* The program runs until tp_programs__detach(), which ends all; it may be called at any time. */
int tp_programs__attach(struct tp_programs *p, const struct tp_place *place, const char *prog, struct errmsg *err);
void tp_programs__detach(struct tp_programs *p);

/* Over all CPUs; *untracked: tasks that could not be followed. what: for "cannot read %s" */
int tp_programs__counts(const struct tp_programs *p, struct tp_counts *sum, u64 *untracked, const char *what, struct errmsg *err);
/* Of hits that are counted: what the table knows. Other members of *counts are 0. */
int tp_programs__tally_counts(const struct tp_programs *p, struct tally_counts *counts, struct errmsg *err);
/*
 * Hits, of anybody, for which the kernel did not run the program because the CPU was running one already. 0 before Linux 5.12, which
 * does not tell, and where nothing is loaded.
 */
u64 tp_programs__missed(const struct tp_programs *p, const char *prog);

#endif
