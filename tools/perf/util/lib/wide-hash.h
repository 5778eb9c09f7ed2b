/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash that stands for many words: different ones have equal hashes with a probability below 2^-126, whatever they are. It depends on
 * random keys, so nobody can make words whose hashes are equal.
 */
#ifndef PERF_LIB_WIDE_HASH_H
#define PERF_LIB_WIDE_HASH_H

#include "util/lib/types.h"

#define WIDE_HASH_WORDS 8192 /* more than a record has */

struct wide_hash {
	u64 half[2];
};

struct wide_hash_keys;

struct wide_hash_keys *wide_hash_keys__new(void); /* NULL: no memory */
void wide_hash_keys__delete(struct wide_hash_keys *keys);

/* The hash of nr words, at most WIDE_HASH_WORDS, and of two that are apart from them, which must tell nr. */
struct wide_hash wide_hash__of(const struct wide_hash_keys *keys, const u64 *word, u32 nr, const u64 apart[2]);

#endif
