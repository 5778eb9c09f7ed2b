/* SPDX-License-Identifier: GPL-2.0 */
/* Long text on a terminal goes through a pager, as with other perfs. */
#ifndef PERF_UI_PAGER_H
#define PERF_UI_PAGER_H

#include <stdbool.h>

/*
 * Let a pager show what is written to the standard output, and what goes to the standard error output if that is a terminal, too;
 * the program ends when the pager does. Which one is said by PERF_PAGER, configured (a command, or "false"; NULL: nothing was
 * configured), PAGER, and what is installed. Does nothing where the output is no terminal that can scroll, and the second time.
 */
void pager__start(const char *configured);

bool pager__shows_errors(void);

/* For signal handlers: say that all is written, and wait until the pager, if there is one, has ended. */
void pager__finish(void);

#endif
