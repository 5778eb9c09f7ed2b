/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The letters behind an event: u k h (user, kernel, hypervisor), H G (host, guest), I (not when idle), p pp ppp P (precision), S (the
 * leader samples for its group), D (pinned), e (exclusive), R (latency of retirement); behind a group W (weak), too.
 */
#ifndef PERF_EVENT_MODIFIER_H
#define PERF_EVENT_MODIFIER_H

#include <stdbool.h>
#include "util/event/evsel.h"

/*
 * Apply the event's own modifiers and those of its group to evsel; either may be NULL. As upstream both count: u and k
 * together are both levels, p and p are pp. -EINVAL: *at is the index of the letter in mods that is wrong and *why a static
 * text about it; evsel is then unchanged. group has passed modifier__check(). leads: evsel is the first of its group.
 */
int modifier__apply(struct evsel *evsel, const char *mods, const char *group, bool leads, unsigned int *at,
		    const char **why);
int modifier__check(const char *mods, unsigned int *at, const char **why);

/* Does the word consist of letters that perf knows as modifiers, used right or wrong? */
bool modifier__looks_like(const char *word);

#endif
