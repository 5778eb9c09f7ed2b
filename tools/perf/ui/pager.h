/* SPDX-License-Identifier: GPL-2.0 */
/* Shows long text on a terminal in a pager, like other perfs. */
#ifndef PERF_UI_PAGER_H
#define PERF_UI_PAGER_H

#include <stdbool.h>

/*
 * Start a pager for the standard output, and for the standard error output if that is a terminal, too; the program ends when the
 * pager does. The pager is, in this order, PERF_PAGER, configured (a command, or "false"; NULL: not configured), PAGER, or an
 * installed one. Does nothing if the output is no terminal that can scroll, and at the second call.
 */
void pager__start(const char *configured);

void pager__prefer(void); /* from now on a configured "false" does not count */

bool pager__shows_errors(void);

/* For signal handlers: close the output, and wait until the pager, if there is one, has ended. */
void pager__finish(void);

#endif
