/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of a text of symbols, which is read piece by piece: it may be longer than memory, and so may what stands between newlines. */
#ifndef PERF_SYMBOL_TEXT_LINES_H
#define PERF_SYMBOL_TEXT_LINES_H

#include "util/lib/types.h"

#define MAX_TEXT_LINE 16384 /* longer ones are left out */

/*
 * Show each line of fd, without its newline, to cb, which may change it, until that returns something else than 0, which is returned then;
 * or -errno. At most max bytes are read: -E2BIG if there are more.
 */
int text_lines__for_each(int fd, u64 max, int (*cb)(void *data, char *line), void *data);

#endif
