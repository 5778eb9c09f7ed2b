/* SPDX-License-Identifier: GPL-2.0 */
/* The keys of one round, as the counting program has sent them, with their sums. */
#ifndef PERF_SOURCE_COUNTED_KEYS_H
#define PERF_SOURCE_COUNTED_KEYS_H

#include <stddef.h>
#include "util/bpf_skel/count.h"
#include "util/source/counter.h"

struct counted_keys;

/* hist is copied; its kind may be HIST_NONE. NULL: out of memory */
struct counted_keys *counted_keys__new(const struct hist_config *hist);

/* Take a record, which is copied: a key and its slot, or a sample of one. -EIO: it is none; -ENOMEM. */
int counted_keys__add(struct counted_keys *keys, const struct count_record *record);

/* Add what is in the slots that keys have, nr in all, and clear them. No sample may be counted in them meanwhile. */
void counted_keys__take_slots(struct counted_keys *keys, struct count_slot *slots, u32 nr);

/* In the order in which they came up. Stops at cb's negative return and hands it on. */
int counted_keys__for_each(const struct counted_keys *keys, int (*cb)(void *data, const struct counter_row *row), void *data);

/* No key has been there. */
void counted_keys__clear(struct counted_keys *keys);
void counted_keys__delete(struct counted_keys *keys); /* NULL is fine */

#endif
