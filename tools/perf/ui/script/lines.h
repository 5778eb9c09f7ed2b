/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache of the lines of callchains in perf script's output: of single frames, by their numbers (resolve.h), of what follows the address
 * in them, by the numbers of their code, and of callers, by those of callchain.h. Bounded: empty it when it is full.
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

/* Tokens of frames' lines, for the output with the fields in one mask. Valid until script_lines__empty(). */
struct frame_lines {
	u64 *token; /* NULL: no memory */
	u32 first, nr; /* of the numbers that have one */
};

#define FRAME_SEEN (1ULL << 63) /* for the caller: in the place of a token */

static inline u64 *frame_lines__at(const struct frame_lines *lines, u32 number)
{
	return lines->token && number && number - lines->first < lines->nr ? &lines->token[number - lines->first] : NULL;
}

/* 0 and FRAME_SEEN are none. */
static inline bool is_line(u64 token)
{
	return (s64)token > 0;
}

/* The token of a text without its first bytes. */
static inline u64 end_of_line(u64 token, u32 nr_before)
{
	return token + nr_before - ((u64)nr_before << 32);
}

struct frame_lines script_lines__frames(struct script_lines *l, u64 mask);
/* Keep a copy of a frame's line; found later by the frame's number, not 0. 0: no space. */
u64 script_lines__keep_frame(struct script_lines *l, u32 number, u64 mask, const char *text, size_t len);
/* The same for the end of lines, by the number of the code. */
u64 script_lines__keep_code(struct script_lines *l, u32 code, u64 mask, const char *text, size_t len);
/* Or what is kept already, as the end of a line. */
void script_lines__note_code(struct script_lines *l, u32 code, u64 mask, u64 token);
u64 script_lines__find_code(const struct script_lines *l, u32 code, u64 mask); /* 0: not kept. */

/* The same for the lines of several frames; callers 0: they are not found again. */
u64 script_lines__keep(struct script_lines *l, u32 callers, u64 mask, const char *text, size_t len);
u64 script_lines__find(const struct script_lines *l, u32 callers, u64 mask);

struct kept_text script_lines__text(const struct script_lines *l, u64 token);

/* Something could not be kept since the last time it was emptied. */
bool script_lines__is_full(const struct script_lines *l);
/*
 * Make room for more lines of callers, up to a limit, if those that are kept are a good part of the callers seen so far. false: there is none, or
 * it would not pay.
 */
bool script_lines__widen(struct script_lines *l, u32 nr_seen);
/* Callers seen are counted anew: their numbers are other callers' now. */
void script_lines__forget_callers(struct script_lines *l);
/* Invalidate all tokens. Single lines may stay while there is space for them. */
void script_lines__empty(struct script_lines *l);

#endif
