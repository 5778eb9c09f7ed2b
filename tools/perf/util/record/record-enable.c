// SPDX-License-Identifier: GPL-2.0
#include "util/record/record-state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool record__starts_disabled(const struct record *rec)
{
	return rec->opts->start_disabled || rec->opts->nr_spans;
}

static void record__tell(const struct record *rec, const char *text)
{
	if (rec->opts->note)
		rec->opts->note(rec->opts->note_data, text);
}

static int record__switch(struct record *rec, bool on)
{
	int ret = on ? sampler__enable(rec->sampler, rec->err) : sampler__pause(rec->sampler);

	if (ret)
		return on ? ret : errmsg__set(rec->err, -ret, "cannot disable the events: %s", strerror(-ret));
	record__tell(rec, on ? "Events enabled" : "Events disabled");
	return 0;
}

/* Spans */

/* When the next one begins or ends, in ms from the start; -1: there is none. */
static s64 record__next_switch(const struct record *rec)
{
	const struct record_span *span = &rec->opts->spans[rec->switches / 2];

	if (rec->switches / 2 >= rec->opts->nr_spans)
		return -1;
	if (rec->switches % 2 == 0)
		return span->from;
	return span->to ? (s64)span->to : -1;
}

/* With the last span the recording is over, as in other perfs. */
int record__handle_spans(struct record *rec, bool *over)
{
	s64 next;
	int ret = 0;

	while (!ret && (next = record__next_switch(rec)) >= 0 && record__now_ms() >= rec->start + next)
		ret = record__switch(rec, rec->switches++ % 2 == 0);
	*over |= rec->opts->nr_spans && rec->switches == 2 * rec->opts->nr_spans;
	return ret;
}

int record__begin_spans(struct record *rec)
{
	bool over = false;

	rec->start = record__now_ms();
	if (record__starts_disabled(rec))
		record__tell(rec, "Events disabled");
	return record__handle_spans(rec, &over);
}

int record__span_patience(const struct record *rec)
{
	s64 next = record__next_switch(rec);
	u64 now = record__now_ms();

	if (next < 0)
		return -1;
	return rec->start + next > now ? rec->start + next - now : 0;
}

/* Control */

static void record__acknowledge(const struct record *rec)
{
	static const char ack[] = "ack\n";

	if (rec->opts->control->ack_fd >= 0 && write(rec->opts->control->ack_fd, ack, sizeof(ack) - 1) < 0)
		record__tell(rec, "Nobody takes the answers to commands any more");
}

/* The word behind a command is the name of an event. */
static int record__switch_event(struct record *rec, bool on, const char *name)
{
	struct errmsg text;
	unsigned int i;
	int ret;

	for (i = 0; i < rec->evlist->nr && strcmp(rec->evlist->evsel[i]->name, name); i++)
		;
	if (i == rec->evlist->nr)
		return -ENOENT;
	ret = on ? sampler__enable_event(rec->sampler, i, rec->err) : sampler__disable_event(rec->sampler, i);
	if (ret)
		return on ? ret : errmsg__set(rec->err, -ret, "cannot disable event %s: %s", name, strerror(-ret));
	errmsg__set(&text, EALREADY, "Event %s %s", name, on ? "enabled" : "disabled");
	record__tell(rec, text.text);
	return 0;
}

static void record__list_events(const struct record *rec)
{
	for (unsigned int i = 0; i < rec->evlist->nr; i++)
		record__tell(rec, rec->evlist->evsel[i]->name);
}

/* What is not known, and events that are not, have no answer. */
static int record__obey(struct record *rec, const char *command, bool *over)
{
	int ret = 0;

	if (!strcmp(command, "enable") || !strcmp(command, "disable"))
		ret = record__switch(rec, *command == 'e');
	else if (!strncmp(command, "enable ", 7))
		ret = record__switch_event(rec, true, command + 7);
	else if (!strncmp(command, "disable ", 8))
		ret = record__switch_event(rec, false, command + 8);
	else if (!strcmp(command, "evlist"))
		record__list_events(rec);
	else if (!strcmp(command, "stop"))
		*over = true;
	else if (strcmp(command, "ping"))
		ret = -ENOENT;
	if (ret == -ENOENT) {
		struct errmsg text;

		errmsg__set(&text, EINVAL, "A command by --control is not known, or names no event: %s", command);
		record__tell(rec, text.text);
		return 0;
	}
	if (!ret)
		record__acknowledge(rec);
	return ret;
}

/* Commands come in pieces, and several at a time. */
int record__handle_control(struct record *rec, bool *over)
{
	char piece[256];
	ssize_t n = read(rec->control_fd, piece, sizeof(piece));
	int ret = 0;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : errmsg__set(rec->err, errno, "cannot read commands: %s", strerror(errno));
	if (!n) /* the other end of a pipe is closed */
		rec->control_fd = -1;
	for (ssize_t i = 0; i < n && !ret; i++) {
		if (piece[i] != '\n' && piece[i]) {
			/* What is too long is no command of ours, whatever its end is. */
			if (rec->command_len < sizeof(rec->command) - 1)
				rec->command[rec->command_len++] = piece[i];
			continue;
		}
		rec->command[rec->command_len] = '\0';
		if (rec->command_len)
			ret = record__obey(rec, rec->command, over);
		rec->command_len = 0;
	}
	return ret;
}
