// SPDX-License-Identifier: GPL-2.0
#include "util/run/control.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/run/run-state.h"

/* The source of commands */

static bool parse_fd(const char *arg, int *fd, const char **rest)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*arg))
		return false;
	errno = 0;
	value = strtoul(arg, &end, 10);
	*fd = value;
	*rest = end;
	return !errno && value <= INT_MAX;
}

static bool parse_fds(const char *arg, struct run_control *control)
{
	const char *rest;

	*control = (struct run_control){ -1, -1 };
	if (!parse_fd(arg, &control->fd, &rest))
		return false;
	return !*rest || (*rest == ',' && parse_fd(rest + 1, &control->ack_fd, &rest) && !*rest);
}

/* Parse the numbers of open descriptors; a comma precedes the second one. */
static int take_fds(struct run_control *control, const char *arg, struct errmsg *err)
{
	if (!parse_fds(arg, control))
		return errmsg__set(err, EINVAL, "--control fd: takes the numbers of one or two open descriptors: not \"%s\"", arg);
	if (fcntl(control->fd, F_GETFD) < 0 || (control->ack_fd >= 0 && fcntl(control->ack_fd, F_GETFD) < 0))
		return errmsg__set(err, errno, "--control fd:%s: %s", arg, strerror(errno));
	return 0;
}

/* Open for reading and writing, so that it does not wait for the other side, and does not end when that closes it. Returns a descriptor. */
static int open_fifo(const char *path, size_t len, struct errmsg *err)
{
	char *name = strndup(path, len);
	struct stat st;
	int fd = name ? open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;

	if (fd < 0) {
		fd = errmsg__set(err, errno, "--control fifo:%s: %s", name ?: "", strerror(errno));
	} else if (fstat(fd, &st) || !S_ISFIFO(st.st_mode)) {
		close(fd);
		fd = errmsg__set(err, EINVAL, "--control fifo:%s: it is no fifo: make one with mkfifo", name);
	}
	free(name);
	return fd;
}

static int open_fifos(struct run_control *control, const char *arg, struct errmsg *err)
{
	size_t len = strcspn(arg, ",");

	control->ack_fd = -1;
	control->fd = open_fifo(arg, len, err);
	if (control->fd < 0 || !arg[len])
		return control->fd < 0 ? control->fd : 0;
	control->ack_fd = open_fifo(arg + len + 1, strlen(arg + len + 1), err);
	if (control->ack_fd < 0)
		close(control->fd);
	return control->ack_fd < 0 ? control->ack_fd : 0;
}

int run_control__open(struct run_control *control, const char *text, struct errmsg *err)
{
	if (!strncmp(text, "fd:", 3))
		return take_fds(control, text + 3, err);
	if (!strncmp(text, "fifo:", 5))
		return open_fifos(control, text + 5, err);
	return errmsg__set(err, EINVAL, "--control takes fd:in[,ack] or fifo:in[,ack]: not \"%s\"", text);
}

/* The commands: 0, -errno with a message, or -ENOENT without one: no event has that name. */

static int run__find_event(const struct run *run, const char *name)
{
	const char *known;

	for (int i = 0; (known = run->ops->event_name ? run->ops->event_name(run->data, i) : NULL); i++) {
		if (!strcmp(known, name))
			return i;
	}
	return -ENOENT;
}

static int run__switch_event(struct run *run, const char *name, bool on, struct errmsg *err)
{
	int ret, event = run__find_event(run, name);
	struct errmsg text;

	if (event < 0)
		return event;
	ret = run->ops->switch_event(run->data, event, on, err);
	if (ret)
		return ret;
	errmsg__set(&text, EALREADY, "Event %s %s", name, on ? "enabled" : "disabled");
	run__tell(run, text.text);
	return 0;
}

static int command_enable(struct run *run, const char *event, struct errmsg *err)
{
	return event ? run__switch_event(run, event, true, err) : run__switch(run, true, err);
}

static int command_disable(struct run *run, const char *event, struct errmsg *err)
{
	return event ? run__switch_event(run, event, false, err) : run__switch(run, false, err);
}

static int command_evlist(struct run *run, const char *event, struct errmsg *err)
{
	const char *name;

	for (unsigned int i = 0; run->ops->event_name && (name = run->ops->event_name(run->data, i)); i++)
		run__tell(run, name);
	return 0;
}

static int command_ping(struct run *run, const char *event, struct errmsg *err)
{
	return 0;
}

static int command_stop(struct run *run, const char *event, struct errmsg *err)
{
	run_loop__end(run->loop);
	return 0;
}

static const struct command {
	const char *name;
	bool takes_event; /* may be followed by the name of an event */
	int (*obey)(struct run *run, const char *event, struct errmsg *err); /* event NULL: no name was given */
} commands[] = {
	{ "enable", true, command_enable },
	{ "disable", true, command_disable },
	{ "evlist", false, command_evlist },
	{ "ping", false, command_ping },
	{ "stop", false, command_stop },
};

static int run__look_up_and_obey(struct run *run, const char *line, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		size_t len = strlen(commands[i].name);

		if (strncmp(line, commands[i].name, len))
			continue;
		if (!line[len])
			return commands[i].obey(run, NULL, err);
		if (line[len] == ' ' && commands[i].takes_event)
			return commands[i].obey(run, line + len + 1, err);
	}
	return -ENOENT;
}

static void run__acknowledge(const struct run *run)
{
	static const char ack[] = "ack\n";

	if (run->opts.control->ack_fd >= 0 && write(run->opts.control->ack_fd, ack, sizeof(ack) - 1) < 0)
		run__tell(run, "Nobody takes the answers to commands any more");
}

/* Unknown commands and events get no answer. */
static int run__obey(struct run *run, const char *line, struct errmsg *err)
{
	int ret = run__look_up_and_obey(run, line, err);
	struct errmsg text;

	if (!ret)
		run__acknowledge(run);
	if (ret != -ENOENT)
		return ret;
	errmsg__set(&text, EINVAL, "--control: unknown command, or unknown event: %s", line);
	run__tell(run, text.text);
	return 0;
}

/* Commands arrive in pieces, and several at a time. */
static int run__read_commands(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct run *run = data;
	char piece[256];
	ssize_t n = read(run->on_control.fd, piece, sizeof(piece));
	int ret = 0;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : errmsg__set(err, errno, "cannot read commands: %s", strerror(errno));
	if (!n) /* the other end of a pipe is closed */
		run->on_control.fd = -1;
	for (ssize_t i = 0; i < n && !ret; i++) {
		if (piece[i] != '\n' && piece[i]) {
			/* A line that is too long is not a command, whatever its end is. */
			if (run->line_len < sizeof(run->line) - 1)
				run->line[run->line_len++] = piece[i];
			continue;
		}
		run->line[run->line_len] = '\0';
		if (run->line_len)
			ret = run__obey(run, run->line, err);
		run->line_len = 0;
	}
	return ret;
}

void run__add_control(struct run *run)
{
	if (run->opts.control)
		run_loop__add_fd(run->loop, &run->on_control, run->opts.control->fd, run__read_commands, run);
}
