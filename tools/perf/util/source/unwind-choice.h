/* SPDX-License-Identifier: GPL-2.0 */
/* CALLGRAPH_AUTO: for which events programs unwind the user's stacks although nobody has asked for that. */
#ifndef PERF_SOURCE_UNWIND_CHOICE_H
#define PERF_SOURCE_UNWIND_CHOICE_H

#include "util/source/source.h"

/*
 * After the filter is compiled: NULL if the samples of this event, which the kernel makes, come out as with frame pointers but for the
 * user's frames; otherwise what is in the way, to follow the event's name and "callchains by frame pointers: ".
 */
const char *unwind_choice__refuse(const struct source_wish *wish);

/* PERF_SAMPLE_* bits of what the program on a perf event can write */
u64 unwind_choice__sample_types(void);

/* The same for a tracepoint, as far as its name tells. */
const char *unwind_choice__refuse_tracepoint(const struct evsel *evsel);

/* No program unwinds the stacks of the event: wish->no_tables gets the first line of why. */
void unwind_choice__give_up(struct source_wish *wish, const char *why);

#endif
