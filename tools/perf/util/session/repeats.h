/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that came again, counted. The first one of a kind (sample-kinds.h) is delivered in full, and who takes it says by a token
 * whether others need that, too. It holds while the process has the same maps and the thread the same name.
 */
#ifndef PERF_SESSION_REPEATS_H
#define PERF_SESSION_REPEATS_H

#include <stdbool.h>
#include "util/session/sample-kinds.h"

struct repeats;

/* What was counted for a token since it was told last. */
typedef void (*repeats_cb)(u64 token, u64 nr, u64 period, void *data);

struct repeats *repeats__new(repeats_cb cb, void *data); /* NULL: no memory */
void repeats__delete(struct repeats *repeats); /* without telling anything */

void repeats__prefetch(const struct repeats *repeats, u32 kind);
bool repeats__knows(const struct repeats *repeats, u32 kind); /* the kind has a token, which may not hold any more */

/* comm and maps_version: of the sample's thread at present. false: it has to be delivered in full. */
bool repeats__count(struct repeats *repeats, const struct kind_of_sample *sample, const char *comm, u64 maps_version);
/* One was. token 0: so will be others. Without memory it is the same. */
void repeats__set(struct repeats *repeats, u32 kind, const char *comm, u64 maps_version, u64 token);

/* Tell all that was counted, and forget all tokens. */
void repeats__flush(struct repeats *repeats);

#endif
