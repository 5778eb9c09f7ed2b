/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache of the lines of callchains in perf script's output: of single frames, by their numbers (resolve.h), and of callers,
 * by those of callchain.h. Bounded: empty it when it is full.
 *
 * Kept text has a token, which includes its length: passing it on does not read the text, which may be out of the CPU cache.
 */
#ifndef PERF_UI_SCRIPT_LINES_H
#define PERF_UI_SCRIPT_LINES_H

#include <stdbool.h>
#include "util/callchain/callchain.h"

struct script_lines;

/* Kept text may be read in whole units; the bytes after it are undefined. */
#define KEPT_UNIT 32

struct kept_text { /* valid until script_lines__empty() */
	const char *text;
	u32 len; /* less than 1 << 24 */
};

struct script_lines *script_lines__new(void); /* NULL: no memory */
void script_lines__delete(struct script_lines *l);

/* Keep a copy of a frame's line, for the output with the fields in mask; found later by the frame's number, not 0. 0: no space. */
u64 script_lines__keep_frame(struct script_lines *l, u32 number, u64 mask, const char *text, size_t len);
/* 0: not kept. */
u64 script_lines__find_frame(const struct script_lines *l, u32 number, u64 mask);

/* The same for the lines of several frames; callers 0: they are not found again. */
u64 script_lines__keep(struct script_lines *l, u32 callers, u64 mask, const char *text, size_t len);
u64 script_lines__find(const struct script_lines *l, u32 callers, u64 mask);

struct kept_text script_lines__text(const struct script_lines *l, u64 token);

/* Something could not be kept since the last time it was emptied. */
bool script_lines__is_full(const struct script_lines *l);
/* Invalidate all tokens. Single lines may stay while there is space for them. */
void script_lines__empty(struct script_lines *l);

#endif
