// SPDX-License-Identifier: GPL-2.0
#include "ui/tui/code.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "ui/annotate/view.h"
#include "ui/tui/help.h"
#include "ui/tui/save.h"
#include "ui/tui/screen.h"
#include "util/lib/printable.h"

#define TITLE_LINES 2
#define SCROLL_COLUMNS 10
#define TEXT_MAX 4096

/* As in perf: 5 % is important, 0.5 % may be. */
#define HIGH_PERCENT 5.0
#define SOME_PERCENT 0.5

struct shown { /* one function */
	struct code_browser *b;
	const struct browser_event *event;
	struct annotated *annotated;
	bool has_source; /* it was read with source lines */
	struct code_view *view;
	u32 top, current, rank; /* rank: of the last hot instruction that was gone to */
	int column;
	char note[SAVED_NAME_MAX + 256]; /* stands in the last line until the next key; "": none */
	int end; /* enum code_browser_end, once it is over */
	bool over;
};

static const char *const help[] = {
	"Up, Down, PgUp, PgDn, Home, End   go through the lines",
	"Left, Right                       move the picture sideways",
	"Enter                             go to where a jump leads, or into the function that is called",
	"H                                 go to the hottest instruction",
	"Tab, Shift-Tab                    the next hottest instruction, the one before",
	"<, >                              the function before, the next one",
	"s                                 show source lines, or hide them",
	"k                                 show numbers of source lines",
	"t                                 show percentages, sums of periods, numbers of samples",
	"p                                 percentages of the function, or of all samples",
	"b                                 percentages of periods, or of samples",
	"j                                 draw the jump of the current line, or not",
	"J                                 show how many jumps lead to a line",
	"o                                 show instructions as the disassembler prints them, or in short",
	"O                                 show offsets of what is jumped to, of calls too, of all",
	"f                                 show addresses, or offsets",
	"/, ?                              search for a text, or backwards",
	"n                                 search on",
	"P                                 print all lines to a file SYMBOL.annotation",
	"h, F1                             this page",
	"q, Esc                            back",
};

static int page_lines(void)
{
	return LINES - TITLE_LINES - 1 > 0 ? LINES - TITLE_LINES - 1 : 1;
}

static void settle(struct shown *s)
{
	u32 nr = code_view__nr(s->view), page = page_lines();

	if (s->current >= nr)
		s->current = nr ? nr - 1 : 0;
	if (s->top > s->current)
		s->top = s->current;
	if (s->current - s->top >= page)
		s->top = s->current - page + 1;
	if (s->top + page > nr) /* no empty lines below */
		s->top = nr > page ? nr - page : 0;
}

static void draw_title(struct shown *s)
{
	const struct location *loc = &s->annotated->loc;
	char text[TEXT_MAX];

	screen__put_line(0, s->event->title, 0);
	snprintf(text, sizeof(text), "%s  %s  [Percent: %s]", loc->sym->name, loc->dso->shown, annotate_percents[s->b->view.percent]);
	attron(A_BOLD);
	screen__put_line(1, printable__clean(text), 0);
	attroff(A_BOLD);
}

static void draw_row(struct shown *s, u32 row, int y)
{
	double percent = code_view__percent(s->view, row);
	attr_t attrs = row == s->current ? A_REVERSE : A_NORMAL;
	char text[TEXT_MAX];

	if (percent >= HIGH_PERCENT)
		attrs |= COLOR_PAIR(SCREEN_HIGH);
	else if (percent >= SOME_PERCENT)
		attrs |= COLOR_PAIR(SCREEN_SOME);
	attron(attrs);
	screen__put_line(y, code_view__text(s->view, row, text, sizeof(text)), s->column);
	attroff(attrs);
}

/* From the current line to where it jumps, in the column in front of arrows: a line of which an end may be off the screen. */
static void draw_jump(struct shown *s)
{
	u32 target = s->b->hide_arrows ? CODE_VIEW_NONE : code_view__target(s->view, s->current);
	int x = code_view__arrow_column(s->view) - 1 - s->column;
	s64 from, to;

	if (target == CODE_VIEW_NONE || x < 0 || x >= COLS - 1)
		return;
	from = (s64)(target < s->current ? target : s->current) - s->top;
	to = (s64)(target < s->current ? s->current : target) - s->top;
	for (s64 y = from < 0 ? 0 : from; y <= to && y < page_lines(); y++)
		mvaddch(TITLE_LINES + y, x, y == from ? ACS_ULCORNER : y == to ? ACS_LLCORNER : ACS_VLINE);
	if ((s64)target >= s->top && (s64)target - s->top < page_lines())
		mvaddch(TITLE_LINES + target - s->top, x + 1, ACS_RARROW);
}

static void draw(struct shown *s)
{
	settle(s);
	draw_title(s);
	for (int y = 0; y < page_lines(); y++) {
		if (s->top + y < code_view__nr(s->view))
			draw_row(s, s->top + y, TITLE_LINES + y);
		else
			screen__put_line(TITLE_LINES + y, "", 0);
	}
	draw_jump(s);
	screen__put_foot(*s->note ? printable__clean(s->note) : "h help  H hottest  Tab next hottest  Enter follow  s source  / search  q back");
	move(TITLE_LINES + s->current - s->top, 0);
	refresh();
}

static void go(struct shown *s, s64 by)
{
	s64 to = (s64)s->current + by, last = (s64)code_view__nr(s->view) - 1;

	s->current = to < 0 || last < 0 ? 0 : to > last ? last : to;
}

/* With room above it. */
static void go_to(struct shown *s, u32 row)
{
	u32 half = page_lines() / 2;

	s->current = row;
	s->top = row > half ? row - half : 0;
}

static void go_to_hot(struct shown *s, u32 rank)
{
	u32 row = code_view__hottest(s->view, rank);

	if (row == CODE_VIEW_NONE)
		row = code_view__hottest(s->view, rank = 0);
	if (row == CODE_VIEW_NONE)
		return;
	s->rank = rank;
	go_to(s, row);
}

static void go_to_previous_hot(struct shown *s)
{
	u32 rank = s->rank;

	if (!rank--) { /* the coldest one */
		for (rank = 0; code_view__hottest(s->view, rank + 1) != CODE_VIEW_NONE;)
			rank++;
	}
	go_to_hot(s, rank);
}

/* The hits of each event of a group in the function; malloc'ed, NULL: no memory */
static struct annotated_event *find_hits(const struct code_browser *b, const struct browser_event *event, const struct symbol *sym)
{
	const struct hists *hists = event->hists;
	struct annotated_event *found = calloc(event->nr_hits_events ?: 1, sizeof(*found));

	for (u32 i = 0; found && i < event->nr_hits_events; i++) {
		found[i].hists = hists->nr_group ? hists->group[i] : hists;
		found[i].function = code_hits__find(b->source.hits, event->hits_event[i], sym);
	}
	return found;
}

/* There may be more samples since. */
static void unload(struct shown *s)
{
	code_view__delete(s->view);
	annotated__exit(s->annotated);
	free(s->annotated);
}

static int read_code(struct shown *s, const struct location *loc, struct errmsg *err)
{
	struct annotated_event *hits = find_hits(s->b, s->event, loc->sym);
	int ret = hits && s->annotated ? annotated__init(s->annotated, &s->b->source, loc, hits, s->event->nr_hits_events, err) :
					 errmsg__set(err, ENOMEM, "out of memory");

	free(hits);
	return ret;
}

/* Read the function's code, with source lines if they are shown. 0, or -errno with a message */
static int load(struct shown *s, const struct location *loc, struct errmsg *err)
{
	int ret;

	s->view = NULL;
	s->annotated = calloc(1, sizeof(*s->annotated));
	s->has_source = s->b->flags & CODE_VIEW_SOURCE;
	s->b->code.no_source = !s->has_source;
	ret = read_code(s, loc, err);
	if (ret) {
		free(s->annotated);
		return ret;
	}
	s->view = code_view__new(s->annotated, s->b->flags);
	if (s->view)
		return 0;
	unload(s);
	return errmsg__set(err, ENOMEM, "out of memory");
}

/* Read it again, with source lines. */
static void load_source(struct shown *s)
{
	u64 offset = code_view__offset(s->view, s->current);
	struct shown again = *s;
	struct errmsg err;

	if (load(&again, &s->annotated->loc, &err)) {
		snprintf(s->note, sizeof(s->note), "%.200s", err.text);
		return;
	}
	unload(s);
	*s = again;
	s->current = code_view__row_at(s->view, offset);
}

static void toggle(struct shown *s, unsigned int flag)
{
	s->b->flags ^= flag;
	s->current = code_view__set_flags(s->view, s->b->flags, s->current);
}

static void toggle_source(struct shown *s)
{
	s->b->flags ^= CODE_VIEW_SOURCE;
	if (s->b->flags & CODE_VIEW_SOURCE && !s->has_source)
		load_source(s);
	else
		s->current = code_view__set_flags(s->view, s->b->flags, s->current);
	if (s->b->flags & CODE_VIEW_SOURCE && !code_view__has_source(s->view))
		snprintf(s->note, sizeof(s->note), "%s", "No source lines: the file has no debug information, or the sources are not there");
}

static void show_more_offsets(struct shown *s)
{
	unsigned int had = s->b->flags & (CODE_VIEW_CALL_OFFSETS | CODE_VIEW_ALL_OFFSETS);

	s->b->flags &= ~had;
	if (!had)
		s->b->flags |= CODE_VIEW_CALL_OFFSETS;
	else if (had == CODE_VIEW_CALL_OFFSETS)
		s->b->flags |= CODE_VIEW_ALL_OFFSETS;
	s->current = code_view__set_flags(s->view, s->b->flags, s->current);
}

static void next_unit(struct annotate_view_opts *o)
{
	bool percent = !o->show_period && !o->show_samples;

	o->show_samples = o->show_period;
	o->show_period = percent;
}

static void change_percent(struct shown *s, int key)
{
	enum annotate_percent *percent = &s->b->view.percent;
	bool global = *percent == ANNOTATE_GLOBAL_PERIOD || *percent == ANNOTATE_GLOBAL_HITS;
	bool hits = *percent == ANNOTATE_LOCAL_HITS || *percent == ANNOTATE_GLOBAL_HITS;

	global ^= key == 'p';
	hits ^= key == 'b';
	*percent = global ? (hits ? ANNOTATE_GLOBAL_HITS : ANNOTATE_GLOBAL_PERIOD) : hits ? ANNOTATE_LOCAL_HITS : ANNOTATE_LOCAL_PERIOD;
	code_view__recount(s->view);
	snprintf(s->note, sizeof(s->note), "Percent: %s", annotate_percents[*percent]);
}

static void search(struct shown *s, bool backwards)
{
	u32 row = *s->b->search ? code_view__find(s->view, s->b->search, s->current, backwards) : CODE_VIEW_NONE;

	if (row != CODE_VIEW_NONE)
		go_to(s, row);
	else if (*s->b->search)
		snprintf(s->note, sizeof(s->note), "\"%s\" is not %s", s->b->search, backwards ? "above" : "below");
}

static void ask_search(struct shown *s, bool backwards)
{
	switch (screen__ask(backwards ? "?" : "/", s->b->search, sizeof(s->b->search))) {
	case SCREEN_ASK_DONE:
		return search(s, backwards);
	case SCREEN_ASK_GONE:
		s->end = CODE_BROWSER_GONE;
		s->over = true;
		return;
	case SCREEN_ASK_LEFT:
		return;
	}
}

/* There may be more samples since, in other hits. */
static void recount(struct shown *s)
{
	struct annotated_event *event = find_hits(s->b, s->event, s->annotated->loc.sym);

	s->annotated->source.hits = s->b->source.hits;
	if (!event)
		return;
	annotated__count(s->annotated, event);
	code_view__recount(s->view);
	free(event);
}

static void open_callee(struct shown *s, const char *name)
{
	const struct browser_event *event = s->event;
	const struct code_function_hits *function = NULL;
	struct errmsg err;
	int ret;

	for (u32 i = 0; i < event->nr_hits_events && !function; i++)
		function = code_hits__find_name(s->b->source.hits, event->hits_event[i], s->annotated->loc.dso, name);
	if (!function) {
		snprintf(s->note, sizeof(s->note), "No sample is in %.200s", name);
		return;
	}
	ret = code_browser__show(s->b, event, &function->loc, &err);
	if (ret < 0)
		snprintf(s->note, sizeof(s->note), "%.200s", err.text);
	s->over = ret == CODE_BROWSER_GONE;
	s->end = s->over ? ret : 0;
	recount(s);
	s->current = code_view__set_flags(s->view, s->b->flags, s->current); /* they may have been changed there */
}

static void follow(struct shown *s)
{
	u32 target = code_view__target(s->view, s->current);
	char name[TEXT_MAX];

	if (target != CODE_VIEW_NONE)
		return go_to(s, target);
	if (code_view__callee(s->view, s->current, name, sizeof(name)))
		return open_callee(s, name);
	snprintf(s->note, sizeof(s->note), "This line neither jumps nor calls");
}

static void print_all(FILE *fp, void *data)
{
	const struct shown *s = data;

	fprintf(fp, "%s\n%s  %s  [Percent: %s]\n", s->event->title, s->annotated->loc.sym->name, s->annotated->loc.dso->shown,
		annotate_percents[s->b->view.percent]);
	code_view__fprintf(s->view, fp);
}

static void save(struct shown *s)
{
	char base[SAVED_NAME_MAX / 2], name[SAVED_NAME_MAX];
	struct errmsg err;

	snprintf(base, sizeof(base) - sizeof(".annotation"), "%s", s->annotated->loc.sym->name);
	for (char *c = base; *c; c++)
		*c = isalnum((unsigned char)*c) || (*c == '.' && c > base) ? *c : '_';
	strcat(base, ".annotation");
	if (save__to_next(base, true, print_all, s, name, &err))
		snprintf(s->note, sizeof(s->note), "%.200s", err.text);
	else
		snprintf(s->note, sizeof(s->note), "%s written", name);
}

static void leave(struct shown *s, enum code_browser_end end)
{
	s->end = end;
	s->over = true;
}

/* Moves only. */
static bool handle_move(struct shown *s, int key)
{
	switch (key) {
	case KEY_UP:
		go(s, -1);
		return true;
	case KEY_DOWN:
		go(s, 1);
		return true;
	case KEY_PPAGE:
		go(s, -page_lines());
		return true;
	case KEY_NPAGE: case ' ':
		go(s, page_lines());
		return true;
	case KEY_HOME:
		go(s, -(s64)s->current);
		return true;
	case KEY_END:
		go(s, code_view__nr(s->view));
		return true;
	case KEY_LEFT:
		s->column -= s->column >= SCROLL_COLUMNS ? SCROLL_COLUMNS : s->column;
		return true;
	case KEY_RIGHT:
		s->column += SCROLL_COLUMNS;
		return true;
	case 'H':
		go_to_hot(s, 0);
		return true;
	case '\t':
		go_to_hot(s, s->rank + 1);
		return true;
	case KEY_BTAB:
		go_to_previous_hot(s);
		return true;
	}
	return false;
}

/* What lines look like. */
static bool handle_look(struct shown *s, int key)
{
	switch (key) {
	case 's':
		toggle_source(s);
		return true;
	case 'k':
		toggle(s, CODE_VIEW_NUMBERS);
		return true;
	case 'J':
		toggle(s, CODE_VIEW_JUMPS);
		return true;
	case 'o':
		toggle(s, CODE_VIEW_PLAIN);
		return true;
	case 'f':
		toggle(s, CODE_VIEW_ADDRESSES);
		return true;
	case 'O':
		show_more_offsets(s);
		return true;
	case 'j':
		s->b->hide_arrows = !s->b->hide_arrows;
		return true;
	case 't':
		next_unit(&s->b->view);
		return true;
	case 'p': case 'b':
		change_percent(s, key);
		return true;
	}
	return false;
}

static void handle(struct shown *s, int key)
{
	if (key == SCREEN_NEWS) {
		s->b->news(s->b->data);
		return recount(s);
	}
	s->note[0] = '\0';
	if (handle_move(s, key) || handle_look(s, key))
		return;
	switch (key) {
	case '\n': case KEY_ENTER:
		return follow(s);
	case '/': case '?':
		return ask_search(s, key == '?');
	case 'n':
		return search(s, false);
	case 'P':
		return save(s);
	case 'h': case KEY_F(1):
		return help__show(help, ARRAY_SIZE(help));
	case '<':
		return leave(s, CODE_BROWSER_PREVIOUS);
	case '>':
		return leave(s, CODE_BROWSER_NEXT);
	case 'q': case KEY_ESCAPE:
		return leave(s, CODE_BROWSER_BACK);
	case ERR:
		return leave(s, CODE_BROWSER_GONE);
	case KEY_RESIZE:
		erase();
		return;
	default:
		snprintf(s->note, sizeof(s->note), "%s", "This key does nothing: h shows the keys");
	}
}

void code_browser__init(struct code_browser *b, const struct annotate_source *source)
{
	*b = (struct code_browser){ .source = *source, .view = *source->view };
	b->source.view = &b->view;
	b->code = *source->code;
	b->code.number_lines = true;
	b->source.code = &b->code;
	b->flags = strcmp(nl_langinfo(CODESET), "UTF-8") ? CODE_VIEW_ASCII : 0;
}

int code_browser__show(struct code_browser *b, const struct browser_event *event, const struct location *loc, struct errmsg *err)
{
	struct shown s = { .b = b, .event = event };
	int ret = load(&s, loc, err);

	if (ret)
		return ret;
	erase();
	go_to_hot(&s, 0);
	while (!s.over) {
		draw(&s);
		handle(&s, screen__wait_key());
	}
	erase();
	unload(&s);
	return s.end;
}

/* From function i on, by step, to the first that can be shown. */
static int show_from(struct code_browser *b, const struct code_browser_function *function, u32 nr, s64 *i, int step, struct errmsg *err)
{
	struct errmsg first;
	int ret = -ENOENT;

	for (; *i >= 0 && *i < nr; *i += step) {
		ret = code_browser__show(b, function[*i].event, function[*i].loc, &first);
		if (ret >= 0)
			return ret;
		if (err)
			*err = first;
		err = NULL;
	}
	return ret;
}

int code_browser__run(const struct annotate_source *source, const struct code_browser_function *function, u32 nr, struct errmsg *err)
{
	struct code_browser b;
	SCREEN *screen = browser__can_run() ? screen__open() : NULL;
	s64 i = 0, last = -1;
	int ret, step = 1;

	if (!screen)
		return errmsg__set(err, ENOTTY, "there is no terminal to draw on: take --stdio");
	code_browser__init(&b, source);
	for (;;) {
		ret = show_from(&b, function, nr, &i, step, last < 0 ? err : NULL);
		if (ret < 0 && last < 0)
			break; /* none can be shown */
		if (ret == CODE_BROWSER_BACK || ret == CODE_BROWSER_GONE) {
			ret = 0;
			break;
		}
		if (ret >= 0)
			last = i;
		if (ret < 0) /* none there: the last one again */
			i = last;
		else
			i += step = ret == CODE_BROWSER_NEXT ? 1 : -1;
	}
	screen__close(screen);
	return ret;
}
