/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command and the numbers with which the line of a sample begins, before and after they are text: who makes text of them looks at
 * nothing else, and may be another thread than who prints.
 */
#ifndef PERF_UI_SCRIPT_NUMBERS_H
#define PERF_UI_SCRIPT_NUMBERS_H

#include "ui/script/style.h"
#include "util/lib/text.h"

struct script_numbers {
	u64 mask; /* those bits of SCRIPT_NUMBERS that are printed */
	u64 time, period;
	const char *comm, *event; /* names */
	s32 pid, tid, cpu;
	bool comm_is_free; /* not aligned */
};

/* What a shown time depends on. Starts zeroed. */
struct script_clock {
	u64 first, previous;
	bool any;
};

/* "wl     123/123     [001]  1000.000000:     250235 cpu-clock: ": as far as the mask has them, in this order */
void script_numbers__print(const struct script_numbers *n, const struct script_style *style, struct script_clock *clock,
			   struct text *text);

#endif
