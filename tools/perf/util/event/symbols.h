/* SPDX-License-Identifier: GPL-2.0 */
/* The events with names of their own in perf: generic hardware, software and cache events of perf_event_open(2). */
#ifndef PERF_EVENT_SYMBOLS_H
#define PERF_EVENT_SYMBOLS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "util/lib/types.h"

struct event_symbol {
	const char *name;	/* name in reports if only the attr is known */
	const char *alias;	/* a second name, or NULL */
	const char *help;	/* what it counts */
};

/* Both tables are indexed by attr.config. */
extern const struct event_symbol event_symbols_hw[PERF_COUNT_HW_MAX];
extern const struct event_symbol event_symbols_sw[PERF_COUNT_SW_MAX];

/* What perf itself counts; the kernel has no such events. */
enum evsel_tool { TOOL_NONE, TOOL_DURATION_TIME, TOOL_USER_TIME, TOOL_SYSTEM_TIME, NR_TOOLS };
extern const struct event_symbol event_symbols_tool[NR_TOOLS];
/* TOOL_NONE: no tool event has this name. */
enum evsel_tool tool_symbol__find(const char *name);

/* Find a hardware or software event by name or alias; names are case-sensitive. */
bool event_symbol__find(const char *name, u32 *type, u64 *config);

/*
 * Cache events: config is (cache | op << 8 | result << 16). A name is a cache, then an operation and a result in any order; the
 * defaults are load and access: "L1-dcache", "LLC-load-misses", "dTLB-store-refs". -ENOENT: no such name; -EOPNOTSUPP: an operation
 * that this cache lacks, like "iTLB-stores".
 */
int cache_event__find(const char *name, u64 *config);

/* Is config a combination that exists? */
bool cache_event__valid(u64 config);

/* "L1-dcache-load-misses"; for an invalid one, a text that says what is wrong. Returns buf. */
const char *cache_event__name(u64 config, char *buf, size_t size);

/* Call cb for the names and aliases of all hardware, software and valid cache events; stops when cb returns non-zero. */
int event_symbol__for_each(int (*cb)(void *data, const char *name, u32 type, u64 config), void *data);

#endif
