// SPDX-License-Identifier: GPL-2.0
#include "util/source/kwork-order.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct taken {
	u64 begin[8], end[8];
	u32 nr, last; /* last: refuse this one; 0: none */
};

static int take(void *data, const struct kwork_record *record, struct errmsg *err)
{
	struct taken *taken = data;

	taken->begin[taken->nr] = record->begin;
	taken->end[taken->nr++] = record->end;
	return taken->nr == taken->last ? -ENOSPC : 0;
}

static int add(struct kwork_order *order, u64 begin, u64 end)
{
	const struct kwork_record record = { .bytes = sizeof(record), .begin = begin, .end = end };

	return kwork_order__add(order, &record, sizeof(record));
}

/* CPUs write at once, so what has ended first may come last. */
static void runs_come_by_their_ends(void **state)
{
	struct kwork_order order = { 0 };
	struct taken taken = { 0 };
	const struct kwork_opts opts = { .record = take, .data = &taken };

	assert_int_equal(add(&order, 10, 40), 0);
	assert_int_equal(add(&order, 5, 30), 0);
	assert_int_equal(add(&order, 35, 50), 0);
	assert_int_equal(kwork_order__pass(&order, 50, &opts, NULL), 0);
	assert_int_equal(taken.nr, 2); /* what ended before then; of other CPUs that may not be all */
	assert_int_equal(taken.end[0], 30);
	assert_int_equal(taken.end[1], 40);
	assert_int_equal(add(&order, 41, 45), 0);
	assert_int_equal(kwork_order__pass(&order, UINT64_MAX, &opts, NULL), 0);
	assert_int_equal(taken.nr, 4);
	assert_int_equal(taken.end[2], 45);
	assert_int_equal(taken.end[3], 50);
	assert_int_equal(kwork_order__pass(&order, UINT64_MAX, &opts, NULL), 0);
	assert_int_equal(taken.nr, 4);
	kwork_order__exit(&order);
}

static void the_inner_one_comes_first(void **state)
{
	struct kwork_order order = { 0 };
	struct taken taken = { 0 };
	const struct kwork_opts opts = { .record = take, .data = &taken };

	assert_int_equal(add(&order, 10, 40), 0);
	assert_int_equal(add(&order, 30, 40), 0);
	assert_int_equal(add(&order, 20, 40), 0);
	assert_int_equal(kwork_order__pass(&order, 41, &opts, NULL), 0);
	assert_int_equal(taken.nr, 3);
	assert_int_equal(taken.begin[0], 30);
	assert_int_equal(taken.begin[1], 20);
	assert_int_equal(taken.begin[2], 10);
	kwork_order__exit(&order);
}

static void a_refusal_ends_it(void **state)
{
	struct kwork_order order = { 0 };
	struct taken taken = { .last = 1 };
	const struct kwork_opts opts = { .record = take, .data = &taken };

	assert_int_equal(add(&order, 10, 40), 0);
	assert_int_equal(add(&order, 20, 50), 0);
	assert_int_equal(kwork_order__pass(&order, UINT64_MAX, &opts, NULL), -ENOSPC);
	assert_int_equal(taken.nr, 1);
	kwork_order__exit(&order);
}

static void other_records_are_errors(void **state)
{
	struct kwork_record records[2] = { { .bytes = sizeof(*records) }, { .bytes = 8 } };
	struct kwork_order order = { 0 };

	assert_int_equal(kwork_order__add(&order, records, sizeof(records)), -EIO);
	assert_int_equal(kwork_order__add(&order, records, sizeof(*records) - 1), -EIO);
	kwork_order__exit(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_come_by_their_ends),
		cmocka_unit_test(the_inner_one_comes_first),
		cmocka_unit_test(a_refusal_ends_it),
		cmocka_unit_test(other_records_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
