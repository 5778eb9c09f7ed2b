/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a run, shared by and private to run.c, spans.c and control.c; run.h is the public part. */
#ifndef PERF_RUN_RUN_STATE_H
#define PERF_RUN_RUN_STATE_H

#include "util/run/hotplug.h"
#include "util/run/run.h"
#include "util/run/signals.h"
#include "util/run/workload.h"

struct run {
	struct run_opts opts;
	const struct run_ops *ops;
	void *data;
	struct run_loop *loop;
	struct run_target target;
	struct workload workload;
	struct signals signals;
	struct hotplug hotplug;
	struct run_handler on_signals, on_spans, on_control, on_hotplug;
	u64 start;		/* ms of run_loop__now() */
	unsigned int switches;	/* number of beginnings and ends of opts.spans that are past */
	char line[64];		/* start of a command from control */
	size_t line_len;
	int signo;		/* signal that ended the run; 0: none */
};

static inline void run__tell(const struct run *run, const char *text)
{
	if (run->opts.note)
		run->opts.note(run->opts.note_data, text);
}

/* spans.c: when events count */
int run__switch(struct run *run, bool on, struct errmsg *err); /* all events, with a note */
void run__add_spans(struct run *run);
int run__begin_spans(struct run *run, struct errmsg *err);

/* control.c */
void run__add_control(struct run *run);

#endif
