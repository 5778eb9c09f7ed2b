/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys and columns of a histogram: one table row for each. A row is a sum over samples, or a key: entries are separate if its
 * value differs. Most keys are values that are read from the sample into the entry; the row alone defines them.
 */
#ifndef PERF_HIST_KEYS_H
#define PERF_HIST_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

struct hist_column;
struct hist_entry;
struct hist_reading;

enum hist_key_kind {
	HIST_KEY_SUM,	/* no key, a sum */
	HIST_KEY_OWN,	/* compares members of the entry */
	HIST_KEY_VALUE, /* a struct hist_value */
};

enum hist_key_flags {
	HIST_KEY_RIGHT = 1,	 /* align numbers and the title to the right */
	HIST_KEY_DESCENDING = 2, /* when sorted by number: largest first */
	HIST_KEY_PLACE = 4,	 /* of the code's address: callers have their own value, not the sample's */
	HIST_KEY_MEMORY = 8,	 /* with --mem-mode only */
	HIST_KEY_BRANCH = 128,	 /* for branches only */
	HIST_KEY_DATA_TYPE = 1024, /* for builds with a disassembler only */
	HIST_KEY_TEXT_DOWN = 512, /* like BY_TEXT, but in reverse: values without a text first; then by number */
	HIST_KEY_NAMED_FIRST = 256, /* values without a text come after all that have one, by number */
	HIST_KEY_BY_TEXT = 64,	 /* sort by text, whatever the number */
	HIST_KEY_FIXED = 32,	 /* wider texts overflow the column */
	HIST_KEY_FIELD = 16,	 /* a field of a tracepoint; the column has the field's name */
	HIST_KEY_MODE = 4096,	 /* periods of one cpumode */
	HIST_KEY_TOTAL = 8192,	 /* sums that include the callees of callers */
	HIST_KEY_ANYWHERE = 16384, /* not of the code's address: needs neither symbols nor maps */
	HIST_KEY_COMPARED = 32768, /* of one file of a comparison, see compare.h; the column has a title of its own */
	HIST_KEY_RAW = 65536,	 /* of the sample's raw data alone */
	HIST_KEY_OPEN = 2048,	 /* does not pad its text as the last column; other columns do, as in perf */
};

struct hist_value { /* two entries are one if both are equal; sorted by number (signed, as in perf), then by text */
	u64 number;
	const char *text;  /* NULL or interned */
	const char *shown; /* NULL or interned; what to show instead of text */
};

struct hist_cell { /* a cell of a column, to be printed */
	const struct hist_entry *entry;
	const struct hist_column *column;
	const struct hist_value *value; /* for HIST_KEY_VALUE */
	u64 total;			/* for the key children: entry's period including callees */
	int width;			/* 0: as narrow as possible */
};

struct hist_key {
	const char *name, *alias; /* as used in -s and -F */
	const char *title;
	u8 width; /* minimum width of the column */
	u32 flags;
	enum hist_key_kind kind;
	/* HIST_KEY_OWN: 0 if two entries are one. HIST_KEY_SUM: NULL. */
	int (*identity)(const struct hist_entry *a, const struct hist_entry *b);
	/* Sort order; NULL: as identity */
	int (*order)(const struct hist_entry *a, const struct hist_entry *b);
	/* HIST_KEY_OWN: entries that are one have the same hash. NULL: that of the number. */
	u64 (*hash)(const struct hist_entry *entry);
	/* HIST_KEY_OWN: what entries are sorted by: a text, those that have none (NULL) last, or a number. The other one is NULL. */
	const char *(*text)(const struct hist_entry *entry);
	s64 (*number)(const struct hist_entry *entry);
	/* HIST_KEY_VALUE: fill value, which is zeroed. 0 or -ENOMEM. */
	int (*read)(const struct hist_reading *from, struct hist_value *value);
	/* As snprintf(). NULL: print the value's shown or text, aligned to the left. */
	int (*print)(char *buf, size_t size, const struct hist_cell *cell);
	/* Width of the cell; NULL: the width of what print() prints. */
	int (*measure)(const struct hist_entry *entry);
	/* HIST_KEY_COMPARED: sort order, as order */
	int (*compare)(const struct hist_column *column, const struct hist_entry *a, const struct hist_entry *b);
};

extern const struct hist_key hist_keys[]; /* ends with a row without a name */
extern const struct hist_key hist_field_key; /* for columns that are a tracepoint's field */

/* Find a key by name or alias; NULL: not found. */
const struct hist_key *hist_key__find(const char *name, size_t len);

#endif
