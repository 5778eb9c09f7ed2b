/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts repeated samples. The first sample with certain callers and place is delivered in full, and the consumer says by a token
 * whether it needs the others, too. Places in one function count as equal if only the function matters. Tokens are valid while the
 * process has the same maps, and for threads with the same name.
 */
#ifndef PERF_SESSION_REPEATS_H
#define PERF_SESSION_REPEATS_H

#include <stdbool.h>
#include "util/lib/types.h"

struct symbol;

struct repeats;

/* Gets what was counted for a token since the last call. */
typedef void (*repeats_cb)(u64 token, u64 nr, u64 period, void *data);

struct repeats *repeats__new(repeats_cb cb, void *data); /* NULL: no memory */
void repeats__delete(struct repeats *repeats); /* without calling cb */

/* The location of a place, which is a number of part-numbers.h; 0: not set with these maps. */
u64 repeats__where(const struct repeats *repeats, u32 place, u64 maps_version);
/*
 * Set it; function NULL: the place is a location of its own. Without memory nothing is stored. Returns what repeats__where() returns
 * from now on.
 */
u64 repeats__set_where(struct repeats *repeats, u32 place, u64 maps_version, const struct symbol *function);

struct repeat_key { /* of the samples that share a token */
	const char *comm; /* of their threads: the pointer in struct thread, which is equal for equal names */
	u64 maps_version;
	u64 where; /* repeats__where() */
	u32 callers; /* number from part-numbers.h */
};

/* Prefetch what repeats__where() and repeats__find() will most likely read. */
void repeats__prefetch(const struct repeats *repeats, u32 place, u32 callers);

/* The same for repeats__find() in steps, when where is known, with other keys in between: a number of callers may have many repeats. */
void repeats__prefetch_slot(const struct repeats *repeats, const struct repeat_key *key);
void repeats__prefetch_repeat(const struct repeats *repeats, const struct repeat_key *key);

/* The handle for repeats__count(), valid until the next flush; 0: there is no token. */
u32 repeats__find(const struct repeats *repeats, const struct repeat_key *key);
void repeats__count(struct repeats *repeats, u32 repeat, u64 period);
/* Store the token of a sample that was delivered in full. token 0: deliver others in full, too. Without memory the same applies. */
void repeats__set(struct repeats *repeats, const struct repeat_key *key, u64 token);

/* true: no more tokens can be stored until a flush. */
bool repeats__are_full(const struct repeats *repeats);
/* Call cb for all counted samples, and drop all tokens and places. */
void repeats__flush(struct repeats *repeats);

#endif
