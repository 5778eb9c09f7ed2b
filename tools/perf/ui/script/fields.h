/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which fields perf script prints for each event: defaults by the event's type, changed by -F, reduced to what the event
 * recorded.
 */
#ifndef PERF_UI_SCRIPT_FIELDS_H
#define PERF_UI_SCRIPT_FIELDS_H

#include "util/session/session.h"

/* Bits of a mask, in the order in which the fields are printed. */
#define SCRIPT_COMM (1ULL << 0)
#define SCRIPT_PID (1ULL << 1)
#define SCRIPT_TID (1ULL << 2)
#define SCRIPT_CPU (1ULL << 3)
#define SCRIPT_MISC (1ULL << 4)
#define SCRIPT_TOD (1ULL << 5)
#define SCRIPT_TIME (1ULL << 6)
#define SCRIPT_PERIOD (1ULL << 7)
#define SCRIPT_EVENT (1ULL << 8)
#define SCRIPT_TRACE (1ULL << 9)
#define SCRIPT_ADDR (1ULL << 10)
#define SCRIPT_DATA_SRC (1ULL << 11)
#define SCRIPT_WEIGHT (1ULL << 12)
#define SCRIPT_INS_LAT (1ULL << 13)
#define SCRIPT_RETIRE_LAT (1ULL << 14)
#define SCRIPT_CGROUP (1ULL << 15)
#define SCRIPT_IP (1ULL << 16)
#define SCRIPT_SYM (1ULL << 17)
#define SCRIPT_SYMOFF (1ULL << 18)
#define SCRIPT_DSO (1ULL << 19)
#define SCRIPT_DSOFF (1ULL << 20)
#define SCRIPT_SRCLINE (1ULL << 21)
#define SCRIPT_IREGS (1ULL << 22)
#define SCRIPT_UREGS (1ULL << 23)
#define SCRIPT_BRSTACK (1ULL << 24)
#define SCRIPT_BRSTACKSYM (1ULL << 25)
#define SCRIPT_BRSTACKOFF (1ULL << 26)
#define SCRIPT_BPF_OUTPUT (1ULL << 27)
#define SCRIPT_INSNLEN (1ULL << 28)
#define SCRIPT_INSN (1ULL << 29)
#define SCRIPT_PHYS_ADDR (1ULL << 30)
#define SCRIPT_DATA_PAGE_SIZE (1ULL << 31)
#define SCRIPT_CODE_PAGE_SIZE (1ULL << 32)

/* With what the line of any record begins, and what of those and of what follows them is in struct script_numbers. */
#define SCRIPT_START (SCRIPT_PERIOD - 1)
#define SCRIPT_NUMBERS (SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_PERIOD | SCRIPT_EVENT)
#define SCRIPT_BEFORE_IP (SCRIPT_IP - SCRIPT_TRACE)
/* What is said about an address. */
#define SCRIPT_PLACE (SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO | SCRIPT_DSOFF | SCRIPT_SRCLINE)
#define SCRIPT_BEHIND_PLACE (~(SCRIPT_IREGS - 1))

enum script_event_type {
	SCRIPT_HW,
	SCRIPT_SW,
	SCRIPT_TRACEPOINT,
	SCRIPT_CACHE,
	SCRIPT_RAW,
	SCRIPT_BREAK,
	SCRIPT_OTHER,
	SCRIPT_NR_TYPES
};

struct script_fields {
	struct {
		u64 fields;
		u64 asked;  /* by -F without a type: it is an error if an event does not have them */
		bool given; /* -F said something about this type */
	} type[SCRIPT_NR_TYPES];
};

void script_fields__init(struct script_fields *f);

/* One -F text: "comm,ip", "+cpu,-period", "trace:comm". Warns of what it changes; -EINVAL with err for a wrong one. */
int script_fields__parse(struct script_fields *f, const char *text, struct errmsg *err);

/* Print what -F may consist of to stdout, a line each: "comm", "sw:", ... */
void script_fields__list(void);

/* Whether any of the fields that may be printed is an address or comes from one; fields of tracepoints may be functions. */
bool script_fields__need_symbols(const struct script_fields *f);

/*
 * The fields to print of each event, as bits: mask[] has an element for each event of the session. -EINVAL: a field that -F
 * asked for is not in an event's samples. no_chains: callchains are not going to be shown.
 */
int script_fields__apply(const struct script_fields *f, struct session *s, bool no_chains, u64 *mask, struct errmsg *err);

#endif
