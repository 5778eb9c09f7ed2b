/* SPDX-License-Identifier: GPL-2.0 */
/* Annotated code on a terminal. */
#ifndef PERF_UI_TUI_CODE_H
#define PERF_UI_TUI_CODE_H

#include "ui/annotate/annotated.h"
#include "ui/tui/browser.h"

struct code_browser { /* what stays from one function to the next */
	struct annotate_source source; /* with the next two */
	struct annotate_view_opts view;
	struct code_opts code; /* sources are read when they are shown first: that may take long */
	unsigned int flags; /* CODE_VIEW_ */
	bool hide_arrows;
	char search[64];
	void (*news)(void *data); /* take note of SCREEN_NEWS: events and hits may be others then. NULL: there are none */
	void *data;
};

enum code_browser_end {
	CODE_BROWSER_BACK,
	CODE_BROWSER_NEXT, CODE_BROWSER_PREVIOUS, /* function */
	CODE_BROWSER_GONE, /* the terminal is */
};

void code_browser__init(struct code_browser *b, const struct annotate_source *source);

/*
 * Show a function of an event until the user leaves it, on an open screen. event->hits_event: needed. The location is of some instruction of
 * it. An enum code_browser_end; -errno with a message: its code cannot be shown.
 */
int code_browser__show(struct code_browser *b, const struct browser_event *event, const struct location *loc, struct errmsg *err);

struct code_browser_function {
	const struct browser_event *event;
	const struct location *loc;
};

/*
 * Show functions, the first one that can be shown first, on a screen of its own, until the user ends it. 0; -ENOTTY: there is no terminal;
 * else as code_browser__show(), for the first one if none can be shown.
 */
int code_browser__run(const struct annotate_source *source, const struct code_browser_function *function, u32 nr, struct errmsg *err);

#endif
