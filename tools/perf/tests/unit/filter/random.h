/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that are the same on every machine. */
#ifndef PERF_TESTS_RANDOM_H
#define PERF_TESTS_RANDOM_H

#include <stdint.h>
#include "util/lib/types.h"

/* xorshift64* */
static u64 seed = 0x9e3779b97f4a7c15ULL;

static unsigned int rnd(unsigned int n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * 0x2545f4914f6cdd1dULL >> 33) % n;
}

#define PICK(list) (list)[rnd(ARRAY_SIZE(list))]

/* Numbers that are often equal, and extreme ones. */
static const u64 pool[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 255, 256, 1000, UINT64_MAX - 1, UINT64_MAX };

static u64 rnd_value(void)
{
	return PICK(pool);
}

#endif
