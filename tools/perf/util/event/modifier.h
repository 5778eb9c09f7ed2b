/* SPDX-License-Identifier: GPL-2.0 */
/* The letters behind an event: u k h (user, kernel, hypervisor), H G (host, guest), p pp ppp P (precision). */
#ifndef PERF_EVENT_MODIFIER_H
#define PERF_EVENT_MODIFIER_H

#include <stdbool.h>
#include "util/event/evsel.h"

/*
 * Apply mods to evsel. On -EINVAL *at is the index of the letter that is wrong and *why a static text about it; evsel is
 * then unchanged.
 */
int modifier__apply(struct evsel *evsel, const char *mods, unsigned int *at, const char **why);

/* Does the word consist of letters that perf knows as modifiers, used right or wrong? */
bool modifier__looks_like(const char *word);

#endif
