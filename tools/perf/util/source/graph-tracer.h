/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's function_graph tracer in tracefs, for times of one function of the kernel: in an instance of its own, or before Linux 6.11 in the
 * buffer for all users. It is refused while another user has what both would need. A helper process sets everything back as soon as perf closes the
 * tracer or ends, even by SIGKILL.
 */
#ifndef PERF_SOURCE_GRAPH_TRACER_H
#define PERF_SOURCE_GRAPH_TRACER_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/source/target.h"

struct graph_tracer;

bool graph_tracer__exists(void); /* does the kernel have it? */

/* Sets it up, switched off. -EOPNOTSUPP: there is none; -EBUSY: it has another user; -EINVAL: it does not know the function */
int graph_tracer__open(struct graph_tracer **tracer, const char *function, const struct sampler_target *target, struct errmsg *err);
int graph_tracer__switch(struct graph_tracer *tracer, bool on);
int graph_tracer__fd(const struct graph_tracer *tracer); /* of trace_pipe, does not block */
/* Records that had no room, since it was set up. trace_pipe does not tell of all. */
int graph_tracer__lost(const struct graph_tracer *tracer, u64 *nr);
void graph_tracer__close(struct graph_tracer *tracer);	 /* NULL is allowed */

#endif
