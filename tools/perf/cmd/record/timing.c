// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/timing.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cmd/record/options.h"
#include "util/lib/log.h"

int record_timing__parse_delay(const struct option_row *row, const char *arg, bool unset)
{
	static struct run_span spans[RUN_MAX_SPANS];
	struct record_opts *opts = row->value;
	int nr;

	if (unset)
		return record_options__refuse_unset(row);
	opts->run.start_disabled = !strcmp(arg, "-1");
	nr = opts->run.start_disabled ? 0 : run_spans__parse(arg, spans);
	opts->run.spans = spans;
	opts->run.nr_spans = nr > 0 ? nr : 0;
	if (nr >= 0)
		return 0;
	pr_err("-D takes milliseconds, -1, or up to %d spans in ascending order, as 10-20,30-40: not \"%s\"\n", RUN_MAX_SPANS, arg);
	return -1;
}

int record_timing__parse_control(const struct option_row *row, const char *arg, bool unset)
{
	static struct run_control control;
	struct record_opts *opts = row->value;
	struct errmsg err;

	if (unset)
		return record_options__refuse_unset(row);
	opts->run.control = &control;
	if (!run_control__open(&control, arg, &err))
		return 0;
	pr_err("%s\n", err.text);
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
