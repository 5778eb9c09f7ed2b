// SPDX-License-Identifier: GPL-2.0
#include "util/judge/program-table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define TERM(name) (1ULL << FILTER_TERM_##name)
#define ALWAYS (TERM(IP) | TERM(ID) | TERM(TID) | TERM(PID) | TERM(TIME))

static void check_needs(u8 first, u8 second, u8 shift, u64 want_terms, u32 want_cgroups)
{
	struct filter_table table = { .entry = { { .term = first, .shift = shift }, { .term = second } }, .nr = 2 };
	__u64 terms = 1;
	__u32 cgroups = 1;

	program_table__needs(&table, &terms, &cgroups);
	assert_int_equal(terms, want_terms);
	assert_int_equal(cgroups, want_cgroups);
}

static void judging_a_file_needs_the_other_terms(void **state)
{
	check_needs(FILTER_TERM_TID, FILTER_TERM_FILE_NAME, 0, ALWAYS, 0);
	check_needs(FILTER_TERM_PRIO, FILTER_TERM_FILE_INO, 0, ALWAYS | TERM(PRIO), 0);
	check_needs(FILTER_TERM_COMM_GLOB, FILTER_TERM_FILE_GLOB, 0, ALWAYS | TERM(COMM_LO) | TERM(COMM_HI), 0);
	check_needs(FILTER_TERM_IP_SET, FILTER_TERM_OFFSET_SET, 0, ALWAYS, 0);
	check_needs(FILTER_TERM_KEEP, FILTER_TERM_FILE_DEV, 0, ALWAYS, 0);
	check_needs(FILTER_TERM_CGROUP_AT, FILTER_TERM_FILE_DEV, 5, ALWAYS, 1 << 5);
}

static void without_a_file_nothing_is_needed(void **state)
{
	check_needs(FILTER_TERM_TID, FILTER_TERM_COMM_GLOB, 0, 0, 0);
	check_needs(FILTER_TERM_IP_SET, FILTER_TERM_MODE, 0, 0, 0);
}

static void what_cannot_be_repeated_is_not_judged(void **state)
{
	check_needs(FILTER_TERM_RAND, FILTER_TERM_FILE_NAME, 0, 0, 0);
	check_needs(FILTER_TERM_EVERY, FILTER_TERM_FILE_NAME, 0, 0, 0);
	check_needs(FILTER_TERM_FILE_NAME, FILTER_TERM_EVERY, 0, 0, 0);
	check_needs(FILTER_TERM_CGROUP_AT, FILTER_TERM_FILE_NAME, FILTER_SAMPLE_LEVELS, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judging_a_file_needs_the_other_terms),
		cmocka_unit_test(without_a_file_nothing_is_needed),
		cmocka_unit_test(what_cannot_be_repeated_is_not_judged),
	};

	return cmocka_run_group_tests_name("program tables", tests, NULL, NULL);
}
