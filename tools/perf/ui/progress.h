/* SPDX-License-Identifier: GPL-2.0 */
/* On a terminal: a line on stderr with the progress of a long reading; removed at the end. */
#ifndef PERF_UI_PROGRESS_H
#define PERF_UI_PROGRESS_H

#include <stdbool.h>
#include "util/lib/types.h"

struct progress {
	u64 total; /* bytes */
	u64 next;  /* do nothing before this many; UINT64_MAX if stderr is no terminal */
	u64 start; /* ns */
	bool shown;
};

void progress__start(struct progress *p, u64 total);
void progress__finish(struct progress *p);
void progress__show(struct progress *p, u64 done);

static inline void progress__update(struct progress *p, u64 done)
{
	if (done >= p->next)
		progress__show(p, done);
}

#endif
