/* SPDX-License-Identifier: GPL-2.0 */
/* A layout is the choice and order of columns that -s and -F make; names and rules are those of perf report. */
#ifndef PERF_HIST_FIELDS_H
#define PERF_HIST_FIELDS_H

#include "util/hist/keys.h"
#include "util/lib/errmsg.h"

#define HIST_MAX_COLUMNS 32

struct hist_comparison;

struct hist_column {
	const struct hist_key *key;
	u16 width;	/* minimum width */
	u8 slot;	/* HIST_KEY_VALUE: index into the entry's values */
	u8 level;	/* keys: level in a hierarchy, from 0 on; keys in the same braces share one */
	bool raw;	/* tracepoint field: show the raw value, not in words */
	bool order_only; /* sorts entries, but has no column */
	bool hidden;	/* a key without a column: it separates entries, but does not sort them */
	u16 user_width;	/* exact width; 0: as wide as needed */
	u8 file;	/* HIST_KEY_COMPARED: index of the file */
	char field[64]; /* field name of a tracepoint, or title of a HIST_KEY_COMPARED; "": neither */
	char event[64]; /* "sys:name" of the field's tracepoint; "": any */
};

struct hist_column_list {
	u32 nr;
	struct hist_column at[HIST_MAX_COLUMNS];
};

struct hist_layout {
	struct hist_column_list columns; /* from left to right */
	struct hist_column_list sort;	 /* the first one is the primary key; contains all of columns */
	u8 nr_values;			 /* number of values of each entry */
	bool own_columns;		 /* -F was given: add no default columns */
	bool by_place;			 /* a column is HIST_KEY_PLACE */
	bool has_modes;			 /* a column is HIST_KEY_MODE */
};

enum hist_latency { /* the column of that name, without -F */
	HIST_LATENCY_NONE,
	HIST_LATENCY_SHOWN, /* behind the other percentages */
	HIST_LATENCY_FIRST, /* and deciding the order */
};

struct hist_layout_opts {
	const char *sort;	/* -s, or NULL for default_sort; "+key,..." extends default_sort */
	const char *fields;	/* -F, or NULL; "+" extends, too */
	const char *default_sort; /* "comm,dso,symbol" */
	bool children;		/* the columns Children and Self instead of Overhead */
	enum hist_latency latency;
	bool show_samples, show_period, show_modes; /* -n, --show-total-period, --show-cpu-utilization */
	bool nanoseconds;	/* for the key time */
	bool memory;		/* --mem-mode */
	bool branches;		/* samples are branches */
	const struct hist_comparison *comparison; /* its columns in place of the percentages; NULL: none */
	const char *arch;	/* machine of the recording, as in uname(2); NULL: unknown */
	/*
	 * Return the width that a field's values need at least; -1: no tracepoint ("sys:name", or "" for any) has the field. May be
	 * NULL.
	 */
	int (*field_width)(void *data, const char *event, const char *field);
	void *data;
};

/* 0, -ENOMEM, or -EINVAL with err naming the wrong key and the valid ones. */
int hist_layout__init(struct hist_layout *layout, const struct hist_layout_opts *opts, struct errmsg *err);

/* Remove the columns of tracepoint fields that opts->field_width() does not know for opts->data: for one of several events. */
void hist_layout__drop_fields(struct hist_layout *layout, const struct hist_layout_opts *opts);

/* Append a key unless it is there. 0 or -EINVAL. */
int hist_layout__add_key(struct hist_layout *layout, const char *key, struct errmsg *err);
/* Set the widths of the columns from left to right; 0 or a missing one: as wide as needed. */
void hist_layout__set_widths(struct hist_layout *layout, const u16 *width, u32 nr);
/* Keep a key to separate entries, but remove its column and do not sort by it, as perf does. */
void hist_layout__hide(struct hist_layout *layout, const char *key);

/* Does the list have a column with this key (not HIST_KEY_FIELD)? Compares names. */
bool hist_column_list__has(const struct hist_column_list *list, const char *key);

/* Find the same column, with the same field; NULL: not found. */
const struct hist_column *hist_column_list__find(const struct hist_column_list *list, const struct hist_column *column);

#endif
