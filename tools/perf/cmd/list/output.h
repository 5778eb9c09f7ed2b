/* SPDX-License-Identifier: GPL-2.0 */
/* How perf list writes events: lines for a reader, JSON, or names for a shell. */
#ifndef PERF_CMD_LIST_OUTPUT_H
#define PERF_CMD_LIST_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "util/lib/types.h"

struct list_event {
	const char *name, *alias; /* alias: a second name, or NULL */
	const char *kind;	  /* "Software event" */
	const char *unit;	  /* the PMU; NULL: none */
	const char *help;	  /* what it counts; NULL: not known */
	const char *encoding;	  /* what the kernel is given; NULL: not known */
};

struct list_output;

struct list_output_opts {
	const char *path; /* NULL: the standard output */
	bool json, names; /* names: all in one line, separated by blanks */
	bool headings;	  /* lines: with a heading, and blank lines between kinds */
	bool help, encoding; /* lines: with what events count and are; JSON always has both */
};

/* Opens the file, and writes a heading. NULL with errno. */
struct list_output *list_output__new(const struct list_output_opts *opts);
void list_output__put(struct list_output *out, const struct list_event *event);
void list_output__end_kind(struct list_output *out);
/* 0, or -errno: something could not be written. */
int list_output__delete(struct list_output *out);

#endif
