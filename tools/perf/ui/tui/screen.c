// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/screen.h"

#include <locale.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/printable.h"
#include "util/lib/types.h"

#define WAIT_MSEC 500

SCREEN *screen__open(void)
{
	SCREEN *screen;

	setlocale(LC_CTYPE, "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return NULL;
	cbreak();
	noecho();
	keypad(stdscr, true);
	set_escdelay(50);
	if (has_colors()) {
		start_color();
		use_default_colors();
		init_pair(SCREEN_HIGH, COLOR_RED, -1);
		init_pair(SCREEN_SOME, COLOR_GREEN, -1);
	}
	return screen;
}

void screen__close(SCREEN *screen)
{
	endwin();
	delscreen(screen);
}

static const struct screen_live *live;

void screen__set_live(const struct screen_live *of)
{
	live = of;
}

/*
 * Not to be slept for without end: a change of the terminal's size that comes between ncurses' look at it and the read, or to another
 * thread, interrupts nothing.
 */
static int wait_key(bool for_news)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = live && for_news ? live->fd : -1, .events = POLLIN } };
	int key, nr;

	for (;;) {
		timeout(0);
		key = getch();
		if (key != ERR)
			return key;
		if (live)
			live->unlock(live->data);
		nr = poll(fds, ARRAY_SIZE(fds), WAIT_MSEC);
		if (live)
			live->lock(live->data);
		if (live && live->is_over(live->data))
			return ERR;
		if (nr > 0 && fds[0].revents)
			return getch(); /* ERR: it is gone */
		if (nr > 0 && fds[1].revents)
			return SCREEN_NEWS;
	}
}

int screen__wait_key(void)
{
	return wait_key(true);
}

int screen__wait_only_key(void)
{
	return wait_key(false);
}

void screen__put_line(int y, const char *text, int column)
{
	char clean[4096];

	snprintf(clean, sizeof(clean), "%s", text);
	printable__clean(clean); /* names come from anywhere */
	move(y, 0);
	clrtoeol();
	if (strlen(clean) > (size_t)column)
		addnstr(clean + column, COLS);
}

void screen__put_foot(const char *text)
{
	attron(A_REVERSE);
	screen__put_line(LINES - 1, text, 0);
	for (int x = strlen(text); x < COLS; x++)
		addch(' ');
	attroff(A_REVERSE);
}

void screen__edit(char *text, int size, int key)
{
	int len = strlen(text);

	if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && len)
		text[len - 1] = '\0';
	else if (key >= ' ' && key < 256 && key != 127 && len + 1 < size)
		memcpy(text + len, (char[]){ key, '\0' }, 2);
}

enum screen_ask screen__ask(const char *prompt, char *text, int size)
{
	char typed[256] = "";
	int key;

	for (;;) {
		mvprintw(LINES - 1, 0, "%s%s", prompt, typed);
		clrtoeol();
		refresh();
		key = screen__wait_only_key();
		if (key == ERR)
			return SCREEN_ASK_GONE;
		if (key == KEY_ESCAPE)
			return SCREEN_ASK_LEFT;
		if (key == '\n' || key == KEY_ENTER)
			break;
		screen__edit(typed, size < (int)sizeof(typed) ? size : (int)sizeof(typed), key);
	}
	if (*typed)
		memcpy(text, typed, strlen(typed) + 1);
	return SCREEN_ASK_DONE;
}
