// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/annotate/hits.h"

static const struct map map;
static struct dso dso;
static const struct symbol function = { .start = 0x1000, .end = 0x1100, .name = "function" };
static struct session_event event[] = { { .idx = 0 }, { .idx = 1 } };

static void add(struct code_hits *hits, u32 nr_event, u64 offset, u64 nr, u64 period)
{
	struct perf_sample raw = { .count = nr, .period = period };
	const struct session_sample sample = {
		.evsel = &event[nr_event], .sample = &raw,
		.loc = { .map = &map, .dso = &dso, .sym = &function, .sym_addr = function.start + offset },
	};

	assert_int_equal(code_hits__add(hits, &sample), 0);
}

static void hits_belong_to_the_instruction_before(void **state)
{
	struct code_sum sum[] = { { .offset = 4 }, { .offset = 8 }, { .offset = 0x20 } };
	struct code_hits hits = {};

	add(&hits, 0, 2, 1, 1);	    /* in front of all of them */
	add(&hits, 0, 4, 1, 10);
	add(&hits, 0, 7, 1, 20);
	add(&hits, 0, 4, 2, 30);
	add(&hits, 0, 0xff, 1, 40);
	add(&hits, 0, 0x100, 1, 50); /* behind the function */
	add(&hits, 1, 8, 1, 60);     /* of another event */
	code_hits__sum(&hits, code_hits__find(&hits, 0, &function), 0x100, sum, 3);
	assert_int_equal(sum[0].nr, 4);
	assert_int_equal(sum[0].period, 60);
	assert_int_equal(sum[1].nr, 0);
	assert_int_equal(sum[2].nr, 1);
	assert_int_equal(sum[2].period, 40);
	code_hits__sum(&hits, code_hits__find(&hits, 0, &function), 0x100, sum, 0);
	code_hits__exit(&hits);
}

static void more_samples_count_where_the_last_one_was(void **state)
{
	struct code_hits hits = {};
	u32 where;

	assert_null(code_hits__find(&hits, 0, &function));
	add(&hits, 0, 4, 1, 10);
	where = code_hits__last(&hits);
	add(&hits, 0, 8, 1, 10);
	code_hits__add_more(&hits, where, 3, 30);
	code_hits__add_more(&hits, 0, 3, 30); /* nowhere */
	assert_int_equal(hits.hit[where - 1].nr, 4);
	assert_int_equal(code_hits__find(&hits, 0, &function)->nr, 5);
	assert_int_equal(code_hits__find(&hits, 0, &function)->period, 50);
	assert_ptr_equal(code_hits__find_name(&hits, 0, &dso, "function"), code_hits__find(&hits, 0, &function));
	assert_null(code_hits__find_name(&hits, 0, &dso, "other"));
	code_hits__exit(&hits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_belong_to_the_instruction_before),
		cmocka_unit_test(more_samples_count_where_the_last_one_was),
	};

	return cmocka_run_group_tests_name("hits", tests, NULL, NULL);
}
