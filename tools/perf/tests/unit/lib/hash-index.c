// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/lib/hash-index.h"

static u32 found(const struct hash_index *index, u32 hash, u32 place)
{
	const struct hash_slot *slot;
	u32 i = hash, nr = 0;

	while ((slot = hash_index__next(index, hash, &i)))
		nr += slot->place == place + 1;
	return nr;
}

/* Also those that stood at the table's start because its end was full, each time that it grew. */
static void all_are_found(u32 (*hash_of)(u32 i), u32 nr)
{
	struct hash_index index = {};

	for (u32 i = 0; i < nr; i++) {
		assert_int_equal(hash_index__add(&index, hash_of(i), i), 0);
		if (i & (i + 1) && i % 1000)
			continue;
		for (u32 k = 0; k <= i; k += 1 + k / 50)
			assert_int_equal(found(&index, hash_of(k), k), 1);
	}
	for (u32 i = 0; i < nr; i++)
		assert_int_equal(found(&index, hash_of(i), i), 1);
	assert_int_equal(index.nr, nr);
	hash_index__empty(&index);
	assert_int_equal(found(&index, hash_of(1), 1), 0);
	hash_index__exit(&index);
}

static u32 mixed(u32 i)
{
	return hash_mix(i, 7);
}

static u32 near_the_end(u32 i)
{
	return UINT32_MAX - i % 300;
}

/* At the end of a table of 1024, 2048 ... slots, and no longer in the next one. */
static u32 before_an_end(u32 i)
{
	return (1024U << i % 6) - 1 - i % 100;
}

static void mixed_hashes_are_found(void **state)
{
	all_are_found(mixed, 700000); /* beyond 2 MiB, where the table grows by moving its pages */
}

static void hashes_near_the_end_are_found(void **state)
{
	all_are_found(near_the_end, 3000);
}

static void hashes_before_an_end_are_found(void **state)
{
	all_are_found(before_an_end, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mixed_hashes_are_found),
		cmocka_unit_test(hashes_near_the_end_are_found),
		cmocka_unit_test(hashes_before_an_end_are_found),
	};

	return cmocka_run_group_tests_name("lib/hash-index", tests, NULL, NULL);
}
