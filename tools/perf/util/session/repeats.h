/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that came again, counted. The first one of a kind (sample-kinds.h) is delivered in full, and who takes it says by a token
 * whether others need that, too. It holds while the process has the same maps and the thread the same name: that is the state that is
 * meant here. A token may be for all kinds with the same callers that are in the same function.
 */
#ifndef PERF_SESSION_REPEATS_H
#define PERF_SESSION_REPEATS_H

#include <stdbool.h>
#include "util/session/sample-kinds.h"

struct symbol;

struct repeats;

/* What was counted for a token since it was told last. */
typedef void (*repeats_cb)(u64 token, u64 nr, u64 period, void *data);

struct repeats *repeats__new(repeats_cb cb, void *data); /* NULL: no memory */
void repeats__delete(struct repeats *repeats); /* without telling anything */

struct repeat_state { /* of the sample's thread at present */
	const char *comm;
	u64 maps_version;
};

void repeats__prefetch(const struct repeats *repeats, u32 kind);
bool repeats__knows(const struct repeats *repeats, u32 kind); /* the kind has a token, which may not hold any more */
void repeats__prefetch_callers(const struct repeats *repeats, u32 callers);
bool repeats__knows_callers(const struct repeats *repeats, u32 callers);

/* false: it is not known where. */
bool repeats__count(struct repeats *repeats, const struct kind_of_sample *sample, const struct repeat_state *state);
/* The same for a sample in function sym: others of the kind are counted then, too. */
bool repeats__count_in_function(struct repeats *repeats, const struct kind_of_sample *sample, const struct repeat_state *state,
				const struct symbol *sym);

/* A sample was delivered in full. token 0: so will be others of its kind. Without memory it is the same. */
void repeats__set(struct repeats *repeats, u32 kind, const struct repeat_state *state, u64 token);
void repeats__set_function(struct repeats *repeats, u32 callers, const struct repeat_state *state, const struct symbol *sym, u64 token);

/* Tell all that was counted, and forget all tokens. */
void repeats__flush(struct repeats *repeats);

#endif
