/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The letters after an event: u k h (user, kernel, hypervisor), H G (host, guest), I (not when idle), p pp ppp P (precision), S (the
 * leader samples for its group), D (pinned), e (exclusive), R (retirement latency); after a group also W (weak).
 */
#ifndef PERF_EVENT_MODIFIER_H
#define PERF_EVENT_MODIFIER_H

#include <stdbool.h>
#include "util/event/evsel.h"

/*
 * Apply the event's own modifiers and those of its group to evsel; either may be NULL. As in upstream they add up: u and k are both
 * levels, p and p are pp. -EINVAL: *at is the index of the wrong letter in mods and *why a static message; evsel is then unchanged.
 * group must have passed modifier__check(). leads: evsel is the first of its group.
 */
int modifier__apply(struct evsel *evsel, const char *mods, const char *group, bool leads, unsigned int *at,
		    const char **why);
int modifier__check(const char *mods, unsigned int *at, const char **why);

/* Does the word consist of perf's modifier letters, in a valid or invalid combination? */
bool modifier__looks_like(const char *word);

#endif
