// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/timing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/record/options.h"
#include "util/lib/log.h"

#define MAX_SPANS 64

static bool parse_ms(const char *arg, unsigned int *ms, const char **rest)
{
	unsigned long value;

	if (!record_options__parse_uint(arg, INT_MAX, &value, rest))
		return false;
	*ms = value;
	return true;
}

/* "10-20,30-40": each begins behind the one before. */
static int parse_spans(const char *arg, struct record_span *spans)
{
	unsigned int nr = 0, last = 0;

	for (;; arg++) {
		struct record_span *span = &spans[nr];

		if (nr++ == MAX_SPANS || !parse_ms(arg, &span->from, &arg) || *arg++ != '-' || !parse_ms(arg, &span->to, &arg) ||
		    span->from < last || span->to <= span->from)
			return 0;
		last = span->to;
		if (*arg != ',')
			return *arg ? 0 : nr;
	}
}

int record_timing__parse_delay(const struct option_row *row, const char *arg, bool unset)
{
	static struct record_span spans[MAX_SPANS];
	struct record_opts *opts = row->value;
	const char *rest;

	if (unset)
		return record_options__refuse_unset(row);
	opts->spans = spans;
	opts->start_disabled = !strcmp(arg, "-1");
	opts->nr_spans = 0;
	if (opts->start_disabled)
		return 0;
	if (parse_ms(arg, &spans[0].from, &rest) && !*rest) {
		spans[0].to = 0;
		opts->nr_spans = spans[0].from > 0;
		return 0;
	}
	opts->nr_spans = parse_spans(arg, spans);
	if (opts->nr_spans)
		return 0;
	pr_err("-D takes milliseconds, -1, or up to %d spans in ascending order, as 10-20,30-40: not \"%s\"\n", MAX_SPANS, arg);
	return -1;
}

static bool parse_fds(const char *arg, struct record_control *control)
{
	unsigned long fd, ack_fd;
	const char *rest;

	if (!record_options__parse_uint(arg, INT_MAX, &fd, &rest))
		return false;
	*control = (struct record_control){ fd, -1 };
	if (!*rest)
		return true;
	if (*rest != ',' || !record_options__parse_uint(rest + 1, INT_MAX, &ack_fd, &rest) || *rest)
		return false;
	control->ack_fd = ack_fd;
	return true;
}

/* Two numbers of open descriptors, the second one if there is a comma. */
static int take_fds(const char *arg, struct record_control *control)
{
	if (!parse_fds(arg, control)) {
		pr_err("--control fd: takes the numbers of one or two open descriptors: not \"%s\"\n", arg);
		return -1;
	}
	if (fcntl(control->fd, F_GETFD) < 0 || (control->ack_fd >= 0 && fcntl(control->ack_fd, F_GETFD) < 0)) {
		pr_err("--control fd:%s: %s\n", arg, strerror(errno));
		return -1;
	}
	return 0;
}

/* For reading and writing, so that it does not wait for the other side, and does not end when that closes it. */
static int open_fifo(const char *path, size_t len)
{
	char *name = strndup(path, len);
	struct stat st;
	int fd = name ? open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;

	if (fd < 0) {
		pr_err("--control fifo:%s: %s\n", name ?: "", strerror(errno));
	} else if (fstat(fd, &st) || !S_ISFIFO(st.st_mode)) {
		pr_err("--control fifo:%s: it is no fifo: make one with mkfifo\n", name);
		close(fd);
		fd = -1;
	}
	free(name);
	return fd;
}

static int open_fifos(const char *arg, struct record_control *control)
{
	size_t len = strcspn(arg, ",");

	control->fd = open_fifo(arg, len);
	control->ack_fd = arg[len] && control->fd >= 0 ? open_fifo(arg + len + 1, strlen(arg + len + 1)) : -1;
	return control->fd < 0 || (arg[len] && control->ack_fd < 0) ? -1 : 0;
}

int record_timing__parse_control(const struct option_row *row, const char *arg, bool unset)
{
	static struct record_control control;
	struct record_opts *opts = row->value;

	if (unset)
		return record_options__refuse_unset(row);
	opts->control = &control;
	if (!strncmp(arg, "fd:", 3))
		return take_fds(arg + 3, &control);
	if (!strncmp(arg, "fifo:", 5))
		return open_fifos(arg + 5, &control);
	pr_err("--control takes fd:in[,ack] or fifo:in[,ack]: not \"%s\"\n", arg);
	return -1;
}

/* Those that perf_event_open(2) knows. */
static const struct {
	const char *name;
	int id;
} clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC }, { "monotonic_raw", CLOCK_MONOTONIC_RAW }, { "boottime", CLOCK_BOOTTIME },
	{ "realtime", CLOCK_REALTIME }, { "tai", CLOCK_TAI }, { "mono", CLOCK_MONOTONIC }, { "raw", CLOCK_MONOTONIC_RAW },
	{ "real", CLOCK_REALTIME }, { "boot", CLOCK_BOOTTIME },
};

int record_timing__parse_clock(const struct option_row *row, const char *arg, bool unset)
{
	struct record_opts *opts = row->value;
	const char *name = arg + (strncasecmp(arg, "CLOCK_", 6) ? 0 : 6), *rest;
	unsigned long number;

	if (unset)
		return record_options__refuse_unset(row);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcasecmp(name, clocks[i].name) ||
		    (record_options__parse_uint(arg, INT_MAX, &number, &rest) && !*rest && clocks[i].id == (int)number)) {
			opts->attr.use_clockid = true;
			opts->attr.clockid = clocks[i].id;
			return 0;
		}
	}
	pr_err("-k takes monotonic, monotonic_raw, boottime, realtime or tai: not \"%s\"\n", arg);
	return -1;
}
