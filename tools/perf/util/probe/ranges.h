/* SPDX-License-Identifier: GPL-2.0 */
/* In which part of a function a variable has a place. */
#ifndef PERF_PROBE_RANGES_H
#define PERF_PROBE_RANGES_H

#include "util/lib/text.h"
#include "util/probe/point.h"

/* Add "\t@<work+[0-64,64-77]>" to t: offsets in the function at the point. Nothing for a global variable. */
void probe_ranges__put(struct text *t, struct probe_debug *debug, const struct probe_point *point, Dwarf_Die *variable);

#endif
