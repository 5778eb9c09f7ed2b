/* SPDX-License-Identifier: GPL-2.0 */
/* The lines of a text with symbols, read piece by piece: the text may be longer than memory, and so may a single line. */
#ifndef PERF_SYMBOL_TEXT_LINES_H
#define PERF_SYMBOL_TEXT_LINES_H

#include "util/lib/types.h"

#define MAX_TEXT_LINE 16384 /* longer lines are skipped */

/*
 * Call cb for each line of fd, without its newline, until it returns non-zero; cb may modify the line. Returns that value, or
 * -errno. Reads at most max bytes: -E2BIG if there are more.
 */
int text_lines__for_each(int fd, u64 max, int (*cb)(void *data, char *line), void *data);

#endif
