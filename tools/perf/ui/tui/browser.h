/* SPDX-License-Identifier: GPL-2.0 */
/* perf report on a terminal: a browser for histograms, by ncurses. */
#ifndef PERF_UI_TUI_BROWSER_H
#define PERF_UI_TUI_BROWSER_H

#include <stdbool.h>
#include "ui/annotate/annotated.h"
#include "util/hist/hist.h"
#include "util/lib/errmsg.h"

struct browser_event {
	char *title; /* the line above the rows */
	const struct hists *hists; /* sorted */
	/* The events of these rows, by number in opts->code->hits: one, or those of a group. nr 0: no code is shown. */
	const u32 *hits_event;
	u32 nr_hits_events;
};

/* Are standard input and output a terminal that ncurses supports? */
bool browser__can_run(void);

/* For what changes while it is shown: another thread has the data, and the browser a lock on them except while it waits for keys. */
struct screen_live;
struct browser_live {
	const struct screen_live *screen;
	u32 max_events;
	/* After news: the events now, those that were there before at the same index; opts->code->hits is theirs, too. */
	void (*take)(void *data, const struct browser_event **events, u32 *nr);
	void (*taken)(void *data); /* those before are no longer used */
	/* Keys of its own, before the browser's; note: for the last line, "": none. false: it is no such key. */
	bool (*handle)(void *data, int key, char *note, size_t size);
	const char *const *help; /* lines for these keys, and their number */
	int nr_help;
	void *data;
};

struct browser_opts {
	double min_percent; /* entries below are not shown */
	const char *input;  /* the path of the recording that is shown */
	const struct browser_live *live; /* NULL: a recording */
	const struct annotate_source *code; /* NULL: code cannot be shown */
	u32 nr_warnings;    /* printed before: the browser's screen hides them until it ends, so it tells their number */
};

/*
 * Until the user ends it. *other becomes the path of another recording that the user wants to see in its place, malloc'ed; else NULL. 0 or
 * -errno.
 */
int browser__run(const struct browser_event *events, u32 nr, const struct browser_opts *opts, char **other, struct errmsg *err);

#endif
