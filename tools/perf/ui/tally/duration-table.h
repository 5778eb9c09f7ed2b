/* SPDX-License-Identifier: GPL-2.0 */
/* The histogram of perf ftrace latency, in the layout of other perfs. */
#ifndef PERF_UI_TALLY_DURATION_TABLE_H
#define PERF_UI_TALLY_DURATION_TABLE_H

#include <stdbool.h>
#include <stdio.h>
#include "util/source/tally.h"

struct duration_table_opts {
	bool in_ns;	  /* otherwise in us */
	bool hide_empty;
	u64 range;	  /* in that unit: the width of linear buckets; 0: buckets are powers of two */
	u64 min, max;	  /* of linear buckets; max 0: there are as many as there are powers of two */
};

#define DURATION_BUCKETS 22

struct duration_table;

struct duration_table *duration_table__new(const struct duration_table_opts *opts); /* NULL: no memory */
void duration_table__delete(struct duration_table *t);			       /* NULL is allowed */
void duration_table__add(struct duration_table *t, const struct tally_row *row);
u64 duration_table__count(const struct duration_table *t);
void duration_table__clear(struct duration_table *t);
void duration_table__print(const struct duration_table *t, FILE *fp);
void duration_table__print_statistics(const struct duration_table *t, FILE *fp);

#endif
