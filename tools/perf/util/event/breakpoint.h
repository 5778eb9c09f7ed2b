/* SPDX-License-Identifier: GPL-2.0 */
/* Breakpoints as events: mem:ADDRESS[/LENGTH][:ACCESS] */
#ifndef PERF_EVENT_BREAKPOINT_H
#define PERF_EVENT_BREAKPOINT_H

#include <linux/perf_event.h>
#include <stdbool.h>

#define BREAKPOINT_PREFIX "mem:"

/*
 * Fill in attr from text, which begins with the prefix. As in perf: the default length is 4 bytes, or for execution the kernel's
 * required length; the default access is read and write. -EINVAL: *why is a static message.
 */
int breakpoint__parse(struct perf_event_attr *attr, const char *text, const char **why);

#endif
