/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other events beside system calls. They come by another way than calls, so that lines of both wait for a moment, to be printed in the order of
 * their times.
 */
#ifndef PERF_CMD_TRACE_OTHERS_H
#define PERF_CMD_TRACE_OTHERS_H

#include "ui/trace/calls.h"
#include "ui/trace/sums.h"
#include "util/event/evsel.h"
#include "util/record/record.h"
#include "util/session/session.h"

struct trace_others { /* starts zeroed; the owner sets the members up to detail, and owns them */
	struct trace_lines *lines;
	struct trace_sums *sums; /* that page faults are counted in; NULL: none are */
	bool written;		 /* events have lines */
	bool has_calls;		 /* the first event has system calls as samples */
	unsigned int max_stack, min_stack; /* 0: any */
	enum session_detail detail; /* that lines need */
	struct tp_formats *formats; /* NULL: those of the session */
	struct session *session;
	struct live_functions *functions; /* Python's, which the recording finds; set by __begin() */
	struct record_sink sink;
	struct trace_late *late; /* lines that wait */
	size_t nr, room;
	u64 *call; /* room for one */
};

/* While the system is watched. evlist: its tracepoints are those that are shown. 0 or -errno with a message. */
int trace_others__begin(struct trace_others *others, const struct evlist *evlist, struct errmsg *err);
/* Count a sample, and add its lines, if events have some. 0 or -ENOMEM */
int trace_others__take(struct trace_others *others, struct session *s, const struct session_sample *sample, struct text *line);
bool trace_others__is_fault(const struct session_event *evsel);
/* A call that is printed in its turn. 0 or -ENOMEM */
int trace_others__add_call(struct trace_others *others, const struct trace_call *call);
/* Move the lines of before this time, at most max, to text; returns their number. */
u64 trace_others__flush(struct trace_others *others, u64 before, u64 max, struct text *text);
void trace_others__exit(struct trace_others *others);

#endif
