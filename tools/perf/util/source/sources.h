/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of sources, and what they share. */
#ifndef PERF_SOURCE_SOURCES_H
#define PERF_SOURCE_SOURCES_H

#include "util/source/source.h"

/* Choose the source of an event; end it with source__delete(). Opens nothing. -EINVAL: a wrong filter or wish. */
int sources__choose(struct source_wish *wish, struct source **source, struct errmsg *err);
void source__delete(struct source *source); /* NULL is fine */

/*
 * For the kinds. new: allocates size bytes, zeroed after struct source, and takes over wish->filter; NULL: no memory. set_tally:
 * count samples as the wish says; set_values: also by values that users name, which the source's program must fill in (tally-values.bpf.h). free: frees what new has allocated.
 */
void *source__new(size_t size, const struct source_ops *ops, struct source_wish *wish);
int source__set_tally(struct source *source, const struct source_wish *wish, struct errmsg *err);
int source__set_values(struct source *source, const struct source_wish *wish, struct errmsg *err);
void source__free(struct source *source);
/* Before programs of the source are loaded: let those that unwind stacks share the tables. -errno */
int source__share_tables(const struct source *source, struct bpf_programs *programs);

extern const struct source_ops histogram_source_ops, tracepoint_source_ops, offcpu_source_ops, lock_source_ops, tally_source_ops, unwind_source_ops,
	kernel_source_ops, trace_source_ops, kwork_source_ops, sched_source_ops, graph_source_ops;

#endif
