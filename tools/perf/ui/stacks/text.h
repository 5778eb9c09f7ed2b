/* SPDX-License-Identifier: GPL-2.0 */
/* A snapshot of stacks as text: groups of threads, with the frames in the lines of perf script. */
#ifndef PERF_UI_STACKS_TEXT_H
#define PERF_UI_STACKS_TEXT_H

#include <stdio.h>
#include "ui/stacks/groups.h"
#include "util/lib/text.h"
#include "util/session/session.h"

struct stacks_summary {
	u32 nr;		/* of this snapshot, from 1 on */
	u64 at_ns;	/* since the first one */
	u64 took_ns;	/* to read all stacks */
};

struct stacks_look {
	struct session *session;
	FILE *fp;
	bool source_lines; /* of frames */
	bool all_tids;	   /* not only the first ones */
};

void stacks_text__print(const struct stacks_look *look, const struct stacks_summary *summary, struct stacks_groups *groups);

/* The begin of the first line: the number of the snapshot and of its threads. */
void stacks_text__put_summary(struct text *line, const struct stacks_summary *summary, u32 nr_threads);
void stacks_text__put_frames(struct text *text, const struct stacks_look *look, const struct location *frame, u32 nr, bool cut);

/* "sleeping", "running": of enum offcpu_state */
const char *stacks_state__name(u32 state);

#endif
