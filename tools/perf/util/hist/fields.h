/* SPDX-License-Identifier: GPL-2.0 */
/* A layout is the choice of columns and of their order that -s and -F make; names and rules are those of perf report. */
#ifndef PERF_HIST_FIELDS_H
#define PERF_HIST_FIELDS_H

#include "util/hist/keys.h"
#include "util/lib/errmsg.h"

#define HIST_MAX_COLUMNS 32

struct hist_column {
	const struct hist_key *key;
	u16 width;	/* at least */
	u8 slot;	/* of a HIST_KEY_VALUE: which of the entry's values it is */
	u8 level;	/* of keys: which place they have in a hierarchy, from 0 on; those between braces share one */
	bool raw;	/* of a tracepoint's field: the value as it is, not in words */
	bool hidden;	/* of a key: it tells entries apart, but has no column, and says nothing of their order */
	u16 user_width;	/* exactly; 0: as wide as need be */
	char field[64]; /* of a tracepoint; "": key is another one */
	char event[64]; /* "sys:name" of the tracepoint that has it; "": any */
};

struct hist_column_list {
	u32 nr;
	struct hist_column at[HIST_MAX_COLUMNS];
};

struct hist_layout {
	struct hist_column_list columns; /* from left to right */
	struct hist_column_list sort;	 /* first decides first; all of columns are in it */
	u8 nr_values;			 /* slots of entries */
	bool own_columns;		 /* -F was given: no columns of our own choice */
	bool by_place;			 /* a column is HIST_KEY_PLACE */
	bool has_modes;			 /* a column is HIST_KEY_MODE */
};

enum hist_latency { /* the column of that name, without -F */
	HIST_LATENCY_NONE,
	HIST_LATENCY_SHOWN, /* behind the other percentages */
	HIST_LATENCY_FIRST, /* and deciding the order */
};

struct hist_layout_opts {
	const char *sort;	/* -s, or NULL for default_sort; "+key,..." adds to that */
	const char *fields;	/* -F, or NULL; the same */
	const char *default_sort; /* "comm,dso,symbol" */
	bool children;		/* the columns Children and Self instead of Overhead */
	enum hist_latency latency;
	bool show_samples, show_period, show_modes; /* -n, --show-total-period, --show-cpu-utilization */
	bool nanoseconds;	/* of the key time */
	bool memory;		/* --mem-mode */
	bool branches;		/* samples are branches */
	const char *arch;	/* of the machine that was recorded, as uname(2) names it; NULL: unknown */
	/* How wide a column the values of a field want at least; -1: no tracepoint ("sys:name", or "" for any) has it. Or NULL. */
	int (*field_width)(void *data, const char *event, const char *field);
	void *data;
};

/* 0, -ENOMEM, or -EINVAL with err naming the wrong key and the ones there are. */
int hist_layout__init(struct hist_layout *layout, const struct hist_layout_opts *opts, struct errmsg *err);

/* Take away the columns of tracepoint's fields that opts->field_width() does not know for opts->data: of one of several events. */
void hist_layout__drop_fields(struct hist_layout *layout, const struct hist_layout_opts *opts);

/* Add a key behind the others, unless it is there. 0 or -EINVAL. */
int hist_layout__add_key(struct hist_layout *layout, const char *key, struct errmsg *err);
/* The columns from left to right get these widths; 0 and what is missing: as wide as need be. */
void hist_layout__set_widths(struct hist_layout *layout, const u16 *width, u32 nr);
/* Keep a key, but neither its column nor its say in the order, as perf. */
void hist_layout__hide(struct hist_layout *layout, const char *key);

/* Is a column of that key (not HIST_KEY_FIELD) in the list? By its name. */
bool hist_column_list__has(const struct hist_column_list *list, const char *key);

/* The same column, of the same field; NULL: it is not there. */
const struct hist_column *hist_column_list__find(const struct hist_column_list *list, const struct hist_column *column);

#endif
