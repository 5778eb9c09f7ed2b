/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all BPF programs on tracepoints share: they follow a target, judge hits by a filter's table and may count them. Order of
 * calls: open, set the caller's own variables, load, follow; then attach and detach; unload at the end.
 */
#ifndef PERF_SOURCE_TP_PROGRAMS_H
#define PERF_SOURCE_TP_PROGRAMS_H

#include "util/bpf/programs.h"
#include "util/bpf_skel/tp.h"
#include "util/event/probe.h"
#include "util/event/tracepoint.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/bpf-target.h"
#include "util/source/source.h"
#include "util/source/tally-table.h"

struct tp_place { /* a tracepoint, and what programs need to know about its records */
	enum tp_kind kind;
	u64 id;
	const char *event; /* its name, owned by the tracepoint */
	const struct probe_place *probe; /* for an event that perf makes, owned by the tracepoint; otherwise NULL */
	struct tp_config config;
};

/* whole: as tp_layout__fill(). Returns the same. */
int tp_place__fill(struct tp_place *place, const struct tracepoint *tp, bool whole, const char **why);

/*
 * Return why BPF programs cannot make the samples of this tracepoint event; NULL: they can. nr_events: number of tracepoint events
 * in all. whole: as tp_layout__fill(). buf holds some of the answers.
 */
const char *tp_programs__refuse(const struct evsel *evsel, unsigned int nr_events, bool whole, char *buf, size_t size);

/* May this process load such programs, and do they see its ids? what: "system calls are traced", for messages. -EPERM, -EOPNOTSUPP */
int tp_programs__check_rights(const char *what, struct errmsg *err);

/*
 * Are programs on system calls and works to be those for perf's events of these tracepoints? So on kernels that preempt programs on raw ones (see
 * syscall-hook.bpf.h), unless tracefs is closed to this process: then a program misses what happens on its CPU while it is preempted.
 */
bool tp_programs__by_event(void);

#define TP_MAX_LINKS (2 * PROBE_MAX_OFFSETS)

struct tp_programs {
	struct bpf_programs *programs; /* NULL: not loaded */
	struct bpf_target target;
	struct tally_table *tally; /* counts of hits; NULL: hits are not counted */
	int link[TP_MAX_LINKS];
	unsigned int nr_links;
};
#define TP_PROGRAMS_INIT ((struct tp_programs){ .target = BPF_TARGET_NONE })

struct tp_programs_setup {
	const struct bpf_image *image;
	const struct filter_table *table; /* the programs' copy; NULL: keep all hits */
	const struct tally_setup *tally;  /* NULL: hits are not counted */
	const struct tally_values *written; /* what samples get besides the record; NULL: nothing, also if hits are counted */
	const struct sampler_target *target;
	const struct probe_place *probe[2]; /* that will be attached to; NULL: none */
};

/* Unloads what is open first. */
int tp_programs__open(struct tp_programs *p, const struct tp_programs_setup *setup, struct errmsg *err);
int tp_programs__load(struct tp_programs *p); /* -errno, the caller explains it */
int tp_programs__follow(struct tp_programs *p, const struct tp_programs_setup *setup, bool waits_for_exec, struct errmsg *err);
void tp_programs__unload(struct tp_programs *p);

/* The program runs until tp_programs__detach(), which detaches all programs; may be called at any time. */
int tp_programs__attach(struct tp_programs *p, const struct tp_place *place, const char *prog, struct errmsg *err);
/* Programs of tp-hit.bpf.h do nothing before. */
void tp_programs__let_run(struct tp_programs *p, bool on);
int tp_programs__attach_raw(struct tp_programs *p, const char *prog, struct errmsg *err); /* to the raw tracepoint that it names */

struct tp_hook {
	const char *prog;
	const char *sys, *event; /* perf's event to attach it to if tp_programs__by_event(); NULL: always to its raw tracepoint */
	bool named;		 /* always to the raw tracepoint of event, which the kernel may lack. Hooks of one program follow each other */
};
#define TP_HOOK_RAW(prog) { prog, NULL, NULL, false }
#define TP_HOOK_EVENT(prog, sys, event) { prog, sys, event, false }
#define TP_HOOK_NAMED(prog, sys, event) { prog, sys, event, true }
#define TP_HOOK_ENTER(prog) TP_HOOK_EVENT(prog, "raw_syscalls", "sys_enter")
#define TP_HOOK_EXIT(prog) TP_HOOK_EVENT(prog, "raw_syscalls", "sys_exit")

/* Attach several programs in this order; hooks ends with a program of NULL. All or none; does nothing if programs are attached. */
int tp_programs__attach_all(struct tp_programs *p, const struct tp_hook *hooks, struct errmsg *err);
void tp_programs__detach(struct tp_programs *p);

/* Sums over all CPUs; *untracked: tasks that could not be followed. what: for "cannot read %s" */
int tp_programs__counts(const struct tp_programs *p, struct tp_counts *sum, u64 *untracked, const char *what, struct errmsg *err);
/* The counts of the tally's table; other members of *counts are 0. */
int tp_programs__tally_counts(const struct tp_programs *p, struct tally_counts *counts, struct errmsg *err);
/*
 * Hits of any task for which the kernel skipped the program because one was already running on that CPU. 0 before Linux 5.12, which
 * does not report them, and if nothing is loaded.
 */
u64 tp_programs__missed(const struct tp_programs *p, const char *prog);

#endif
