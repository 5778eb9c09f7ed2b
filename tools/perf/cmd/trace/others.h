/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other events beside system calls. They come by another way than calls, so that lines of both wait for a moment, to be printed in the order of
 * their times.
 */
#ifndef PERF_CMD_TRACE_OTHERS_H
#define PERF_CMD_TRACE_OTHERS_H

#include "ui/trace/calls.h"
#include "util/event/evsel.h"
#include "util/record/record.h"
#include "util/session/session.h"

struct trace_others { /* starts zeroed */
	struct trace_lines *lines;
	struct tp_formats *formats;
	struct session *session;
	struct record_sink sink;
	struct trace_late *late; /* lines that wait */
	size_t nr, room;
};

/* evlist: its tracepoints are those that are shown. lines must outlive it. 0 or -errno with a message. */
int trace_others__begin(struct trace_others *others, const struct evlist *evlist, struct trace_lines *lines, struct errmsg *err);
/* A call that is printed in its turn. 0 or -ENOMEM */
int trace_others__add_call(struct trace_others *others, const struct trace_call *call);
/* Print the lines of before this time, at most max; returns their number. */
u64 trace_others__flush(struct trace_others *others, u64 before, u64 max);
void trace_others__exit(struct trace_others *others);

#endif
