/* SPDX-License-Identifier: GPL-2.0 */
/* The table of perf lock contention, in the layouts of other perfs: scripts read them. */
#ifndef PERF_UI_LOCK_OUTPUT_H
#define PERF_UI_LOCK_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "ui/lock/rows.h"
#include "util/source/lock-opts.h"
#include "util/source/tally.h"

struct lock_output_opts {
	FILE *fp;
	enum lock_view view;
	enum lock_number columns[LOCK_NR_NUMBERS];
	unsigned int nr_columns;
	enum lock_number sort;
	unsigned int max_rows;	/* 0: all */
	const char *separator;	/* of fields, times are plain ns then; NULL: a table for people */
	bool name_first;	/* the layout of perf lock report: names, then numbers; for tasks and locks, without a separator */
	bool quiet;		/* neither header nor notes */
	bool stacks;		/* below each row */
	unsigned int interval;	/* ms for each round of rows; 0: there is one */
	enum lock_by by;
	bool futexes;		/* locks are those of user space */
	bool chosen_late;	/* notes are of all waits, not only of those in the rows */
};

int lock_output__rows(const struct lock_output_opts *opts, struct lock_rows *rows, const struct lock_frames *frames); /* 0 or -ENOMEM */
/* The layouts of perf lock info: tasks and their names; locks and theirs. 0 or -ENOMEM */
int lock_output__tasks(const struct lock_output_opts *opts, struct lock_rows *rows);
int lock_output__locks(const struct lock_output_opts *opts, struct lock_rows *rows);
/* What the rows lack, or hold besides, if there is anything to say. max_waits: -M, for the remedy. */
void lock_output__notes(const struct lock_output_opts *opts, const struct lock_totals *totals, const struct tally_counts *counts,
			unsigned int max_waits);

#endif
