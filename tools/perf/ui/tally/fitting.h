/* SPDX-License-Identifier: GPL-2.0 */
/* Tables that are printed again and again. */
#ifndef PERF_UI_TALLY_FITTING_H
#define PERF_UI_TALLY_FITTING_H

#include <stdbool.h>
#include <stdio.h>

/* The columns of the terminal; 0: it has no size, or is none. */
int fitting__width(FILE *fp);

/* On a terminal in place of what is there: as many rows as fit, or all_rows, each cut at its edge so that it stays one line. */
void fitting__print(FILE *fp, const char *text, bool terminal, bool all_rows);

#endif
