/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Caches tokens of the parts of samples: the place of the sample, and its callers (part-numbers.h). A token is the consumer's
 * reference to what it kept for a part. Tokens are valid while the process has the same maps.
 */
#ifndef PERF_SESSION_KNOWN_PARTS_H
#define PERF_SESSION_KNOWN_PARTS_H

#include <stdbool.h>
#include "util/session/part-numbers.h"

struct known_parts;

struct part_versions { /* the versions of the maps that the parts of a sample depend on */
	u64 place, callers;
};

struct known_parts *known_parts__new(void); /* NULL: no memory */
void known_parts__delete(struct known_parts *parts);

/* Prefetch the parts of this sample. */
void known_parts__prefetch(const struct known_parts *parts, const struct sample_parts *sample);
/* Are both parts known, perhaps with other maps? */
bool known_parts__has(const struct known_parts *parts, const struct sample_parts *sample);
/* false: one of them is not known with these maps. */
bool known_parts__find(const struct known_parts *parts, const struct sample_parts *sample, const struct part_versions *versions,
		       struct session_tokens *tokens);
/* Without memory nothing is stored. */
void known_parts__set(struct known_parts *parts, const struct sample_parts *sample, const struct part_versions *versions,
		      const struct session_tokens *tokens);
void known_parts__forget(struct known_parts *parts);

#endif
