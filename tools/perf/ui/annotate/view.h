/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Annotated code as rows: shares, offsets of what is jumped to, instructions with short operands, and source lines where they are asked
 * for. Knows nothing about a terminal; perf annotate --stdio2 prints all rows, the browser for code draws some.
 */
#ifndef PERF_UI_ANNOTATE_VIEW_H
#define PERF_UI_ANNOTATE_VIEW_H

#include <stdio.h>
#include "ui/annotate/annotated.h"

enum code_view_flag {
	CODE_VIEW_SOURCE = 1,	  /* source lines, too */
	CODE_VIEW_PLAIN = 2,	  /* instructions as the disassembler prints them */
	CODE_VIEW_ADDRESSES = 4,  /* in place of offsets, in all rows */
	CODE_VIEW_NUMBERS = 8,	  /* of source lines */
	CODE_VIEW_JUMPS = 16,	  /* how many jumps go to a row */
	CODE_VIEW_CALL_OFFSETS = 32, /* offsets of calls, too */
	CODE_VIEW_ALL_OFFSETS = 64,
	CODE_VIEW_ASCII = 128,	  /* arrows for terminals without UTF-8 */
};

#define CODE_VIEW_NONE (~0u)

struct code_view;

/* a must outlive it. NULL: no memory. */
struct code_view *code_view__new(const struct annotated *a, unsigned int flags);
void code_view__delete(struct code_view *view);

/* Show other rows, or the same ones otherwise. Returns where a row is now, or what comes next. */
u32 code_view__set_flags(struct code_view *view, unsigned int flags, u32 row);
/* Sort the hottest instructions anew: after annotated__count() and after another percent was chosen. */
void code_view__recount(struct code_view *view);

bool code_view__has_source(const struct code_view *view); /* are source lines among the rows? */
/* The offset in the function of a row, and the row of an offset: source lines are as the next instruction. */
u64 code_view__offset(const struct code_view *view, u32 row);
u32 code_view__row_at(const struct code_view *view, u64 offset);

u32 code_view__nr(const struct code_view *view);
/* The row's text, into buf; returns buf. */
char *code_view__text(const struct code_view *view, u32 row, char *buf, size_t size);
/* The largest share of its events, for its colour; negative: it is no instruction. */
double code_view__percent(const struct code_view *view, u32 row);
/* The row that it jumps to, else NONE. */
u32 code_view__target(const struct code_view *view, u32 row);
/* The name of the function that is called there, into buf; NULL: none is, or it is not known. */
char *code_view__callee(const struct code_view *view, u32 row, char *buf, size_t size);
/* The row of the hottest instruction, of the one after it, ...; NONE: no more have samples. */
u32 code_view__hottest(const struct code_view *view, u32 rank);
/* The next row with a text, or the one before; NONE: there is none. Upper and lower case are the same. */
u32 code_view__find(const struct code_view *view, const char *text, u32 row, bool backwards);
/* Where the arrows of jumps stand in texts: a column, in characters. */
int code_view__arrow_column(const struct code_view *view);

/* All rows, without blanks at their ends. */
void code_view__fprintf(const struct code_view *view, FILE *fp);

#endif
