/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that came again, counted. The first one of some callers at some place is delivered in full, and who takes it says by a token
 * whether others need that, too. All places in a function are one if that is all that matters. Tokens hold while the process has the
 * same maps, and for threads of one name.
 */
#ifndef PERF_SESSION_REPEATS_H
#define PERF_SESSION_REPEATS_H

#include <stdbool.h>
#include "util/lib/types.h"

struct symbol;

struct repeats;

/* What was counted for a token since it was told last. */
typedef void (*repeats_cb)(u64 token, u64 nr, u64 period, void *data);

struct repeats *repeats__new(repeats_cb cb, void *data); /* NULL: no memory */
void repeats__delete(struct repeats *repeats); /* without telling anything */

/* Which place, a number of part-numbers.h, is where; 0: that was not said yet in these maps. */
u64 repeats__where(const struct repeats *repeats, u32 place, u64 maps_version);
/* function NULL: the place is one of its own. Without memory nothing is kept. Returns what repeats__where() does then. */
u64 repeats__set_where(struct repeats *repeats, u32 place, u64 maps_version, const struct symbol *function);

struct repeat_key { /* of samples that one token is for */
	const char *comm; /* of their threads: that of struct thread, which is the same for the same names */
	u64 maps_version;
	u64 where; /* repeats__where() */
	u32 callers; /* number of part-numbers.h */
};

/* What repeats__where() and repeats__find() most likely look at starts to be fetched from memory. */
void repeats__prefetch(const struct repeats *repeats, u32 place, u32 callers);

/* By what repeats__count() knows it until the next flush; 0: there is no token. */
u32 repeats__find(const struct repeats *repeats, const struct repeat_key *key);
void repeats__count(struct repeats *repeats, u32 repeat, u64 period);
/* A sample was delivered in full. token 0: so will be others. Without room it is the same. */
void repeats__set(struct repeats *repeats, const struct repeat_key *key, u64 token);

/* No more tokens can be kept until a flush. */
bool repeats__are_full(const struct repeats *repeats);
/* Tell all that was counted, and forget all tokens and places. */
void repeats__flush(struct repeats *repeats);

#endif
