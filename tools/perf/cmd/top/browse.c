// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "top"
#include "cmd/top/browse.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ui/tui/screen.h"
#include "util/lib/log.h"

struct top_browse {
	pthread_mutex_t lock;
	pthread_t thread;
	bool started, over;
	struct top_controls controls;
	struct top_picture *shown, *next; /* next: the browser has not yet seen it */
	struct annotate_source code;
	struct annotate_view_opts code_view;
	const struct code_opts *code_opts;
	int news_fd, end_fd; /* to the browser's thread, and from it */
	int stderr_fd, held_fd; /* while the screen is open: where messages go later, and until then; -1: none */
	int ret;
	struct errmsg err;
};

static const char *const help[] = {
	"z                                 forget what was hit before, each time; again: let it fade",
	"f                                 stop counting, and go on",
	"K                                 hide functions of the kernel, or show them",
	"U                                 hide functions of programs, or show them",
};

void top_browse__lock(struct top_browse *b)
{
	pthread_mutex_lock(&b->lock);
}

void top_browse__unlock(struct top_browse *b)
{
	pthread_mutex_unlock(&b->lock);
}

const struct top_controls *top_browse__controls(const struct top_browse *b)
{
	return &b->controls;
}

int top_browse__fd(const struct top_browse *b)
{
	return b->end_fd;
}

/* What the browser calls: data is the struct top_browse, and it has the lock. */

static void screen_lock(void *data)
{
	top_browse__lock(data);
}

static void screen_unlock(void *data)
{
	top_browse__unlock(data);
}

static bool is_over(void *data)
{
	return ((struct top_browse *)data)->over;
}

static const struct top_picture *newest(const struct top_browse *b)
{
	return b->next ?: b->shown;
}

static void take(void *data, const struct browser_event **events, u32 *nr)
{
	struct top_browse *b = data;
	u64 news;

	if (read(b->news_fd, &news, sizeof(news)) < 0)
		pr_debug("no news: %s\n", strerror(errno));
	*events = newest(b)->event;
	*nr = newest(b)->nr;
	b->code.hits = &newest(b)->hits;
}

static void taken(void *data)
{
	struct top_browse *b = data;

	if (!b->next)
		return;
	top_picture__delete(b->shown);
	b->shown = b->next;
	b->next = NULL;
}

static bool handle(void *data, int key, char *note, size_t size)
{
	struct top_controls *c = &((struct top_browse *)data)->controls;

	switch (key) {
	case 'z':
		c->zero = !c->zero;
		snprintf(note, size, "%s", c->zero ? "From now on only what was hit since the last time" : "Older hits fade from now on");
		return true;
	case 'f':
		c->frozen = !c->frozen;
		snprintf(note, size, "%s", c->frozen ? "Stopped; f goes on" : "Goes on");
		return true;
	case 'K':
		c->hide_kernel = !c->hide_kernel;
		c->hide_user = false;
		break;
	case 'U':
		c->hide_user = !c->hide_user;
		c->hide_kernel = false;
		break;
	default:
		return false;
	}
	snprintf(note, size, "Functions of %s are %s from the next time on", key == 'K' ? "the kernel" : "programs",
		 c->hide_kernel || c->hide_user ? "hidden" : "shown");
	return true;
}

static void *run(void *data)
{
	struct top_browse *b = data;
	const struct screen_live screen = { screen_lock, screen_unlock, is_over, b->news_fd, b };
	const struct browser_live live = {
		.screen = &screen, .max_events = session__nr_events(b->shown->rows.session), .take = take, .taken = taken, .handle = handle,
		.help = help, .nr_help = ARRAY_SIZE(help), .data = b,
	};
	const struct browser_opts opts = { .live = &live, .code = &b->code };
	const u64 one = 1;
	char *other;

	top_browse__lock(b);
	b->ret = browser__run(b->shown->event, b->shown->nr, &opts, &other, &b->err);
	b->over = true;
	top_browse__unlock(b);
	if (write(b->end_fd, &one, sizeof(one)) < 0)
		pr_debug("cannot tell the end: %s\n", strerror(errno));
	return NULL;
}

/* Messages would be written over the screen. */
static void hold_stderr(struct top_browse *b)
{
	b->held_fd = memfd_create("perf top: stderr", MFD_CLOEXEC);
	if (b->held_fd < 0)
		return;
	fflush(stderr);
	b->stderr_fd = dup(STDERR_FILENO);
	if (b->stderr_fd >= 0)
		dup2(b->held_fd, STDERR_FILENO);
}

static void release_stderr(struct top_browse *b)
{
	char text[4096];
	ssize_t nr;

	if (b->stderr_fd >= 0) {
		fflush(stderr);
		dup2(b->stderr_fd, STDERR_FILENO);
		close(b->stderr_fd);
		b->stderr_fd = -1;
		if (lseek(b->held_fd, 0, SEEK_SET) == 0) {
			while ((nr = read(b->held_fd, text, sizeof(text))) > 0)
				fwrite(text, 1, nr, stderr);
		}
	}
	if (b->held_fd >= 0)
		close(b->held_fd);
	b->held_fd = -1;
}

/* Signals are the main thread's, except for that of a new size. */
static int start(struct top_browse *b)
{
	sigset_t all, before;
	int ret;

	b->code.resolver = session__resolver(b->shown->rows.session);
	b->code.hits = &b->shown->hits;
	b->code.code = b->code_opts;
	b->code.view = &b->code_view;
	hold_stderr(b);
	sigfillset(&all);
	sigdelset(&all, SIGWINCH);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = -pthread_create(&b->thread, NULL, run, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	b->started = !ret;
	return ret;
}

int top_browse__show(struct top_browse *b, struct top_picture *picture)
{
	const u64 one = 1;

	if (!b->started) {
		if (!picture->nr) { /* nothing to show yet */
			top_picture__delete(picture);
			return 0;
		}
		b->shown = picture;
		return start(b);
	}
	top_picture__delete(b->next);
	b->next = picture;
	return write(b->news_fd, &one, sizeof(one)) < 0 ? -errno : 0;
}

void top_browse__end(struct top_browse *b)
{
	const u64 one = 1;

	if (!b->started)
		return;
	top_browse__lock(b);
	b->over = true;
	top_browse__unlock(b);
	if (write(b->news_fd, &one, sizeof(one)) < 0)
		pr_debug("cannot end the browser at once: %s\n", strerror(errno));
	pthread_join(b->thread, NULL);
	b->started = false;
	release_stderr(b);
	if (b->ret)
		pr_err("%s\n", b->err.text);
}

struct top_browse *top_browse__new(const struct top_options *o)
{
	struct top_browse *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	pthread_mutex_init(&b->lock, NULL);
	b->controls = (struct top_controls){ .zero = o->zero, .hide_kernel = o->hide_kernel, .hide_user = o->hide_user };
	b->code_opts = &o->report.code;
	b->held_fd = b->stderr_fd = -1;
	b->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	b->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->news_fd >= 0 && b->end_fd >= 0)
		return b;
	top_browse__delete(b);
	return NULL;
}

void top_browse__delete(struct top_browse *b)
{
	if (!b)
		return;
	top_browse__end(b);
	top_picture__delete(b->shown);
	top_picture__delete(b->next);
	if (b->news_fd >= 0)
		close(b->news_fd);
	if (b->end_fd >= 0)
		close(b->end_fd);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
