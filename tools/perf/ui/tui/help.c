// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/help.h"

#include "ui/tui/screen.h"

static int help_lines(void)
{
	return LINES - 2 > 0 ? LINES - 2 : 1;
}

/* From its line top on; the last line of the screen tells how to go on. */
static void draw_help(const char *const *line, int nr, int top)
{
	bool fits = nr <= help_lines();

	erase();
	for (int i = 0; i < help_lines() && top + i < nr; i++)
		mvaddnstr(1 + i, 2, line[top + i], COLS - 2);
	mvaddnstr(LINES - 1, 0, fits ? "any key: back" : "Up, Down: scroll; any other key: back", COLS);
	refresh();
}

void help__show(const char *const *line, int nr)
{
	int top = 0, last;

	for (;;) {
		last = nr - help_lines();
		if (top > last)
			top = last;
		if (top < 0)
			top = 0;
		draw_help(line, nr, top);
		switch (screen__wait_only_key()) {
		case KEY_RESIZE:
			break;
		case KEY_UP: case 'k':
			top--;
			break;
		case KEY_DOWN: case 'j':
			top++;
			break;
		case KEY_PPAGE:
			top -= help_lines();
			break;
		case KEY_NPAGE: case ' ':
			top += help_lines();
			break;
		default:
			erase();
			return;
		}
	}
}
