/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a histogram can group by and show: one row of a table for each. A row is a sum over samples, or a key that entries with
 * the same value share. Most keys are values that are read from the sample into the entry, and all else follows from the row.
 */
#ifndef PERF_HIST_KEYS_H
#define PERF_HIST_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

struct hist_entry;
struct hist_reading;

enum hist_key_kind {
	HIST_KEY_SUM,	/* no key: added up */
	HIST_KEY_OWN,	/* compares parts of the entry */
	HIST_KEY_VALUE, /* a struct hist_value */
};

enum hist_key_flags {
	HIST_KEY_RIGHT = 1,	 /* numbers and the title stand at the right */
	HIST_KEY_DESCENDING = 2, /* where the order is the keys': largest first */
	HIST_KEY_PLACE = 4,	 /* of the code's address: a caller has its own value, not the sample's */
	HIST_KEY_MEMORY = 8,	 /* with --mem-mode only */
	HIST_KEY_BRANCH = 128,	 /* of branches only */
	HIST_KEY_DATA_TYPE = 1024, /* for builds with a disassembler only */
	HIST_KEY_TEXT_DOWN = 512, /* as BY_TEXT, but the other way round: without a text first; then by number */
	HIST_KEY_NAMED_FIRST = 256, /* where a value has no text, its number comes behind all that have one */
	HIST_KEY_BY_TEXT = 64,	 /* in the order of its text, whatever the number */
	HIST_KEY_FIXED = 32,	 /* what is wider stands over */
	HIST_KEY_FIELD = 16,	 /* of a tracepoint, whose name the column has */
	HIST_KEY_MODE = 4096,	 /* of the periods of a cpumode */
	HIST_KEY_TOTAL = 8192,	 /* of what callers have of their callees, too */
	HIST_KEY_OPEN = 2048,	 /* as the last column it ends with its text; others are filled with blanks there, too, as in perf */
};

struct hist_value { /* entries are one if both are equal, and are ordered by number (signed, as perf), then text */
	u64 number;
	const char *text;  /* NULL or interned */
	const char *shown; /* NULL or interned; if text is not what is shown */
};

struct hist_cell { /* of a column, that is to be printed */
	const struct hist_entry *entry;
	const struct hist_value *value; /* of a HIST_KEY_VALUE */
	u64 total;			/* of the key children: entry's period with that of callees */
	int width;			/* 0: as narrow as can be */
};

struct hist_key {
	const char *name, *alias; /* in -s and -F */
	const char *title;
	u8 width; /* of the column, at least */
	u16 flags;
	enum hist_key_kind kind;
	/* Of HIST_KEY_OWN: which entries are one. Of HIST_KEY_SUM: NULL. */
	int (*identity)(const struct hist_entry *a, const struct hist_entry *b);
	/* Which comes first; NULL: as identity */
	int (*order)(const struct hist_entry *a, const struct hist_entry *b);
	/* Of HIST_KEY_OWN: the identity as one or two words. */
	u64 *(*put_words)(const struct hist_entry *entry, u64 *to);
	/* Of HIST_KEY_VALUE; value is zeroed. 0 or -ENOMEM. */
	int (*read)(const struct hist_reading *from, struct hist_value *value);
	/* As snprintf(). NULL: the value's shown or text, at the left. */
	int (*print)(char *buf, size_t size, const struct hist_cell *cell);
	/* How wide the cell is; NULL: as print() says. */
	int (*measure)(const struct hist_entry *entry);
};

extern const struct hist_key hist_keys[]; /* up to one without a name */
extern const struct hist_key hist_field_key; /* of columns that are a tracepoint's field */

/* By name or alias; NULL: there is none. */
const struct hist_key *hist_key__find(const char *name, size_t len);

#endif
