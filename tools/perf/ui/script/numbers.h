/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command and the numbers at the beginning of a sample's line, before and after they are formatted: formatting needs no other
 * data, and may run in another thread than printing.
 */
#ifndef PERF_UI_SCRIPT_NUMBERS_H
#define PERF_UI_SCRIPT_NUMBERS_H

#include "ui/script/style.h"
#include "util/lib/text.h"

struct script_numbers {
	u64 mask; /* those bits of SCRIPT_NUMBERS to print */
	u64 time, period;
	const char *comm, *event; /* names */
	s32 pid, tid, cpu;
	bool comm_is_free; /* not aligned */
};

/* State for relative times. Starts zeroed. */
struct script_clock {
	u64 first, previous;
	bool any;
};

/* Print "wl     123/123     [001]  1000.000000:     250235 cpu-clock: ": the fields in the mask, in this order */
void script_numbers__print(const struct script_numbers *n, const struct script_style *style, struct script_clock *clock,
			   struct text *text);

#endif
