/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loop that waits: handlers are registered for a descriptor, a time, or every pass, and in each pass the loop calls those that
 * are ready, until one of them ends it or fails. One thread; no locks, no signal handlers.
 *
 * A handler is a member of a struct of the caller, who sets it up by one of the three run_loop__add functions. It must not move
 * until the loop is deleted. The loop allocates nothing for it, so adding cannot fail.
 */
#ifndef PERF_RUN_LOOP_H
#define PERF_RUN_LOOP_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct run_loop;

/* Returns 0, or -errno with a message in err: that ends the loop, and run_loop__run() returns it. */
typedef int (*run_handle)(struct run_loop *loop, void *data, struct errmsg *err);

struct run_handler {
	run_handle handle;
	void *data;
	/* May be changed at any time, also by the handler itself. */
	int fd;		   /* call when it is readable or its other end is closed; -1: none */
	u64 due;	   /* call when run_loop__now() reaches it; 0: never */
	bool unless_over;  /* do not call in a pass after the loop was ended */
	/* Set by the functions that add. */
	unsigned int every; /* ms; 0: once. The next due, set before the call, is a multiple of it later and in the future: skips missed times */
	bool each_pass;
	bool ready;	   /* private to the loop: fd was readable in this pass */
	struct run_handler *next; /* private to the loop */
};

/* NULL: out of memory. The loop makes a pass at least every max_wait ms; 0: only when a handler is ready. */
struct run_loop *run_loop__new(unsigned int max_wait);
void run_loop__delete(struct run_loop *loop); /* NULL is allowed */

/* Each pass calls handlers in the order in which they were added. A handler that is added during a pass is the last one in it. */
void run_loop__add_fd(struct run_loop *loop, struct run_handler *h, int fd, run_handle handle, void *data);
void run_loop__add_timer(struct run_loop *loop, struct run_handler *h, u64 due, unsigned int every, run_handle handle, void *data);
void run_loop__add_pass(struct run_loop *loop, struct run_handler *h, run_handle handle, void *data);

/* Run passes until a handler has ended the loop, or failed. 0 or -errno. */
int run_loop__run(struct run_loop *loop, struct errmsg *err);

/* Make the current pass the last one; before the first pass, make none. The remaining handlers of the pass are still called. */
void run_loop__end(struct run_loop *loop);
bool run_loop__is_over(const struct run_loop *loop);

u64 run_loop__now(void); /* ms of CLOCK_MONOTONIC */

#endif
