/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of callchains as perf script printed them before: of single frames, found by their numbers (resolve.h), and lists of
 * them, found by the notes at chains (callchain.h). Bounded: when it is full it is to be emptied.
 */
#ifndef PERF_UI_SCRIPT_LINES_H
#define PERF_UI_SCRIPT_LINES_H

#include "util/callchain/callchain.h"

struct script_lines;

/* The text of a kept line may be read in whole units, and what is behind it means nothing. */
#define KEPT_UNIT 32

struct kept_lines { /* one after the other; until script_lines__empty() */
	u32 nr;
	struct {
		u32 len;
		s32 text; /* from the address of the list */
	} line[];
};

static inline const char *kept_lines__text(const struct kept_lines *lines, u32 i)
{
	return (const char *)lines + lines->line[i].text;
}

struct script_lines *script_lines__new(void); /* NULL: no memory */
void script_lines__delete(struct script_lines *l);

/* Keep a copy of a line, as a list of it alone. NULL: there is no room. */
const struct kept_lines *script_lines__keep(struct script_lines *l, const char *text, size_t len);
/* The line, which is kept, is to be found for the frame, if that has a number, by what prints the fields of mask. */
void script_lines__note_frame(struct script_lines *l, const struct location *frame, u64 mask, const struct kept_lines *line);
/* NULL: it is not there. The line itself is not looked at, which takes longer than finding it. */
const struct kept_lines *script_lines__find_frame(const struct script_lines *l, const struct location *frame, u64 mask);

/* Keep a list of nr lines that are kept, for the note. NULL: there is no room. */
const struct kept_lines *script_lines__keep_list(struct script_lines *l, struct chain_note *note, u64 mask,
						 const struct kept_lines *const *line, u32 nr);
/* note may be NULL. NULL: it is not there. */
const struct kept_lines *script_lines__find_list(const struct script_lines *l, const struct chain_note *note, u64 mask);

/* Something was not kept since it was empty. */
bool script_lines__is_full(const struct script_lines *l);
void script_lines__empty(struct script_lines *l);

#endif
