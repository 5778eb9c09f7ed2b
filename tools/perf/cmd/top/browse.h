/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The browser of perf top. It has a thread of its own, which waits for keys while the main one waits for samples. The lock guards the session,
 * the pictures and the controls: the browser holds it while it works, and the main thread while it feeds the session.
 */
#ifndef PERF_CMD_TOP_BROWSE_H
#define PERF_CMD_TOP_BROWSE_H

#include "cmd/top/options.h"
#include "cmd/top/picture.h"

struct top_browse;

struct top_controls { /* what keys change */
	bool zero, frozen, hide_kernel, hide_user;
};

struct top_browse *top_browse__new(const struct top_options *o); /* NULL: no memory, or no descriptors */
void top_browse__delete(struct top_browse *b);

void top_browse__lock(struct top_browse *b);
void top_browse__unlock(struct top_browse *b);
const struct top_controls *top_browse__controls(const struct top_browse *b); /* with the lock */
/* With the lock: show this picture from now on; it becomes the browser's. The first one with rows opens the screen. 0 or -errno. */
int top_browse__show(struct top_browse *b, struct top_picture *picture);
/* Readable when the user has ended the browser. */
int top_browse__fd(const struct top_browse *b);
/* Without the lock: close the screen, and print what was written to stderr in the meantime. */
void top_browse__end(struct top_browse *b);

#endif
