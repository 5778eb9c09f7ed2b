// SPDX-License-Identifier: GPL-2.0
#include "cmd/read/switch.h"

#include <errno.h>
#include <string.h>

static int find_event(struct session *s, const char *option, const char *name, const struct session_event **event,
		      struct errmsg *err)
{
	for (u32 i = 0; name && i < session__nr_events(s); i++) {
		if (!strcmp(session__event(s, i)->name, name)) {
			*event = session__event(s, i);
			return 0;
		}
	}
	return name ? errmsg__set(err, ENOENT, "%s: event not found (%s)\nHint: 'perf evlist' shows the events of a file", option, name)
		    : 0;
}

int sample_switch__init(struct sample_switch *sw, struct session *s, struct errmsg *err)
{
	int ret = find_event(s, "--switch-on", sw->on_name, &sw->on, err);

	ret = ret ?: find_event(s, "--switch-off", sw->off_name, &sw->off, err);
	sw->is_off = sw->on;
	return ret;
}

bool sample_switch__leaves_out(struct sample_switch *sw, const struct session_event *event)
{
	bool border = false;

	if (sw->is_off && sw->on) {
		border = event == sw->on;
		sw->is_off = !border;
	} else if (sw->off && !sw->is_off && event == sw->off) {
		border = sw->is_off = true;
	}
	return border ? !sw->show : sw->is_off;
}
