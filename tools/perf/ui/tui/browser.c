// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/browser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ui/tui/code.h"
#include "ui/tui/help.h"
#include "ui/tui/lines.h"
#include "ui/tui/menu.h"
#include "ui/tui/recordings.h"
#include "ui/tui/save.h"
#include "ui/tui/screen.h"
#include "util/lib/printable.h"
#include "util/perfdata/reader.h"

#define TITLE_LINES 2
#define SCROLL_COLUMNS 10

/* As in perf: 5 % is important, 0.5 % may be. */
#define HIGH_PERCENT 5.0
#define SOME_PERCENT 0.5

struct view { /* of one event; kept while others are shown */
	struct browser_lines *lines;
	u32 top, current;
	char filter[64];
};

struct browser {
	struct browser_event *events; /* stay where they are */
	struct view *view;
	u32 nr, max, shown;
	int column; /* the first one that is seen */
	const struct browser_opts *opts;
	struct code_browser code;
	char *other; /* recording that is to be shown in its place; NULL: none */
	char note[SAVED_NAME_MAX + 256]; /* stands in the last line until the next key; "": none */
	bool no_memory, over;
};

static const char *const help[] = {
	"Up, Down, PgUp, PgDn, Home, End   go through the lines",
	"Left, Right                       move the picture sideways",
	"Enter                             open or close what is below a line (+, -); else as a",
	"+, -                              open, close",
	"a                                 show the code of the function, with the samples of each instruction",
	"e                                 open all callchains of an entry",
	"E                                 open all callchains of all entries that are shown",
	"C                                 close all callchains",
	"/                                 show only entries that have some text; empty: all",
	"d                                 zoom into the shared object of an entry; again: out",
	"t                                 zoom into the thread of an entry; again: out",
	"Esc                               clear the text of /, then undo the last zoom, then ask to end",
	"P                                 print what is shown to a file perf.hist.N",
	"Tab, Shift-Tab                    the next event, the one before",
};

static const char *const help_recording[] = {
	"s                                 switch to another recording in this directory",
};

static const char *const help_end[] = {
	"?, h, F1                          this page",
	"q                                 end",
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

static void draw_line(struct browser *b, u32 i, int y)
{
	struct view *view = browser__view(b);
	double percent = browser_lines__percent(view->lines, i);
	attr_t attrs = i == view->current ? A_REVERSE : A_NORMAL;
	char text[4096];

	if (percent >= HIGH_PERCENT)
		attrs |= COLOR_PAIR(SCREEN_HIGH);
	else if (percent >= SOME_PERCENT)
		attrs |= COLOR_PAIR(SCREEN_SOME);
	text[0] = browser_lines__mark(view->lines, i);
	text[1] = ' ';
	browser_lines__text(view->lines, i, text + 2, sizeof(text) - 2);
	attron(attrs);
	screen__put_line(y, text, b->column);
	attroff(attrs);
}

/* The event, and what is zoomed into. */
static char *browser__title(struct browser *b, char *buf, size_t size)
{
	int len = snprintf(buf, size, "%s", b->events[b->shown].title);

	if (len < (int)size)
		browser_lines__zoom_text(browser__view(b)->lines, buf + len, size - len);
	return buf;
}

static void draw_title(struct browser *b)
{
	char text[4096];

	screen__put_line(0, browser__title(b, text, sizeof(text)), 0);
	memcpy(text, "  ", 2);
	browser_lines__titles(browser__view(b)->lines, text + 2, sizeof(text) - 2);
	attron(A_BOLD);
	screen__put_line(1, text, b->column);
	attroff(A_BOLD);
}

/* How many entries match the text of a search. */
static char *matches_text(const struct view *view, char *buf, size_t size)
{
	u32 nr = browser_lines__nr_entries(view->lines);

	snprintf(buf, size, "%u row%s match%s", nr, nr == 1 ? "" : "s", nr == 1 ? "es" : "");
	return buf;
}

static void draw_foot(struct browser *b)
{
	struct view *view = browser__view(b);
	char text[sizeof(b->note)], matches[32];

	if (*b->note)
		snprintf(text, sizeof(text), "%s", b->note);
	else if (*view->filter)
		snprintf(text, sizeof(text), "only \"%s\": %s; Esc: all", view->filter, matches_text(view, matches, sizeof(matches)));
	else
		snprintf(text, sizeof(text), "? help  / filter  Enter open  %sq end", b->nr > 1 ? "Tab next event  " : "");
	text[strcspn(text, "\n")] = '\0'; /* of a message with several lines the first says what is wrong */
	screen__put_foot(printable__clean(text));
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
			screen__put_line(TITLE_LINES + y, "", 0);
	}
	draw_foot(b);
	move(TITLE_LINES + view->current - view->top, 0);
	refresh();
}

/* Go where the current row is now; who looks at the first row goes on to do so. */
static int follow(struct view *view, const struct hists *hists)
{
	u32 row = view->current;
	struct browser_lines *lines = browser_lines__follow(view->lines, hists, &row);

	if (!lines)
		return -ENOMEM;
	browser_lines__delete(view->lines);
	view->lines = lines;
	if (view->current) {
		view->top = row > view->current - view->top ? row - (view->current - view->top) : 0;
		view->current = row;
	}
	return 0;
}

/* There are other rows now. */
static void take_news(void *data)
{
	struct browser *b = data;
	const struct browser_live *live = b->opts->live;
	const struct browser_event *events;
	u32 nr;

	live->take(live->data, &events, &nr);
	for (u32 i = 0; i < nr && !b->no_memory; i++) {
		if (i < b->nr) {
			b->no_memory = follow(&b->view[i], events[i].hists);
		} else {
			b->view[i].lines = browser_lines__new(events[i].hists, b->opts->min_percent);
			b->no_memory = !b->view[i].lines;
			b->nr += !b->no_memory;
		}
		b->events[i] = events[i];
	}
	if (b->opts->code)
		b->code.source.hits = b->opts->code->hits;
	if (!b->no_memory)
		live->taken(live->data);
}

/* The text so far, with the cursor behind it, and what it leaves. */
static void draw_question(const struct view *view)
{
	char matches[32];
	int x, y;

	mvprintw(LINES - 1, 0, "/%s", view->filter);
	getyx(stdscr, y, x);
	printw("    %s", matches_text(view, matches, sizeof(matches)));
	clrtoeol();
	move(y, x);
	refresh();
}

/* Entries are chosen while the text is typed; Esc leaves it as it was before. */
static void ask_filter(struct browser *b)
{
	struct view *view = browser__view(b);
	char before[sizeof(view->filter)];
	int key = 0;

	memcpy(before, view->filter, sizeof(before));
	view->filter[0] = '\0';
	while (!b->no_memory && key != '\n' && key != KEY_ENTER) {
		b->no_memory = browser_lines__filter(view->lines, view->filter);
		draw(b);
		draw_question(view);
		key = screen__wait_key();
		if (key == SCREEN_NEWS)
			take_news(b);
		if (key == KEY_ESCAPE || key == ERR) {
			memcpy(view->filter, before, sizeof(before));
			b->no_memory = browser_lines__filter(view->lines, view->filter);
			b->over |= key == ERR;
			return;
		}
		screen__edit(view->filter, sizeof(view->filter), key);
	}
}

static void go(struct view *view, s64 by)
{
	s64 to = (s64)view->current + by, last = (s64)browser_lines__nr(view->lines) - 1;

	view->current = to < 0 || last < 0 ? 0 : to > last ? last : to;
}

static void zoom(struct browser *b, enum browser_zoom kind)
{
	struct view *view = browser__view(b);
	int ret = browser_lines__zoom(view->lines, kind, view->current);

	if (ret == -ENOENT)
		snprintf(b->note, sizeof(b->note), "No zoom: no column tells the %s. Start with -s %s,...",
			 kind == BROWSER_ZOOM_DSO ? "shared object" : "thread", kind == BROWSER_ZOOM_DSO ? "dso" : "comm");
	else
		b->no_memory = ret;
}

static void change(struct browser *b, int key)
{
	struct view *view = browser__view(b);
	const struct browser_line *line;
	const struct hist_entry *entry;
	bool whole = strchr("ECdt", key); /* lines come or go above this one, too */

	if (!browser_lines__nr(view->lines))
		return;
	line = browser_lines__at(view->lines, view->current);
	entry = line->entry;
	if (key == 'e')
		b->no_memory = browser_lines__open_entry(view->lines, view->current);
	else if (key == 'E')
		b->no_memory = browser_lines__open_all(view->lines);
	else if (key == 'C')
		b->no_memory = browser_lines__close_all(view->lines);
	else if (key == 'd' || key == 't')
		zoom(b, key == 'd' ? BROWSER_ZOOM_DSO : BROWSER_ZOOM_THREAD);
	else if (key == '\n' || key == KEY_ENTER || line->is_open == (key == '-'))
		b->no_memory = browser_lines__toggle(view->lines, view->current);
	if (whole)
		view->current = browser_lines__find(view->lines, entry);
}

/* Esc is pressed once too often soon. */
static void ask_end(struct browser *b)
{
	int key;

	snprintf(b->note, sizeof(b->note), "%s", "End? Enter, y: yes; any other key: no");
	do {
		draw(b);
		key = screen__wait_key();
		if (key == KEY_RESIZE)
			erase();
		if (key == SCREEN_NEWS)
			take_news(b);
	} while (key == KEY_RESIZE || key == SCREEN_NEWS);
	b->note[0] = '\0';
	b->over = key == '\n' || key == KEY_ENTER || key == 'y' || key == 'Y' || key == 'q' || key == ERR;
}

/* Back by one step: from the search, from the last zoom, from all. */
static void go_back(struct browser *b)
{
	struct view *view = browser__view(b);
	const struct hist_entry *entry = browser_lines__nr(view->lines) ? browser_lines__at(view->lines, view->current)->entry : NULL;
	int ret;

	if (*view->filter) {
		view->filter[0] = '\0';
		ret = browser_lines__filter(view->lines, "");
	} else {
		ret = browser_lines__unzoom(view->lines);
	}
	if (ret == -ENOENT)
		return ask_end(b);
	b->no_memory = ret;
	if (entry)
		view->current = browser_lines__find(view->lines, entry);
}

static void save(struct browser *b)
{
	char title[4096], name[SAVED_NAME_MAX];
	struct errmsg err;

	if (browser_lines__save(browser__view(b)->lines, browser__title(b, title, sizeof(title)), name, &err))
		snprintf(b->note, sizeof(b->note), "%.200s", err.text);
	else
		snprintf(b->note, sizeof(b->note), "%s written", name);
}

/* Leave for another recording if it can be opened. */
static void switch_to(struct browser *b, const char *name)
{
	struct perfdata_reader *reader;
	struct errmsg err;

	if (!strcmp(name, "-")) /* that alone is the standard input */
		name = "./-";
	if (perfdata_reader__open(name, &reader, &err)) {
		snprintf(b->note, sizeof(b->note), "%s: %.200s", name, err.text);
		return;
	}
	perfdata_reader__delete(reader);
	b->other = strdup(name);
	b->no_memory = !b->other;
	b->over = true;
}

static void choose_recording(struct browser *b)
{
	struct fs_names *names = recordings__read(".", b->opts->input);
	int chosen = MENU_LEFT;

	if (!names)
		snprintf(b->note, sizeof(b->note), "Cannot read this directory: %s", strerror(errno));
	else if (!names->nr)
		snprintf(b->note, sizeof(b->note), "No other recording is in this directory");
	else
		chosen = menu__choose("Recordings in this directory:", names->name, names->nr);
	if (chosen >= 0)
		switch_to(b, names->name[chosen]);
	b->over |= chosen == MENU_GONE;
	fs_names__delete(names);
}

/* The code of the function of a row: where its samples are */
static void annotate(struct browser *b, const struct browser_line *line)
{
	const struct browser_event *event = &b->events[b->shown];
	const struct symbol *sym = line->node ? line->node->frame[line->frame].sym : line->entry->sym;
	const struct code_function_hits *function = NULL;
	struct errmsg err;
	int ret;

	if (!event->nr_hits_events) {
		snprintf(b->note, sizeof(b->note), "%s", "No code: the samples of this recording are not counted by instructions");
		return;
	}
	for (u32 i = 0; sym && i < event->nr_hits_events && !function; i++)
		function = code_hits__find(b->code.source.hits, event->hits_event[i], sym);
	if (!function) {
		snprintf(b->note, sizeof(b->note), sym ? "No sample is in %.200s itself" : "No code: this row is of no function", sym ? sym->name : "");
		return;
	}
	ret = code_browser__show(&b->code, event, &function->loc, &err);
	if (ret < 0)
		snprintf(b->note, sizeof(b->note), "%.200s", err.text);
	b->over |= ret == CODE_BROWSER_GONE;
}

static void annotate_current(struct browser *b)
{
	struct view *view = browser__view(b);

	if (browser_lines__nr(view->lines))
		annotate(b, browser_lines__at(view->lines, view->current));
}

/* Enter opens what can be opened, and shows code of what cannot. */
static void enter(struct browser *b)
{
	struct view *view = browser__view(b);

	if (browser_lines__nr(view->lines) && !browser_lines__at(view->lines, view->current)->can_open)
		annotate_current(b);
	else
		change(b, '\n');
}

static void show_help(const struct browser *b)
{
	const struct browser_live *live = b->opts->live;
	const char *line[64];
	int nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(help); i++)
		line[nr++] = help[i];
	for (int i = 0; live ? i < live->nr_help : i < (int)ARRAY_SIZE(help_recording); i++)
		line[nr++] = live ? live->help[i] : help_recording[i];
	for (size_t i = 0; i < ARRAY_SIZE(help_end); i++)
		line[nr++] = help_end[i];
	help__show(line, nr);
}

static void handle(struct browser *b, int key)
{
	struct view *view = browser__view(b);
	const struct browser_live *live = b->opts->live;

	if (key == SCREEN_NEWS)
		return take_news(b);
	b->note[0] = '\0';
	if (live && live->handle(live->data, key, b->note, sizeof(b->note)))
		return;
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
		return show_help(b);
	case '\n': case KEY_ENTER:
		return enter(b);
	case 'a':
		return annotate_current(b);
	case '+': case '-': case 'e': case 'E': case 'C': case 'd': case 't':
		return change(b, key);
	case 'P':
		return save(b);
	case 's':
		if (!live)
			return choose_recording(b);
		break;
	case KEY_ESCAPE:
		return go_back(b);
	case KEY_RESIZE:
		erase();
		return;
	case 'q': case ERR: /* the terminal is gone */
		b->over = true;
		return;
	}
	snprintf(b->note, sizeof(b->note), "%s", "This key does nothing: h shows the keys");
}

static void browse(struct browser *b)
{
	while (!b->over && !b->no_memory) {
		draw(b);
		handle(b, screen__wait_key());
	}
}

static void note_warnings(struct browser *b)
{
	u32 nr = b->opts->nr_warnings;

	if (nr)
		snprintf(b->note, sizeof(b->note), "%u warning%s of this recording: shown when you leave. h shows the keys", nr, nr == 1 ? "" : "s");
}

/* 0 or -ENOMEM */
static int browser__init(struct browser *b, const struct browser_event *events, u32 nr, const struct browser_opts *opts)
{
	u32 max = opts->live ? opts->live->max_events : nr;

	*b = (struct browser){ .opts = opts, .view = calloc(max ?: 1, sizeof(*b->view)), .events = calloc(max ?: 1, sizeof(*b->events)) };
	if (!b->view || !b->events)
		return -ENOMEM;
	if (opts->code)
		code_browser__init(&b->code, opts->code);
	if (opts->live) {
		b->code.news = take_news;
		b->code.data = b;
	}
	for (; b->nr < nr; b->nr++) {
		b->events[b->nr] = events[b->nr];
		b->view[b->nr].lines = browser_lines__new(events[b->nr].hists, opts->min_percent);
		if (!b->view[b->nr].lines)
			return -ENOMEM;
	}
	return 0;
}

static void browser__exit(struct browser *b)
{
	for (u32 i = 0; i < b->nr; i++)
		browser_lines__delete(b->view[i].lines);
	free(b->view);
	free(b->events);
}

int browser__run(const struct browser_event *events, u32 nr, const struct browser_opts *opts, char **other, struct errmsg *err)
{
	struct browser b;
	SCREEN *screen;
	bool no_memory;

	*other = NULL;
	if (!browser__can_run())
		return errmsg__set(err, ENOTTY, "there is no terminal to draw on: take --stdio");
	screen = screen__open(); /* sets the locale */
	no_memory = browser__init(&b, events, nr, opts);
	b.no_memory |= no_memory;
	if (screen) {
		screen__set_live(opts->live ? opts->live->screen : NULL);
		note_warnings(&b);
		browse(&b);
		screen__close(screen);
		screen__set_live(NULL);
	}
	browser__exit(&b);
	*other = b.other;
	if (b.no_memory)
		return errmsg__set(err, ENOMEM, "out of memory");
	return screen ? 0 : errmsg__set(err, ENOTTY, "cannot draw on this terminal: take --stdio");
}
