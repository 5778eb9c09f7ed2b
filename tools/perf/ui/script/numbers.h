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
	bool ends_line;
};

#define SCRIPT_NR_TASKS 128
#define SCRIPT_NR_EVENTS 16
#define SCRIPT_KEPT 64 /* bytes of each text */

/* State for relative times, and texts of what seldom changes from one line to the next. Starts zeroed; for one style. */
struct script_clock {
	u64 first, previous;
	bool any;
	struct script_second {
		u64 second;
		u32 len; /* 0: not set */
		char text[SCRIPT_KEPT];
	} second;
	struct script_task { /* by thread and CPU */
		const char *comm;
		u64 mask;
		s32 pid, tid, cpu;
		bool comm_is_free;
		u8 len;
		char text[SCRIPT_KEPT];
	} task[SCRIPT_NR_TASKS];
	struct script_count { /* by event and period */
		const char *event;
		u64 mask, period;
		u8 len;
		char text[SCRIPT_KEPT];
	} count[SCRIPT_NR_EVENTS];
};

/* Print "wl     123/123     [001]  1000.000000:     250235 cpu-clock: ": the fields in the mask, in this order */
void script_numbers__print(const struct script_numbers *n, const struct script_style *style, struct script_clock *clock,
			   struct text *text);

#endif
