// SPDX-License-Identifier: GPL-2.0
/* Separate from browser.c, as <term.h> defines words like lines as macros. */
#include "ui/tui/browser.h"

#include <ncurses.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

bool browser__can_run(void)
{
	int error;

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && getenv("TERM") && setupterm(NULL, STDOUT_FILENO, &error) == OK &&
	       cursor_address;
}
