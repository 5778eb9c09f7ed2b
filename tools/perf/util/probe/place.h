/* SPDX-License-Identifier: GPL-2.0 */
/* The reverse of convert.h: which function and line an event of the kernel's list is on. */
#ifndef PERF_PROBE_PLACE_H
#define PERF_PROBE_PLACE_H

#include "util/probe/event.h"

struct probe_places; /* remembers the last file */

struct probe_places *probe_places__new(void); /* NULL: no memory */
void probe_places__delete(struct probe_places *places);
/* "work:5@/tmp/t.c", "main", "0x1150"; malloc'ed, NULL: no memory */
char *probe_places__name(struct probe_places *places, const struct probe_event *event);

#endif
