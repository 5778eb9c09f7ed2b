/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the browser of perf report shows of a histogram, as a list of lines: entries, and below those that were opened the nodes of
 * their callchains. Knows nothing of a terminal.
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
	u64 base;	/* what the node's share is a part of */
	bool can_open, is_open; /* what is below it */
};

/* What entries have in common that are left when others are hidden. */
enum browser_zoom { BROWSER_ZOOM_DSO, BROWSER_ZOOM_THREAD, BROWSER_NR_ZOOMS };

struct browser_lines;

/* Entries below min_percent are left out. hists must be sorted and outlive the lines. NULL: no memory. */
struct browser_lines *browser_lines__new(const struct hists *hists, double min_percent);
void browser_lines__delete(struct browser_lines *lines);

u32 browser_lines__nr(const struct browser_lines *lines);
u32 browser_lines__nr_entries(const struct browser_lines *lines); /* those alone */
const struct browser_line *browser_lines__at(const struct browser_lines *lines, u32 i);

/* Each of these makes the list anew. 0 or -ENOMEM; the list is as it was then. */
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

/* The place of an entry, or of the first line if it is not shown. */
u32 browser_lines__find(const struct browser_lines *lines, const struct hist_entry *entry);

/* '+': it can be opened, '-': it is open; else a blank. */
char browser_lines__mark(const struct browser_lines *lines, u32 i);
/* The line as text without its mark, into buf; returns buf. */
char *browser_lines__text(const struct browser_lines *lines, u32 i, char *buf, size_t size);
/* The percentage that its colour goes by; negative: it has none. */
double browser_lines__percent(const struct browser_lines *lines, u32 i);
char *browser_lines__titles(const struct browser_lines *lines, char *buf, size_t size);

#endif
