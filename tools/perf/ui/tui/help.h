/* SPDX-License-Identifier: GPL-2.0 */
/* A page of lines that tells the keys. */
#ifndef PERF_UI_TUI_HELP_H
#define PERF_UI_TUI_HELP_H

/* Until a key that does not scroll it. */
void help__show(const char *const *line, int nr);

#endif
