/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of callchains as perf script printed them before: of single frames, found by their numbers (resolve.h), and of several
 * of them, found by the notes at chains (callchain.h). Bounded: when it is full it is to be emptied.
 *
 * What is kept has a token, which tells its length, too: who only hands it on does not look at the text, which may be far away.
 */
#ifndef PERF_UI_SCRIPT_LINES_H
#define PERF_UI_SCRIPT_LINES_H

#include <stdbool.h>
#include "util/callchain/callchain.h"

struct script_lines;

/* Kept text may be read in whole units, and what is behind it means nothing. */
#define KEPT_UNIT 32

struct kept_text { /* until script_lines__empty() */
	const char *text;
	u32 len; /* less than 1 << 24 */
};

struct script_lines *script_lines__new(void); /* NULL: no memory */
void script_lines__delete(struct script_lines *l);

/* Keep a copy of a frame's line, to be found for it, if it has a number, by what prints the fields of mask. 0: there is no room. */
u64 script_lines__keep_frame(struct script_lines *l, const struct location *frame, u64 mask, const char *text, size_t len);
/* 0: it is not there. */
u64 script_lines__find_frame(const struct script_lines *l, const struct location *frame, u64 mask);

/* The same for the lines of several frames and a note, which may be NULL. */
u64 script_lines__keep(struct script_lines *l, struct chain_note *note, u64 mask, const char *text, size_t len);
u64 script_lines__find(const struct script_lines *l, const struct chain_note *note, u64 mask);

struct kept_text script_lines__text(const struct script_lines *l, u64 token);

/* Something was not kept since it was empty. */
bool script_lines__is_full(const struct script_lines *l);
/* No token holds any more. Single lines may stay while there is room for them. */
void script_lines__empty(struct script_lines *l);

#endif
