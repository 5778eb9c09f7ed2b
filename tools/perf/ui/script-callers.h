/* SPDX-License-Identifier: GPL-2.0 */
/* The lines of callers as perf script printed them before, by the callers' number (callchain.h). Bounded: emptied when full. */
#ifndef PERF_UI_SCRIPT_CALLERS_H
#define PERF_UI_SCRIPT_CALLERS_H

#include "util/lib/text.h"

struct script_callers;

struct script_callers *script_callers__new(void); /* NULL: no memory */
void script_callers__delete(struct script_callers *c);

/* mask: of the fields. The lines, valid until the next __add; NULL: not there. */
const char *script_callers__find(const struct script_callers *c, u32 callers, u64 mask, size_t *len);
void script_callers__add(struct script_callers *c, u32 callers, u64 mask, const char *lines, size_t len);

#endif
