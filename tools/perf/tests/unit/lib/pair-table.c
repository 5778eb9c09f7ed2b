// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/lib/pair-table.h"

static u32 find(const struct pair_table *table, struct pair pair)
{
	return pair_table__find(table, pair, pair__hash(pair));
}

static void add(struct pair_table *table, struct pair pair, u32 value)
{
	assert_int_equal(find(table, pair), 0);
	assert_int_equal(pair_table__add(table, pair, pair__hash(pair), value), 0);
	assert_int_equal(find(table, pair), value);
}

/* Pairs that differ in one of their numbers only */
static struct pair pair_at(u32 i)
{
	return (struct pair){ i % 1000 * 0x100000001ULL, (u64)(i / 1000) << 20 };
}

static void pairs_are_found_while_it_grows(void **state)
{
	struct pair_table table = {};
	const u32 nr = 300000;

	assert_int_equal(find(&table, pair_at(0)), 0);
	pair_table__prefetch(&table, 0);
	for (u32 i = 0; i < nr; i++) {
		add(&table, pair_at(i), i + 1);
		for (u32 k = 0; !(i & (i + 1)) && k <= i; k++)
			assert_int_equal(find(&table, pair_at(k)), k + 1);
	}
	for (u32 i = 0; i < nr; i++)
		assert_int_equal(find(&table, pair_at(i)), i + 1);
	assert_int_equal(find(&table, pair_at(nr)), 0);
	pair_table__empty(&table);
	assert_int_equal(find(&table, pair_at(1)), 0);
	add(&table, pair_at(1), 7);
	pair_table__exit(&table);
	assert_int_equal(find(&table, pair_at(1)), 0);
	pair_table__exit(&table);
}

static void all_bits_count(void **state)
{
	const u64 last = (1ULL << PAIR_SECOND_BITS) - 1;
	struct pair_table table = {};

	add(&table, (struct pair){ 0, 0 }, 1);
	add(&table, (struct pair){ UINT64_MAX, last }, (1 << PAIR_VALUE_BITS) - 1);
	for (u32 bit = 0; bit < 64; bit++)
		add(&table, (struct pair){ 1ULL << bit, 0 }, 2 + bit);
	for (u32 bit = 0; bit < PAIR_SECOND_BITS; bit++)
		add(&table, (struct pair){ 0, 1ULL << bit }, 100 + bit);
	assert_int_equal(find(&table, (struct pair){ 0, 0 }), 1);
	assert_int_equal(find(&table, (struct pair){ UINT64_MAX, last }), (1 << PAIR_VALUE_BITS) - 1);
	for (u32 bit = 0; bit < 64; bit++)
		assert_int_equal(find(&table, (struct pair){ 1ULL << bit, 0 }), 2 + bit);
	for (u32 bit = 0; bit < PAIR_SECOND_BITS; bit++)
		assert_int_equal(find(&table, (struct pair){ 0, 1ULL << bit }), 100 + bit);
	pair_table__exit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_found_while_it_grows),
		cmocka_unit_test(all_bits_count),
	};

	return cmocka_run_group_tests_name("lib/pair-table", tests, NULL, NULL);
}
