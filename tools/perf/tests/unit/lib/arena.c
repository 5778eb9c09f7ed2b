// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/lib/arena.h"

#define NR 20000

static size_t size_of(size_t i)
{
	return i % 100 ? i * 7 % 90 : 4096;
}

static void objects_are_aligned_and_do_not_overlap(void **state)
{
	static unsigned char *object[NR];
	struct arena arena = {};

	for (size_t i = 0; i < NR; i++) {
		object[i] = arena__add(&arena, size_of(i));
		assert_non_null(object[i]);
		assert_int_equal((uintptr_t)object[i] % 8, 0);
		memset(object[i], i % 251, size_of(i));
	}
	for (size_t i = 0; i < NR; i++) {
		for (size_t j = 0; j < size_of(i); j++)
			assert_int_equal(object[i][j], i % 251);
	}
	arena__exit(&arena);
}

static void an_ended_arena_can_begin_again(void **state)
{
	struct arena arena = {};

	arena__exit(&arena);
	for (int i = 0; i < 3; i++) {
		memset(arena__add(&arena, 4096), i, 4096);
		arena__exit(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_aligned_and_do_not_overlap),
		cmocka_unit_test(an_ended_arena_can_begin_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
