// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/help.h"

#include <string.h>

#include "ui/tui/screen.h"

#define INDENT 2
#define KEYS_COLUMNS 34 /* where the text behind the keys begins */

static int help_lines(void)
{
	return LINES - 2 > 0 ? LINES - 2 : 1;
}

/* How much of a text fits into this width: whole words, if there is one. */
static int fitting_length(const char *text, int width)
{
	int len = strlen(text), end;

	if (len <= width)
		return len;
	for (end = width; end > 0 && text[end] != ' ';)
		end--;
	return end ?: width;
}

/* Draw one line of the text as the lines from y on, those of the screen's; returns how many it takes. */
static int draw_text(const char *line, int y)
{
	int column = COLS - INDENT > 2 * KEYS_COLUMNS ? KEYS_COLUMNS : INDENT, nr = 0, x = 0;

	do {
		int width = COLS - INDENT - x > 1 ? COLS - INDENT - x : 1, len = fitting_length(line, width);

		if (y + nr >= 1 && y + nr <= help_lines())
			mvaddnstr(y + nr, INDENT + x, line, len);
		line += len;
		line += strspn(line, " ");
		x = column;
		nr++;
	} while (*line);
	return nr;
}

/* From its line top on; the last line of the screen tells how to go on. Returns how many lines there are. */
static int draw_help(const char *const *line, int nr, int top)
{
	int y = 1 - top;

	erase();
	for (int i = 0; i < nr; i++)
		y += draw_text(line[i], y);
	nr = y - 1 + top;
	mvaddnstr(LINES - 1, 0, nr <= help_lines() ? "any key: back" : "Up, Down: scroll; any other key: back", COLS);
	refresh();
	return nr;
}

void help__show(const char *const *line, int nr)
{
	int top = 0, last;

	for (;;) {
		last = draw_help(line, nr, top) - help_lines();
		if (top > last && top > 0) {
			top = last > 0 ? last : 0;
			continue;
		}
		switch (screen__wait_only_key()) {
		case KEY_RESIZE:
			break;
		case KEY_UP: case 'k':
			top -= top > 0;
			break;
		case KEY_DOWN: case 'j':
			top++;
			break;
		case KEY_PPAGE:
			top = top > help_lines() ? top - help_lines() : 0;
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
