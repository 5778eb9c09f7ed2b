/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What came before as part of a sample: its own place, and its callers (part-numbers.h). Who took it says by tokens what it has kept of
 * both. They hold while the process has the same maps.
 */
#ifndef PERF_SESSION_KNOWN_PARTS_H
#define PERF_SESSION_KNOWN_PARTS_H

#include <stdbool.h>
#include "util/session/part-numbers.h"

struct known_parts;

struct known_parts *known_parts__new(void); /* NULL: no memory */
void known_parts__delete(struct known_parts *parts);

/* Parts that this sample needs are about to be looked for. */
void known_parts__prefetch(const struct known_parts *parts, const struct sample_parts *sample);
/* Both are known, if perhaps in other maps. */
bool known_parts__has(const struct known_parts *parts, const struct sample_parts *sample);
/* false: one of them is not known in these maps. */
bool known_parts__find(const struct known_parts *parts, const struct sample_parts *sample, u64 maps_version,
		       struct session_tokens *tokens);
/* Without memory they stay unknown. */
void known_parts__set(struct known_parts *parts, const struct sample_parts *sample, u64 maps_version,
		      const struct session_tokens *tokens);
void known_parts__forget(struct known_parts *parts);

#endif
