/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables for unwinding user stacks in BPF, for all events of a recording: programs with unwind.bpf.h share the maps, so that each
 * file has one table however many programs meet it. Order of calls: new, check; then each time a target is opened load, before the
 * programs that share the maps; take and make_next while they run; delete after them.
 */
#ifndef PERF_SOURCE_UNWIND_TABLES_H
#define PERF_SOURCE_UNWIND_TABLES_H

#include <stddef.h>
#include "util/bpf/programs.h"
#include "util/bpf_skel/unwind-sample.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/source/target.h"
#include "util/source/unwind-finish.h"

struct unwind_tables;

/* User stacks that programs of one event have unwound. */
struct unwind_totals {
	u64 ended[UNWIND_NR_ENDS]; /* by how they ended in BPF */
	u64 frames; /* that it found */
	u64 unsent; /* could not be sent to be finished, as the ring was half full */
	struct unwind_finish_counts finished; /* of them, in user space */
	struct interp_counts interp; /* frames of interpreters among them */
	u64 lost; /* samples that did not fit into the ring of struct unwind_counts' program */
};

/*
 * max_bytes: of tables; 0: the default. cache: the build-id cache that keeps them; NULL: none does. by_file: frames are to be places in
 * files. Loads nothing. NULL: no memory is left.
 */
struct unwind_tables *unwind_tables__new(size_t max_bytes, const char *cache, bool by_file);
void unwind_tables__delete(struct unwind_tables *t); /* NULL is fine */
/* Before the load: note frames of interpreters, too. Without this call there are none. */
void unwind_tables__find_interpreters(struct unwind_tables *t, const struct interp_choice *choice);

/* Are architecture, PID namespace and rights as needed? -EOPNOTSUPP or -EPERM, with the remedy */
int unwind_tables__check(struct errmsg *err);
/* The same, and is the kernel new enough, if that can be told without a load? */
int unwind_tables__promise(struct errmsg *err);
/* Frames of a stack's part where no option gives their number: kernel.perf_event_max_stack */
unsigned int unwind_tables__max_stack(void);
/* Refuse it: "--call-graph bpf WHY: take ...". Returns -EOPNOTSUPP. */
int unwind_tables__refuse(struct errmsg *err, const char *why);

/* Load the maps, once, and make the tables of the files that the target has mapped. */
int unwind_tables__load(struct unwind_tables *t, const struct sampler_target *target, struct errmsg *err);

/* Before programs with unwind.bpf.h are loaded: make them use the maps, and take frames as the tables were asked to. -errno */
int unwind_tables__share(const struct unwind_tables *t, struct bpf_programs *programs);
/* After such programs were refused: if this kernel is too old for any of them, say so, and return true. */
bool unwind_tables__explain(struct errmsg *err);
/* What they have counted in their map unwind_counts, and the finisher of their stacks, NULL: none. */
int unwind_totals__read(struct unwind_totals *totals, int counts_fd, const struct unwind_finisher *finisher, struct errmsg *err);

/* Readable when programs have asked for tables */
int unwind_tables__fd(const struct unwind_tables *t);
/* The same for names of interpreters' functions; -1: there are none */
int unwind_tables__names_fd(const struct unwind_tables *t);
/* As unwind_feeder__take() and unwind_feeder__make_next() */
int unwind_tables__take(struct unwind_tables *t);
int unwind_tables__make_next(struct unwind_tables *t);
/* For stacks that are finished in user space; after the load. NULL: t is NULL */
struct unwind_feeder *unwind_tables__feeder(const struct unwind_tables *t);

/* The files of places; NULL: without by_file */
const struct unwind_files *unwind_tables__files(const struct unwind_tables *t);

/* NULL: nothing is loaded. Valid until the next call */
const struct unwind_feeder_counts *unwind_tables__counts(struct unwind_tables *t);

#endif
