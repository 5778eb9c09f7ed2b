/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which fields perf script prints for each event: defaults by the event's type, changed by -F, reduced to what the event
 * recorded.
 */
#ifndef PERF_UI_SCRIPT_FIELDS_H
#define PERF_UI_SCRIPT_FIELDS_H

#include "util/session/session.h"

enum script_field { /* bits, in the order in which they are printed */
	SCRIPT_COMM = 1 << 0,
	SCRIPT_PID = 1 << 1,
	SCRIPT_TID = 1 << 2,
	SCRIPT_CPU = 1 << 3,
	SCRIPT_TIME = 1 << 4,
	SCRIPT_PERIOD = 1 << 5,
	SCRIPT_EVENT = 1 << 6,
	SCRIPT_TRACE = 1 << 7,
	SCRIPT_ADDR = 1 << 8,
	SCRIPT_IP = 1 << 9,
	SCRIPT_SYM = 1 << 10,
	SCRIPT_SYMOFF = 1 << 11,
	SCRIPT_DSO = 1 << 12,
	SCRIPT_SRCLINE = 1 << 13,
};

enum script_event_type { SCRIPT_HW, SCRIPT_SW, SCRIPT_TRACEPOINT, SCRIPT_RAW, SCRIPT_BREAK, SCRIPT_OTHER, SCRIPT_NR_TYPES };

struct script_fields {
	struct {
		u32 fields;
		u32 asked; /* by -F: it is an error if an event does not have them */
		bool given; /* -F said something about this type */
	} type[SCRIPT_NR_TYPES];
};

void script_fields__init(struct script_fields *f);

/* One -F text: "comm,ip", "+cpu,-period", "trace:comm". -EINVAL with err for a wrong one. */
int script_fields__parse(struct script_fields *f, const char *text, struct errmsg *err);

/* Whether any of the fields that may be printed is an address or comes from one; fields of tracepoints may be functions. */
bool script_fields__need_symbols(const struct script_fields *f);

/*
 * The fields to print of each event, as bits: mask[] has an element for each event of the session. -EINVAL: a field that -F
 * asked for is not in an event's samples.
 */
int script_fields__apply(const struct script_fields *f, struct session *s, u32 *mask, struct errmsg *err);

#endif
