/* SPDX-License-Identifier: GPL-2.0 */
/* A page of texts of which the user chooses one. */
#ifndef PERF_UI_TUI_MENU_H
#define PERF_UI_TUI_MENU_H

#include <stddef.h>

#define MENU_LEFT (-1)	/* without a choice */
#define MENU_GONE (-2)	/* the terminal is gone */

/* Which of nr texts (at least one) is chosen, from 0 on, or one of the above. */
int menu__choose(const char *title, char *const *text, size_t nr);

#endif
