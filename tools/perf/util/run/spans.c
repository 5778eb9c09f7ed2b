// SPDX-License-Identifier: GPL-2.0
#include "util/run/spans.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include "util/run/run-state.h"

static bool parse_ms(const char *text, unsigned int *ms, const char **rest)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*ms = value;
	*rest = end;
	return !errno && value <= INT_MAX;
}

int run_spans__parse(const char *text, struct run_span spans[RUN_MAX_SPANS])
{
	unsigned int nr = 0, last = 0;
	const char *rest;

	if (parse_ms(text, &spans[0].from, &rest) && !*rest) {
		spans[0].to = 0;
		return spans[0].from > 0;
	}
	for (;; text++) {
		struct run_span *span = &spans[nr];

		if (nr++ == RUN_MAX_SPANS || !parse_ms(text, &span->from, &text) || *text++ != '-' || !parse_ms(text, &span->to, &text) ||
		    span->from < last || span->to <= span->from)
			return -EINVAL;
		last = span->to;
		if (*text != ',')
			return *text ? -EINVAL : (int)nr;
	}
}

bool run__starts_disabled(const struct run *run)
{
	return run->opts.start_disabled || run->opts.nr_spans;
}

int run__switch(struct run *run, bool on, struct errmsg *err)
{
	int ret = run->ops->enable(run->data, on, err);

	if (!ret && !run->opts.silent_switches)
		run__tell(run, on ? "Events enabled" : "Events disabled");
	return ret;
}

/* ms of run_loop__now() when the next span begins or ends; 0: none. */
static u64 run__next_switch(const struct run *run)
{
	const struct run_span *span = &run->opts.spans[run->switches / 2];

	if (run->switches / 2 >= run->opts.nr_spans)
		return 0;
	if (run->switches % 2 == 0)
		return run->start + span->from;
	return span->to ? run->start + span->to : 0;
}

/* The last span ends the run, as in other perfs. */
static int run__handle_spans(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct run *run = data;
	int ret = 0;
	u64 next;

	while (!ret && (next = run__next_switch(run)) && run_loop__now() >= next)
		ret = run__switch(run, run->switches++ % 2 == 0, err);
	run->on_spans.due = next;
	if (run->switches == 2 * run->opts.nr_spans)
		run_loop__end(loop);
	return ret;
}

int run__begin_spans(struct run *run, struct errmsg *err)
{
	run->start = run_loop__now();
	if (run__starts_disabled(run) && !run->opts.silent_switches)
		run__tell(run, "Events disabled");
	return run->opts.nr_spans ? run__handle_spans(run->loop, run, err) : 0;
}

void run__add_spans(struct run *run)
{
	run_loop__add_timer(run->loop, &run->on_spans, 0, 0, run__handle_spans, run);
}
