/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of perf report's browser for a histogram: entries, and below open ones the nodes of their callchains. Knows nothing
 * about a terminal.
 */
#ifndef PERF_UI_TUI_LINES_H
#define PERF_UI_TUI_LINES_H

#include <stdbool.h>
#include "util/hist/hist.h"

struct browser_line {
	const struct hist_entry *entry;
	const struct chain_node *node; /* NULL: the entry itself */
	u32 frame;	/* of the node; those after the first have no percentage */
	u32 depth;	/* of the node: 1 below the entry */
	u64 key;	/* of the node, see lines.c; 0 without one */
	u64 base;	/* the node's percentage is relative to this */
	bool can_open, is_open; /* there are lines below it */
};

/* A zoom shows only entries with the same dso, or of the same thread. */
enum browser_zoom { BROWSER_ZOOM_DSO, BROWSER_ZOOM_THREAD, BROWSER_NR_ZOOMS };

struct browser_lines;

/* Skips entries below min_percent. hists must be sorted and outlive the lines. NULL: no memory. */
struct browser_lines *browser_lines__new(const struct hists *hists, double min_percent);
/*
 * The same for later hists of the same layout: what was open, searched and zoomed into still is; row becomes the row of the entry or node
 * that was at this one, or the nearest. NULL: no memory; old is unchanged.
 */
struct browser_lines *browser_lines__follow(const struct browser_lines *old, const struct hists *hists, u32 *row);
void browser_lines__delete(struct browser_lines *lines);

u32 browser_lines__nr(const struct browser_lines *lines);
u32 browser_lines__nr_entries(const struct browser_lines *lines); /* those alone */
const struct browser_line *browser_lines__at(const struct browser_lines *lines, u32 i);

/* These rebuild the list. 0 or -ENOMEM; then the list is unchanged. */
int browser_lines__toggle(struct browser_lines *lines, u32 i);
/* Open the entry that line i is of, or all entries that are shown, with all that is below; or close everything of all entries. */
int browser_lines__open_entry(struct browser_lines *lines, u32 i);
int browser_lines__open_all(struct browser_lines *lines);
int browser_lines__close_all(struct browser_lines *lines);
/* Show only entries that have text in a column; "": all. */
int browser_lines__filter(struct browser_lines *lines, const char *text);
/*
 * Show only entries that have the dso, or the thread (its command name, too), of the entry that line i is of. If that zoom is on already it
 * ends instead. -ENOENT: the layout has no key that tells.
 */
int browser_lines__zoom(struct browser_lines *lines, enum browser_zoom zoom, u32 i);
/* End the last zoom that is on; -ENOENT: none is. */
int browser_lines__unzoom(struct browser_lines *lines);

/* What is zoomed into, as text that begins with a comma; "": nothing. Into buf; returns buf. */
char *browser_lines__zoom_text(const struct browser_lines *lines, char *buf, size_t size);

/* The index of an entry's line, or 0 if it is not shown. */
u32 browser_lines__find(const struct browser_lines *lines, const struct hist_entry *entry);

/* '+': it can be opened, '-': it is open; else a blank. */
char browser_lines__mark(const struct browser_lines *lines, u32 i);
/* The line as text without its mark, into buf; returns buf. */
char *browser_lines__text(const struct browser_lines *lines, u32 i, char *buf, size_t size);
/* The percentage for its colour; negative: none. */
double browser_lines__percent(const struct browser_lines *lines, u32 i);
char *browser_lines__titles(const struct browser_lines *lines, char *buf, size_t size);

#endif
