/* SPDX-License-Identifier: GPL-2.0 */
/* Breakpoints as events: mem:ADDRESS[/LENGTH][:ACCESS] */
#ifndef PERF_EVENT_BREAKPOINT_H
#define PERF_EVENT_BREAKPOINT_H

#include <linux/perf_event.h>
#include <stdbool.h>

#define BREAKPOINT_PREFIX "mem:"

/*
 * Fill in what text, which begins with the prefix, says. As perf has it: without a length 4 bytes, or, to be executed, what the
 * kernel wants there; without an access reads and writes. -EINVAL: *why is a static text about it.
 */
int breakpoint__parse(struct perf_event_attr *attr, const char *text, const char **why);

#endif
