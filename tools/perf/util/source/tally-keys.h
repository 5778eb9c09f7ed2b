/* SPDX-License-Identifier: GPL-2.0 */
/* The keys of one round, as the counting program has sent them, with their sums. */
#ifndef PERF_SOURCE_TALLY_KEYS_H
#define PERF_SOURCE_TALLY_KEYS_H

#include <stddef.h>
#include "util/bpf_skel/tally.h"
#include "util/source/tally.h"

struct tally_keys;

/* histogram is copied; its kind may be HISTOGRAM_NONE. NULL: out of memory */
struct tally_keys *tally_keys__new(const struct histogram_config *histogram);

/* Take a record, which is copied: a key and its slot, or a sample of one. -EIO: it is none; -ENOMEM. */
int tally_keys__add(struct tally_keys *keys, const struct tally_record *record);

/* Add what is in the slots that keys have, nr in all, and clear them. No sample may be counted in them meanwhile. */
void tally_keys__take_slots(struct tally_keys *keys, struct tally_slot *slots, u32 nr);

/* In the order in which they came up. Stops at cb's negative return and hands it on. */
int tally_keys__for_each(const struct tally_keys *keys, int (*cb)(void *data, const struct tally_row *row), void *data);

/* No key has been there. */
void tally_keys__clear(struct tally_keys *keys);
void tally_keys__delete(struct tally_keys *keys); /* NULL is fine */

#endif
