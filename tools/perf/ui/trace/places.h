/* SPDX-License-Identifier: GPL-2.0 */
/* Page faults and callers as perf trace shows them, in the layout of other perfs. */
#ifndef PERF_UI_TRACE_PLACES_H
#define PERF_UI_TRACE_PLACES_H

#include "ui/trace/calls.h"
#include "util/session/session.h"

/* major, or minor; the sample has an address. */
void trace_places__add_fault(struct trace_lines *lines, struct text *line, struct session *session, const struct session_sample *sample, bool major);
/* A line for each caller. */
void trace_places__add_callers(struct text *line, const struct callchain *chain);

#endif
