/* SPDX-License-Identifier: GPL-2.0 */
/* Events that switch the output of samples on and off: --switch-on and --switch-off. */
#ifndef PERF_CMD_READ_SWITCH_H
#define PERF_CMD_READ_SWITCH_H

#include "util/lib/options.h"
#include "util/session/session.h"

struct sample_switch {
	const char *on_name, *off_name; /* the options; NULL: not given */
	bool show;			/* show the switching samples, too */
	const struct session_event *on, *off;
	bool is_off;
};

/* Rows for a table of options; s is a struct sample_switch with static storage. */
#define SAMPLE_SWITCH_OPTIONS(s)                                                                              \
	OPT_STRING(0, "switch-on", &(s).on_name, "event", "hide what comes before a sample of this event"), \
	OPT_STRING(0, "switch-off", &(s).off_name, "event", "hide what comes after a sample of this event"), \
	OPT_BOOL(0, "show-on-off-events", &(s).show, "show the samples of --switch-on and --switch-off, too")

/* After parsing and opening. 0; -ENOENT: there is no such event. */
int sample_switch__init(struct sample_switch *sw, struct session *s, struct errmsg *err);

/* Was either option given? */
static inline bool sample_switch__is_used(const struct sample_switch *sw)
{
	return sw->on_name || sw->off_name;
}

/* For each sample, in time order: is it skipped? */
bool sample_switch__leaves_out(struct sample_switch *sw, const struct session_event *event);

#endif
