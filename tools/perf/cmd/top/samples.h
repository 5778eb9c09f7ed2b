/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf top has counted so far: each place with its callers once, with the sums of its samples. The table that is shown is made of them
 * anew each time, so that all options of perf report work here as there.
 */
#ifndef PERF_CMD_TOP_SAMPLES_H
#define PERF_CMD_TOP_SAMPLES_H

#include "util/session/session.h"

struct top_samples;

struct top_samples *top_samples__new(void); /* NULL: no memory */
void top_samples__delete(struct top_samples *samples);

/* Add a counted sample of a live session, which must outlive its samples. 0 or -ENOMEM. */
int top_samples__add(struct top_samples *samples, const struct session_sample *sample);
/* Older samples count an eighth less, and are forgotten when nothing is left of them; zero: forget all. */
void top_samples__age(struct top_samples *samples, bool zero);
/* Forget all samples, and all references into the session. */
void top_samples__clear(struct top_samples *samples);
/* Call cb for each; a return that is not 0 ends it and is returned. */
int top_samples__for_each(struct top_samples *samples, int (*cb)(const struct session_sample *sample, void *data), void *data);

#endif
