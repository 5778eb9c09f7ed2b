// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/menu.h"

#include <stdio.h>
#include <string.h>

#include "ui/tui/screen.h"
#include "util/lib/printable.h"

#define FIRST_LINE 2

static int nr_lines(void)
{
	return LINES - FIRST_LINE - 1 > 0 ? LINES - FIRST_LINE - 1 : 1;
}

/* Names of files may hold anything but a slash. */
static void draw_text(int y, int x, const char *text)
{
	char clean[4096];

	snprintf(clean, sizeof(clean), "%s", text);
	printable__clean(clean);
	mvaddnstr(y, x, clean, COLS - x);
}

static void draw(const char *title, char *const *text, int nr, int current, int *top)
{
	if (*top > current)
		*top = current;
	if (current - *top >= nr_lines())
		*top = current - nr_lines() + 1;
	erase();
	mvaddnstr(0, 0, title, COLS);
	for (int i = *top; i < nr && i - *top < nr_lines(); i++) {
		attrset(i == current ? A_REVERSE : A_NORMAL);
		draw_text(FIRST_LINE + i - *top, 2, text[i]);
	}
	attrset(A_NORMAL);
	screen__put_foot("Up, Down go  Enter choose  Esc back");
	move(FIRST_LINE + current - *top, 2);
	refresh();
}

int menu__choose(const char *title, char *const *text, size_t nr_texts)
{
	int nr = nr_texts, current = 0, top = 0;

	for (;;) {
		draw(title, text, nr, current, &top);
		switch (screen__wait_only_key()) {
		case KEY_UP: case 'k':
			current -= current > 0;
			break;
		case KEY_DOWN: case 'j':
			current += current < nr - 1;
			break;
		case KEY_HOME:
			current = 0;
			break;
		case KEY_END:
			current = nr - 1;
			break;
		case '\n': case KEY_ENTER:
			erase();
			return current;
		case KEY_ESCAPE: case 'q':
			erase();
			return MENU_LEFT;
		case ERR:
			return MENU_GONE;
		}
	}
}
