/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command and the numbers at the beginning of a sample's line, before and after they are formatted: formatting needs no other
 * data, and may run in another thread than printing.
 */
#ifndef PERF_UI_SCRIPT_NUMBERS_H
#define PERF_UI_SCRIPT_NUMBERS_H

#include "ui/script/style.h"
#include "util/lib/text.h"

struct script_numbers { /* small, as each goes from one CPU to another */
	u64 time, period;
	const char *comm, *event; /* names */
	s32 pid, tid, cpu;
	u16 mask; /* those bits of SCRIPT_NUMBERS to print */
	bool comm_is_free; /* not aligned */
	bool ends_line;
};

#define SCRIPT_NR_TASKS 256
#define SCRIPT_NR_EVENTS 16
#define SCRIPT_KEPT 64 /* bytes of each text */

/* State for relative times, and texts of what seldom changes from one line to the next. Starts zeroed; for one style. */
struct script_clock {
	u64 first, previous;
	bool any;
	struct script_task { /* of a thread's last line, up to the second */
		const char *comm;
		s32 pid, tid, cpu;
		u16 mask;
		bool comm_is_free;
		u8 len; /* 0: not set */
		u8 cpu_at; /* where the three digits of the CPU are; 0: elsewhere */
		u64 since; /* the second, in ns */
		char text[SCRIPT_KEPT];
	} task[SCRIPT_NR_TASKS];
	struct script_event { /* of an event's last line, from the period on */
		const char *event;
		u64 period;
		u16 mask;
		u8 len;
		char text[SCRIPT_KEPT];
	} event[SCRIPT_NR_EVENTS];
};

/* Print "wl     123/123     [001]  1000.000000:     250235 cpu-clock: ": the fields in the mask, in this order */
void script_numbers__print(const struct script_numbers *n, const struct script_style *style, struct script_clock *clock,
			   struct text *text);

#endif
