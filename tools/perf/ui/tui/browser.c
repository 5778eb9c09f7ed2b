// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/browser.h"

#include <errno.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ui/tui/lines.h"

#define TITLE_LINES 2
#define SCROLL_COLUMNS 10
#define KEY_ESCAPE 27
#define WAIT_MSEC 500

enum color { COLOR_HIGH = 1, COLOR_SOME };

/* As in perf: 5 % is important, 0.5 % may be. */
#define HIGH_PERCENT 5.0
#define SOME_PERCENT 0.5

struct view { /* of one event; kept while others are shown */
	struct browser_lines *lines;
	u32 top, current;
	char filter[64];
};

struct browser {
	const struct browser_event *events;
	struct view *view;
	u32 nr, shown;
	int column; /* the first visible one */
	bool no_memory, over;
};

static const char *const help[] = {
	"Up, Down, PgUp, PgDn, Home, End   go through the lines",
	"Left, Right                       move the picture sideways",
	"Enter                             open or close what is below a line (+, -)",
	"e                                 open all of an entry's callchains",
	"C                                 close all callchains",
	"/                                 show only entries that have some text; empty: all",
	"Tab, Shift-Tab                    the next event, the one before",
	"?, h                              this page",
	"q, Esc                            end",
};

static struct view *browser__view(struct browser *b)
{
	return &b->view[b->shown];
}

static int page_lines(void)
{
	return LINES - TITLE_LINES - 1 > 0 ? LINES - TITLE_LINES - 1 : 1;
}

/* Keep the current line in the list, and on the page. */
static void view__settle(struct view *view)
{
	u32 nr = browser_lines__nr(view->lines), page = page_lines();

	if (view->current >= nr)
		view->current = nr ? nr - 1 : 0;
	if (view->top > view->current)
		view->top = view->current;
	if (view->current - view->top >= page)
		view->top = view->current - page + 1;
}

static void put_text(int y, const char *text, int column)
{
	size_t len = strlen(text);

	move(y, 0);
	clrtoeol();
	if (len > (size_t)column)
		addnstr(text + column, COLS);
}

static void draw_line(struct browser *b, u32 i, int y)
{
	struct view *view = browser__view(b);
	const struct browser_line *line = browser_lines__at(view->lines, i);
	double percent = browser_lines__percent(view->lines, i);
	attr_t attrs = i == view->current ? A_REVERSE : A_NORMAL;
	char text[4096];

	if (percent >= HIGH_PERCENT)
		attrs |= COLOR_PAIR(COLOR_HIGH);
	else if (percent >= SOME_PERCENT)
		attrs |= COLOR_PAIR(COLOR_SOME);
	text[0] = line->frame || !line->can_open ? ' ' : line->is_open ? '-' : '+';
	text[1] = ' ';
	browser_lines__text(view->lines, i, text + 2, sizeof(text) - 2);
	attron(attrs);
	put_text(y, text, b->column);
	attroff(attrs);
}

static void draw_title(struct browser *b)
{
	char text[4096];

	put_text(0, b->events[b->shown].title, 0);
	memcpy(text, "  ", 2);
	browser_lines__titles(browser__view(b)->lines, text + 2, sizeof(text) - 2);
	attron(A_BOLD);
	put_text(1, text, b->column);
	attroff(A_BOLD);
}

static void draw_foot(struct browser *b)
{
	struct view *view = browser__view(b);
	char text[256];

	if (*view->filter)
		snprintf(text, sizeof(text), "only \"%s\": %u lines; / and Enter: all", view->filter, browser_lines__nr(view->lines));
	else
		snprintf(text, sizeof(text), "? help  / filter  Enter open  %sq end", b->nr > 1 ? "Tab next event  " : "");
	attron(A_REVERSE);
	put_text(LINES - 1, text, 0);
	for (int x = strlen(text); x < COLS; x++)
		addch(' ');
	attroff(A_REVERSE);
}

static void draw(struct browser *b)
{
	struct view *view = browser__view(b);
	int y;

	view__settle(view);
	draw_title(b);
	for (y = 0; y < page_lines(); y++) {
		if (view->top + y < browser_lines__nr(view->lines))
			draw_line(b, view->top + y, TITLE_LINES + y);
		else
			put_text(TITLE_LINES + y, "", 0);
	}
	draw_foot(b);
	move(TITLE_LINES + view->current - view->top, 0);
	refresh();
}

/*
 * Get a key; ERR: the terminal is gone. Do not sleep forever: a resize between ncurses' check and the read, or a signal to another
 * thread, interrupts nothing.
 */
static int wait_key(void)
{
	struct pollfd terminal = { .fd = STDIN_FILENO };
	int key;

	while ((key = getch()) == ERR && !poll(&terminal, 1, 0))
		;
	return key;
}

static void show_help(void)
{
	erase();
	for (size_t i = 0; i < ARRAY_SIZE(help); i++)
		mvaddnstr(1 + i, 2, help[i], COLS - 2);
	mvaddnstr(LINES - 1, 0, "any key: back", COLS);
	refresh();
	wait_key();
	erase();
}

/* Filter entries while the text is typed; Esc restores the earlier filter. */
static void ask_filter(struct browser *b)
{
	struct view *view = browser__view(b);
	char before[sizeof(view->filter)];
	size_t len;
	int key = 0;

	memcpy(before, view->filter, sizeof(before));
	view->filter[0] = '\0';
	while (!b->no_memory && key != '\n' && key != KEY_ENTER) {
		b->no_memory = browser_lines__filter(view->lines, view->filter);
		draw(b);
		mvprintw(LINES - 1, 0, "/%s", view->filter);
		clrtoeol();
		refresh();
		key = wait_key();
		len = strlen(view->filter);
		if (key == KEY_ESCAPE || key == ERR) {
			memcpy(view->filter, before, sizeof(before));
			b->no_memory = browser_lines__filter(view->lines, view->filter);
			b->over |= key == ERR;
			return;
		}
		if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && len)
			view->filter[len - 1] = '\0';
		else if (key >= ' ' && key < 256 && key != 127 && len + 1 < sizeof(view->filter))
			memcpy(view->filter + len, (char[]){ key, '\0' }, 2);
	}
}

static void go(struct view *view, s64 by)
{
	s64 to = (s64)view->current + by, last = (s64)browser_lines__nr(view->lines) - 1;

	view->current = to < 0 || last < 0 ? 0 : to > last ? last : to;
}

static void change(struct browser *b, int key)
{
	struct view *view = browser__view(b);
	const struct browser_line *line;
	const struct hist_entry *entry;

	if (!browser_lines__nr(view->lines))
		return;
	line = browser_lines__at(view->lines, view->current);
	entry = line->entry;
	if (key == 'e') {
		b->no_memory = browser_lines__open_all(view->lines, view->current);
	} else if (key == 'C') {
		b->no_memory = browser_lines__close_all(view->lines);
		view->current = browser_lines__find(view->lines, entry);
	} else if (key == '\n' || key == KEY_ENTER || line->is_open == (key == '-')) {
		b->no_memory = browser_lines__toggle(view->lines, view->current);
	}
}

static void handle(struct browser *b, int key)
{
	struct view *view = browser__view(b);

	switch (key) {
	case KEY_UP: case 'k':
		return go(view, -1);
	case KEY_DOWN: case 'j':
		return go(view, 1);
	case KEY_PPAGE:
		return go(view, -page_lines());
	case KEY_NPAGE: case ' ':
		return go(view, page_lines());
	case KEY_HOME:
		return go(view, -(s64)view->current);
	case KEY_END:
		return go(view, browser_lines__nr(view->lines));
	case KEY_LEFT:
		b->column -= b->column >= SCROLL_COLUMNS ? SCROLL_COLUMNS : b->column;
		return;
	case KEY_RIGHT:
		b->column += SCROLL_COLUMNS;
		return;
	case '\t':
		b->shown = (b->shown + 1) % b->nr;
		return;
	case KEY_BTAB:
		b->shown = (b->shown + b->nr - 1) % b->nr;
		return;
	case '/':
		return ask_filter(b);
	case '?': case 'h': case KEY_F(1):
		return show_help();
	case '\n': case KEY_ENTER: case '+': case '-': case 'e': case 'C':
		return change(b, key);
	case KEY_RESIZE:
		erase();
		return;
	case 'q': case KEY_ESCAPE: case ERR: /* the terminal is gone */
		b->over = true;
	}
}

static SCREEN *open_screen(void)
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
	timeout(WAIT_MSEC);
	if (has_colors()) {
		start_color();
		use_default_colors();
		init_pair(COLOR_HIGH, COLOR_RED, -1);
		init_pair(COLOR_SOME, COLOR_GREEN, -1);
	}
	return screen;
}

static void browse(struct browser *b)
{
	while (!b->over && !b->no_memory) {
		draw(b);
		handle(b, wait_key());
	}
}

int browser__run(const struct browser_event *events, u32 nr, double min_percent, struct errmsg *err)
{
	struct browser b = { .events = events, .view = calloc(nr, sizeof(*b.view)), .nr = nr };
	SCREEN *screen;

	if (!browser__can_run()) {
		free(b.view);
		return errmsg__set(err, ENOTTY, "there is no terminal to draw on: take --stdio");
	}
	b.no_memory = !b.view;
	for (u32 i = 0; i < nr && !b.no_memory; i++) {
		b.view[i].lines = browser_lines__new(events[i].hists, min_percent);
		b.no_memory = !b.view[i].lines;
	}
	screen = b.no_memory ? NULL : open_screen();
	if (screen) {
		browse(&b);
		endwin();
		delscreen(screen);
	}
	for (u32 i = 0; b.view && i < nr; i++)
		browser_lines__delete(b.view[i].lines);
	free(b.view);
	if (b.no_memory)
		return errmsg__set(err, ENOMEM, "out of memory");
	return screen ? 0 : errmsg__set(err, ENOTTY, "cannot draw on this terminal: take --stdio");
}
