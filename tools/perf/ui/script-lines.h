/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of callchains as perf script printed them before: of single frames, found by their numbers (resolve.h), and of
 * several ones, found by the notes at chains (callchain.h). Bounded: when it is full it is to be emptied.
 */
#ifndef PERF_UI_SCRIPT_LINES_H
#define PERF_UI_SCRIPT_LINES_H

#include "util/callchain/callchain.h"

struct script_lines;

struct kept_lines { /* until script_lines__empty() */
	const char *text;
	u32 len;
};

struct script_lines *script_lines__new(void); /* NULL: no memory */
void script_lines__delete(struct script_lines *l);

/* What was printed with the fields of mask. note may be NULL. false: it is not there. */
bool script_lines__find(struct script_lines *l, const struct chain_note *note, u64 mask, struct kept_lines *lines);
bool script_lines__find_frame(struct script_lines *l, const struct location *frame, u64 mask, struct kept_lines *lines);

/* Keep a copy, which lines tells of then. false: there is no room. */
bool script_lines__keep(struct script_lines *l, const char *text, size_t len, struct kept_lines *lines);
/* These lines, which are kept, are to be found for the note, for the frame. */
void script_lines__note(struct script_lines *l, struct chain_note *note, u64 mask, const struct kept_lines *lines);
void script_lines__note_frame(struct script_lines *l, const struct location *frame, u64 mask, const struct kept_lines *lines);

/* Something was not kept since it was empty. */
bool script_lines__is_full(const struct script_lines *l);
void script_lines__empty(struct script_lines *l);

#endif
