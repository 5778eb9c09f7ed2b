// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/perfdata/record.h"
#include "util/stacks/ids.h"

#define IDENTITY (1ULL << 62)

static struct stack_index *ids;

static int begin(void **state)
{
	ids = stack_index__new(false);
	return ids ? 0 : -1;
}

static int end(void **state)
{
	stack_index__delete(ids);
	return 0;
}

#define USER(place_number, callers_number) (struct stack_parts){ .place = place_number, .callers = callers_number, .cpumode = PERF_RECORD_MISC_USER }

/* The kernel's maps have version 1 << 32, and no process has only these. */
static struct stack_found find_parts(struct stack_parts parts, u32 version)
{
	const struct stack_maps maps = { 1ULL << 32, 1ULL << 32 | version };
	struct stack_found found;

	stack_index__find(ids, &parts, &maps, &found);
	assert_int_not_equal(found.ids.place, 0);
	assert_int_not_equal(found.ids.callers, 0);
	return found;
}

static struct stack_found find(u32 place, u32 callers, u32 version)
{
	return find_parts(USER(place, callers), version);
}

static void a_part_has_one_id_while_maps_are_the_same(void **state)
{
	u32 a = find(5, 1, 1).ids.place, b = find(6, 1, 1).ids.place;

	assert_int_not_equal(a, b);
	assert_int_equal(find(5, 1, 1).ids.place, a);
	assert_int_equal(find(6, 2, 1).ids.place, b);
	a = find(1, 100000, 1).ids.callers;
	assert_int_not_equal(find(1, 99999, 1).ids.callers, a);
	assert_int_equal(find(1, 100000, 1).ids.callers, a);
}

/* Processes that take turns keep their ids; another version of the kernel's maps is none of theirs. */
static void each_version_of_maps_has_its_id(void **state)
{
	struct stack_ids id[5];

	for (u32 i = 0; i < 5; i++)
		id[i] = find(5, 6, 1 + i).ids;
	for (u32 n = 0; n < 10; n++) {
		u32 i = n * 3 % 5;
		struct stack_ids again = find(5, 6, 1 + i).ids;

		assert_int_equal(again.place, id[i].place);
		assert_int_equal(again.callers, id[i].callers);
		for (u32 j = 0; j < i; j++)
			assert_true(id[i].place != id[j].place && id[i].callers != id[j].callers);
	}
}

/* However many processes come and go, none gets the id of another. */
static void old_versions_are_forgotten(void **state)
{
	static u32 version_of[4001]; /* by id */

	for (u32 n = 0; n < 4000; n++) {
		u32 version = 1 + n * 7 % 1000, id = find(5, 6, version).ids.place;

		assert_in_range(id, 1, 4000);
		assert_true(!version_of[id] || version_of[id] == version);
		version_of[id] = version;
		assert_int_equal(find(5, 6, version).ids.place, id);
	}
	assert_int_not_equal(version_of[2000], 0);
}

static void the_kernel_is_the_same_for_all(void **state)
{
	struct stack_parts parts = { .place = 5, .callers = 6, .kernel_callers = true, .cpumode = PERF_RECORD_MISC_KERNEL };
	struct stack_ids a = find_parts(parts, 1).ids, b = find_parts(parts, 2).ids;

	assert_int_equal(a.place, b.place);
	assert_int_equal(a.callers, b.callers);
	parts.kernel_callers = false;
	parts.callers = 7;
	a = find_parts(parts, 1).ids;
	b = find_parts(parts, 2).ids;
	assert_int_equal(a.place, b.place);
	assert_int_not_equal(a.callers, b.callers);
	parts.place = 8;
	parts.apart = true;
	assert_int_not_equal(find_parts(parts, 1).ids.place, find_parts(parts, 2).ids.place);
}

/* Callers may still be looked up. */
static void places_that_nobody_looks_up_are_the_same_for_all(void **state)
{
	stack_index__delete(ids);
	ids = stack_index__new(true);
	assert_non_null(ids);
	assert_int_equal(find(5, 6, 2).ids.place, find(5, 6, 1).ids.place);
	assert_int_not_equal(find(5, 6, 2).ids.callers, find(5, 6, 1).ids.callers);
}

static void an_identity_is_that_of_its_maps(void **state)
{
	struct stack_ids first = find(5, 1, 1).ids, second;

	assert_false(find(5, 1, 1).has_identity);
	stack_index__set_identity(ids, &USER(5, 1), &first, IDENTITY);
	assert_true(find(5, 2, 1).has_identity);
	assert_false(find(5, 1, 2).has_identity);
	second = find(5, 1, 2).ids;
	stack_index__set_identity(ids, &USER(5, 1), &second, 0);
	assert_true(find(5, 1, 2).has_identity);
	assert_int_equal(find(5, 1, 2).identity, 0);
	assert_int_equal(find(5, 1, 1).identity, IDENTITY);
}

/* Several are found before the first one is looked at. */
static void it_may_have_been_found_with_other_maps_since(void **state)
{
	struct stack_found one = find(5, 6, 1), two = find(5, 6, 2), three = find(5, 6, 3);

	stack_index__set_identity(ids, &USER(5, 6), &one.ids, IDENTITY);
	stack_index__set_handle(ids, &USER(5, 6), &two.ids, 77);
	assert_false(find(5, 6, 3).has_identity);
	assert_int_equal(find(5, 6, 3).handle, 0);
	assert_false(find(5, 6, 2).has_identity);
	assert_int_equal(find(5, 6, 2).handle, 77);
	assert_int_equal(find(5, 6, 1).identity, IDENTITY);
	for (u32 version = 4; version < 100; version++)
		two = find(5, 6, version);
	stack_index__set_identity(ids, &USER(5, 6), &three.ids, IDENTITY); /* forgotten */
	assert_false(find(5, 6, 99).has_identity);
}

static void a_handle_is_that_of_the_callers_or_of_the_place_without(void **state)
{
	struct stack_parts bare = { .place = 9, .callers = 6, .no_chain = true, .kernel_callers = true };
	struct stack_ids id = find(5, 6, 1).ids;

	assert_int_equal(find(5, 6, 1).handle, 0);
	stack_index__set_handle(ids, &USER(5, 6), &id, 77);
	assert_int_equal(find(4, 6, 1).handle, 77);
	assert_int_equal(find(5, 6, 2).handle, 0);
	assert_int_equal(find(5, 6, 1).handle, 77);
	assert_int_equal(find_parts(bare, 1).handle, 0);
	id = find_parts(bare, 1).ids;
	stack_index__set_handle(ids, &bare, &id, 78);
	assert_int_equal(find_parts(bare, 1).handle, 78);
}

static void ids_can_begin_anew(void **state)
{
	u32 first = find(5, 1, 1).ids.place;

	find(6, 1, 1);
	stack_index__empty(ids);
	assert_int_equal(find(6, 1, 1).ids.place, first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_part_has_one_id_while_maps_are_the_same, begin, end),
		cmocka_unit_test_setup_teardown(each_version_of_maps_has_its_id, begin, end),
		cmocka_unit_test_setup_teardown(old_versions_are_forgotten, begin, end),
		cmocka_unit_test_setup_teardown(the_kernel_is_the_same_for_all, begin, end),
		cmocka_unit_test_setup_teardown(places_that_nobody_looks_up_are_the_same_for_all, begin, end),
		cmocka_unit_test_setup_teardown(an_identity_is_that_of_its_maps, begin, end),
		cmocka_unit_test_setup_teardown(it_may_have_been_found_with_other_maps_since, begin, end),
		cmocka_unit_test_setup_teardown(a_handle_is_that_of_the_callers_or_of_the_place_without, begin, end),
		cmocka_unit_test_setup_teardown(ids_can_begin_anew, begin, end),
	};

	return cmocka_run_group_tests_name("stacks/ids", tests, NULL, NULL);
}
