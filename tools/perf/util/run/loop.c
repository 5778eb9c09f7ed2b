// SPDX-License-Identifier: GPL-2.0
#include "util/run/loop.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/clock.h"

struct run_loop {
	struct run_handler *first, **end; /* in the order of calls */
	unsigned int nr;
	struct pollfd *fds; /* filled anew for each pass */
	unsigned int room;  /* of fds */
	unsigned int max_wait;
	bool over;
};

u64 run_loop__now(void)
{
	return clock__ns(CLOCK_MONOTONIC) / 1000000;
}

struct run_loop *run_loop__new(unsigned int max_wait)
{
	struct run_loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->end = &loop->first;
	loop->max_wait = max_wait;
	return loop;
}

void run_loop__delete(struct run_loop *loop)
{
	if (!loop)
		return;
	free(loop->fds);
	free(loop);
}

static void run_loop__add(struct run_loop *loop, struct run_handler *h)
{
	*loop->end = h;
	loop->end = &h->next;
	loop->nr++;
}

void run_loop__add_fd(struct run_loop *loop, struct run_handler *h, int fd, run_handle handle, void *data)
{
	*h = (struct run_handler){ .handle = handle, .data = data, .fd = fd };
	run_loop__add(loop, h);
}

void run_loop__add_timer(struct run_loop *loop, struct run_handler *h, u64 due, unsigned int every, run_handle handle, void *data)
{
	*h = (struct run_handler){ .handle = handle, .data = data, .fd = -1, .due = due, .every = every };
	run_loop__add(loop, h);
}

void run_loop__add_pass(struct run_loop *loop, struct run_handler *h, run_handle handle, void *data)
{
	*h = (struct run_handler){ .handle = handle, .data = data, .fd = -1, .each_pass = true };
	run_loop__add(loop, h);
}

void run_loop__end(struct run_loop *loop)
{
	loop->over = true;
}

bool run_loop__is_over(const struct run_loop *loop)
{
	return loop->over;
}

/* ms until the first timer is due; -1: none. */
static int run_loop__patience(const struct run_loop *loop)
{
	u64 now = run_loop__now(), next = loop->max_wait ? now + loop->max_wait : UINT64_MAX;

	for (const struct run_handler *h = loop->first; h; h = h->next) {
		if (h->due && h->due < next)
			next = h->due;
	}
	if (next == UINT64_MAX)
		return -1;
	if (next <= now)
		return 0;
	return next - now < INT_MAX ? next - now : INT_MAX;
}

/* Wait for the first descriptor or timer. */
static int run_loop__wait(struct run_loop *loop, struct errmsg *err)
{
	struct pollfd *pfd;
	int nr;

	if (loop->nr > loop->room) {
		pfd = reallocarray(loop->fds, loop->nr, sizeof(*pfd));
		if (!pfd)
			return errmsg__set(err, ENOMEM, "out of memory");
		loop->fds = pfd;
		loop->room = loop->nr;
	}
	pfd = loop->fds;
	for (const struct run_handler *h = loop->first; h; h = h->next)
		*pfd++ = (struct pollfd){ .fd = h->fd, .events = POLLIN };
	nr = poll(loop->fds, loop->nr, run_loop__patience(loop));
	if (nr < 0 && errno != EINTR)
		return errmsg__set(err, errno, "cannot wait for events: %s", strerror(errno));
	pfd = loop->fds;
	for (struct run_handler *h = loop->first; h; h = h->next, pfd++)
		h->ready = nr > 0 && pfd->revents;
	return 0;
}

/* Is it due? Then set its next time. */
static bool run_handler__is_due(struct run_handler *h)
{
	u64 now;

	if (!h->due)
		return false;
	now = run_loop__now();
	if (now < h->due)
		return false;
	h->due = h->every ? h->due + ((now - h->due) / h->every + 1) * h->every : 0;
	return true;
}

static int run_loop__pass(struct run_loop *loop, struct errmsg *err)
{
	int ret = 0;

	for (struct run_handler *h = loop->first; h && !ret; h = h->next) {
		if (loop->over && h->unless_over)
			continue;
		if (run_handler__is_due(h) || h->ready || h->each_pass)
			ret = h->handle(loop, h->data, err);
	}
	return ret;
}

int run_loop__run(struct run_loop *loop, struct errmsg *err)
{
	int ret = 0;

	while (!ret && !loop->over)
		ret = run_loop__wait(loop, err) ?: run_loop__pass(loop, err);
	return ret;
}
