// SPDX-License-Identifier: GPL-2.0
/*
 * Two universal hashes, one after the other. NH, as in UMAC (RFC 4418) but of 64-bit words, needs one multiplication for two words: different
 * words have equal sums in 1 of 2^64 cases. With keys that are two words on it is as if these were independent (Toeplitz), so two sums
 * are equal in 1 of 2^128 cases. The second hash is a sum of products with keys of twice the width, of which the upper halves are strongly
 * universal: it makes 128 of 256 bits.
 */
#include "util/lib/wide-hash.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

typedef unsigned __int128 wide;

#define NR_SUMS 6 /* words of the second hash */

struct wide_hash_keys {
	wide second[2][NR_SUMS + 1];
	u64 first[WIDE_HASH_WORDS + 4];
};

/* false: it is refused, as some containers do. */
static bool fill(void *to, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t got = getrandom((char *)to + at, size - at, 0); /* a signal may interrupt it */

		if (got < 0 && errno != EINTR)
			return false;
		at += got < 0 ? 0 : got;
	}
	return true;
}

/* Make keys of the 16 random bytes that the kernel gives each program, with the generator SplitMix64. */
static void fill_from_seed(void *to, size_t size)
{
	u64 seed[2], word;

	memcpy(seed, (const void *)getauxval(AT_RANDOM), sizeof(seed));
	for (size_t at = 0; at < size; at += sizeof(word)) {
		word = seed[at / sizeof(word) % 2] += 0x9e3779b97f4a7c15ULL;
		word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ULL;
		word = (word ^ word >> 27) * 0x94d049bb133111ebULL;
		word ^= word >> 31;
		memcpy((char *)to + at, &word, sizeof(word));
	}
}

struct wide_hash_keys *wide_hash_keys__new(void)
{
	struct wide_hash_keys *keys = malloc(sizeof(*keys));

	if (keys && !fill(keys, sizeof(*keys)))
		fill_from_seed(keys, sizeof(*keys));
	return keys;
}

void wide_hash_keys__delete(struct wide_hash_keys *keys)
{
	free(keys);
}

static u64 second(const wide *key, const u64 *sum)
{
	wide all = key[NR_SUMS];

#pragma GCC unroll 6
	for (u32 i = 0; i < NR_SUMS; i++)
		all += key[i] * sum[i];
	return all >> 64;
}

struct wide_hash wide_hash__of(const struct wide_hash_keys *keys, const u64 *word, u32 nr, const u64 apart[2])
{
	const u64 *key = keys->first;
	wide a = 0, b = 0;

	for (; nr > 1; nr -= 2, word += 2, key += 2) {
		a += (wide)(word[0] + key[0]) * (word[1] + key[1]);
		b += (wide)(word[0] + key[2]) * (word[1] + key[3]);
	}
	if (nr) { /* as if a zero followed */
		a += (wide)(word[0] + key[0]) * key[1];
		b += (wide)(word[0] + key[2]) * key[3];
	}
	const u64 sum[NR_SUMS] = { a, a >> 64, b, b >> 64, apart[0], apart[1] };

	return (struct wide_hash){ { second(keys->second[0], sum), second(keys->second[1], sum) } };
}
