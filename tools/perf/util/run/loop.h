/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loop that waits: handlers are registered with a descriptor, a time, or for every pass, and the loop calls those that have something
 * to do, one pass after the other, until one of them ends it or fails. One thread; no locks, no signals handlers.
 *
 * A handler is a member of a struct of the caller's, who sets it up with one of the three run_loop__add functions. It must stay where it is
 * until the loop is deleted. The loop allocates nothing for it, so that adding cannot fail.
 */
#ifndef PERF_RUN_LOOP_H
#define PERF_RUN_LOOP_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct run_loop;

/* Returns 0, or -errno with a text in err: that ends the loop, and run_loop__run() returns it. */
typedef int (*run_handle)(struct run_loop *loop, void *data, struct errmsg *err);

struct run_handler {
	run_handle handle;
	void *data;
	/* These may be changed at any time, by the handler itself, too. */
	int fd;		   /* call when it is readable or its other end is closed; -1: none */
	u64 due;	   /* call when run_loop__now() has reached it; 0: no time */
	bool unless_over;  /* do not call in a pass in which the loop was ended before */
	/* Set by the functions that add. */
	unsigned int every; /* ms; 0: once. The next due, set before the call, is a multiple of it later, and not past: missed times are left out */
	bool each_pass;
	bool ready;	   /* the loop's: fd was readable in this pass */
	struct run_handler *next; /* the loop's */
};

/* NULL: out of memory. The loop makes a pass at least each max_wait ms; 0: only when there is something to do. */
struct run_loop *run_loop__new(unsigned int max_wait);
void run_loop__delete(struct run_loop *loop); /* NULL is allowed */

/* In each pass handlers are called in the order in which they were added. One that is added during a pass comes last in it. */
void run_loop__add_fd(struct run_loop *loop, struct run_handler *h, int fd, run_handle handle, void *data);
void run_loop__add_timer(struct run_loop *loop, struct run_handler *h, u64 due, unsigned int every, run_handle handle, void *data);
void run_loop__add_pass(struct run_loop *loop, struct run_handler *h, run_handle handle, void *data);

/* Passes until one has ended the loop, or failed. 0 or -errno. */
int run_loop__run(struct run_loop *loop, struct errmsg *err);

/* Make the present pass the last one, or no pass at all if none has begun. The handlers that come later in it are still called. */
void run_loop__end(struct run_loop *loop);
bool run_loop__is_over(const struct run_loop *loop);

u64 run_loop__now(void); /* ms of CLOCK_MONOTONIC */

#endif
