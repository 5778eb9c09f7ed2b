/* SPDX-License-Identifier: GPL-2.0 */
/* The lines of callchains as perf script printed them before, found by the notes at chains (callchain.h). Bounded: emptied when full. */
#ifndef PERF_UI_SCRIPT_LINES_H
#define PERF_UI_SCRIPT_LINES_H

#include "util/callchain/callchain.h"
#include "util/lib/text.h"

struct script_lines;

struct script_lines *script_lines__new(void); /* NULL: no memory */
void script_lines__delete(struct script_lines *l);

/* Put what was printed for this note with the fields of mask. false: it is not there. note may be NULL. */
bool script_lines__put(const struct script_lines *l, const struct chain_note *note, u64 mask, struct text *text);
/* What was printed since text was start long is to be put for this note. */
void script_lines__keep(struct script_lines *l, struct chain_note *note, u64 mask, const struct text *text, size_t start);

#endif
