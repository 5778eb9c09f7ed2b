/* SPDX-License-Identifier: GPL-2.0 */
/* The keys of one round, as the program sent them, with their sums. */
#ifndef PERF_SOURCE_TALLY_KEYS_H
#define PERF_SOURCE_TALLY_KEYS_H

#include <stddef.h>
#include "util/bpf_skel/tally.h"
#include "util/source/tally.h"

struct tally_keys;

/* histogram is copied; its kind may be HISTOGRAM_NONE. values: for rows. NULL: out of memory */
struct tally_keys *tally_keys__new(const struct histogram_config *histogram, struct tally_values *values);

/* Add a record, which is copied: a key and its slot, or a sample of a key. -EIO: malformed; -ENOMEM. */
int tally_keys__add(struct tally_keys *keys, const struct tally_record *record);

/* Add the counts of the keys' slots, nr in all, and clear them. No program may count in them during the call. */
void tally_keys__take_slots(struct tally_keys *keys, struct tally_slot *slots, u32 nr);

/* In the order of arrival. Stops at a negative return of cb and returns it. */
int tally_keys__for_each(const struct tally_keys *keys, int (*cb)(void *data, const struct tally_row *row), void *data);

/* Remove all keys. */
void tally_keys__clear(struct tally_keys *keys);
void tally_keys__delete(struct tally_keys *keys); /* NULL is fine */

#endif
