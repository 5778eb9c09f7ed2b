/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a histogram groups by and shows. A field is either a key (entries with the same keys are one) or a number that is
 * added up. A layout is the choice of fields that -s and -F make; names and rules are those of perf report.
 */
#ifndef PERF_HIST_FIELDS_H
#define PERF_HIST_FIELDS_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

enum hist_field {
	HIST_OVERHEAD, /* numbers */
	HIST_OVERHEAD_CHILDREN,
	HIST_SAMPLE,
	HIST_PERIOD,
	HIST_COMM, /* keys from here on */
	HIST_DSO,
	HIST_SYM,
	HIST_PID, /* thread and its command name, called "pid" by perf */
	HIST_CPU,
	HIST_TRACE, /* the fields of a tracepoint, as text */
	HIST_NR_FIELDS,
};

struct hist_field_list {
	u32 nr;
	enum hist_field field[HIST_NR_FIELDS];
};

struct hist_layout {
	struct hist_field_list columns; /* from left to right */
	struct hist_field_list sort;	/* first decides first; all of columns are in it */
	bool own_columns;		/* -F was given: no columns of our own choice */
};

struct hist_layout_opts {
	const char *sort;	/* -s, or NULL for default_sort */
	const char *fields;	/* -F, or NULL */
	const char *default_sort; /* "comm,dso,symbol" */
	bool children;		/* the columns Children and Self instead of Overhead */
	bool show_samples, show_period; /* -n, --show-total-period */
};

/* 0, or -EINVAL with err naming the wrong key and the ones there are. */
int hist_layout__init(struct hist_layout *layout, const struct hist_layout_opts *opts, struct errmsg *err);

static inline bool hist_field__is_key(enum hist_field field)
{
	return field >= HIST_COMM;
}

bool hist_field_list__has(const struct hist_field_list *list, enum hist_field field);

#endif
