// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ui/trace/sums.h"
#include "util/lib/types.h"

#define READ 0
#define WRITE 1

/* A thread's row of one call, or one that is added to it */
static void add(struct trace_sums *sums, u64 id, u32 nr, u64 ns, u32 error)
{
	const struct trace_sum_key key = { .id = id, .nr = nr };
	const struct trace_error_key error_key = { .id = id, .nr = nr, .error = error };
	const struct trace_sum sum = { .calls = 1, .errors = 1, .total = ns, .least = ns, .greatest = ns, .squares_low = ns * ns, .comm = "some" };

	assert_int_equal(trace_sums__add(sums, &key, &sum), 0);
	assert_int_equal(trace_sums__add_error(sums, &error_key, 1), 0);
}

/* Its text, which the caller frees */
static char *print(struct trace_sums *sums)
{
	struct syscall_formats *formats = calloc(1, sizeof(*formats));
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	assert_non_null(formats);
	assert_non_null(fp);
	formats->format[READ].name = "read";
	formats->format[WRITE].name = "write";
	formats->format[TRACE_ABI_CALLS + 3].name = "read";
	trace_sums__print(sums, formats, fp);
	fclose(fp);
	free(formats);
	return text;
}

static unsigned int count(const char *text, const char *part)
{
	size_t len = strlen(part);
	unsigned int nr = 0;

	/* Not by strstr(): with sanitizers each call looks at the whole rest. */
	for (; *text; text++)
		nr += *text == *part && !strncmp(text, part, len);
	return nr;
}

/* Rows of different CPUs are one in a total; the one with the most time comes first, and each has its errors. */
static void test_total(void **state)
{
	struct trace_sums *sums = trace_sums__new(TRACE_BY_CPU, 0);
	char *text;

	add(sums, 1, READ, 1000000, 2);
	add(sums, 2, WRITE, 5000000, 9);
	add(sums, 3, READ, 2000000, 2);
	add(sums, 3, READ, 1000000, 1);
	text = print(sums);
	assert_non_null(strstr(text, " total, 8 events\n"));
	assert_non_null(strstr(text, "   write                  1      1     5.000     5.000     5.000     5.000      0.00%\n\t\t\t\tEBADF: 1\n"
				     "   read                   3      3     4.000     1.000     1.333     2.000     25.00%\n\t\t\t\tEPERM: 1\n\t\t\t\tENOENT: 2\n"));
	assert_int_equal(count(text, "read "), 1);
	free(text);
	trace_sums__delete(sums);
}

static void test_compat(void **state)
{
	struct trace_sums *sums = trace_sums__new(TRACE_BY_CPU, 0);
	char *text;

	add(sums, 1, READ, 1000000, 2);
	add(sums, 1, TRACE_COMPAT | 3, 2000000, 0);
	add(sums, 1, TRACE_COMPAT | 500, 3000000, 0);
	text = print(sums);
	assert_int_equal(count(text, "   read/32                1 "), 1);
	assert_int_equal(count(text, "   read                   1 "), 1);
	assert_int_equal(count(text, "   syscall32_500          1 "), 1);
	free(text);
	trace_sums__delete(sums);
}

/* Whose file has this many threads must not make perf work for hours. */
static void test_many_threads(void **state)
{
	struct trace_sums *sums = trace_sums__new(TRACE_BY_THREAD, 0);
	char *text;

	alarm(60);
	for (unsigned int i = 0; i < 400000; i++)
		add(sums, i * 7919 % 200000 + 1, i % 2, 1000 + i, i % 90 + 1);
	text = print(sums);
	alarm(0);
	assert_int_equal(count(text, " some ("), 200000);
	assert_int_equal(count(text, " 0.0%\n"), 200000);
	free(text);
	trace_sums__delete(sums);
}

/* Threads with calls, with faults, and with both, in the order of their ids */
static void test_faults(void **state)
{
	struct trace_sums *sums = trace_sums__new(TRACE_BY_THREAD, 0);
	char *text;

	add(sums, 5, READ, 1000, 0);
	add(sums, 3, READ, 1000, 0);
	assert_int_equal(trace_sums__add_fault(sums, 9, "late", true), 0);
	assert_int_equal(trace_sums__add_fault(sums, 5, "some", false), 0);
	assert_int_equal(trace_sums__add_fault(sums, 5, "some", false), 0);
	assert_int_equal(trace_sums__add_fault(sums, 1, "early", false), 0);
	text = print(sums);
	assert_int_equal(count(text, " early (1), 1 events, 12.5%, 1 minfaults\n"), 1);
	assert_int_equal(count(text, " some (3), 2 events, 25.0%\n"), 1);
	assert_int_equal(count(text, " some (5), 4 events, 50.0%, 2 minfaults\n"), 1);
	assert_int_equal(count(text, " late (9), 1 events, 12.5%, 1 majfaults\n"), 1);
	assert_true(strstr(text, "early") < strstr(text, "(3)") && strstr(text, "(5)") < strstr(text, "late"));
	free(text);
	trace_sums__delete(sums);
}

/* A call that cannot return has no time: only the others are in the mean and its deviation. */
static void test_unreturned(void **state)
{
	struct trace_sums *sums = trace_sums__new(TRACE_BY_CPU, 0);
	const struct trace_sum_key key = { .id = 1, .nr = READ };
	const struct trace_sum unreturned = { .calls = 2, .untimed = 2, .single = 2, .least = ~0ULL };
	char *text;

	add(sums, 1, READ, 3000000, 2);
	add(sums, 2, READ, 1000000, 2);
	assert_int_equal(trace_sums__add(sums, &key, &unreturned), 0);
	text = print(sums);
	assert_non_null(strstr(text, " total, 6 events\n"));
	assert_non_null(strstr(text, "   read                   4      2     4.000     1.000     2.000     3.000     50.00%\n"));
	free(text);
	trace_sums__delete(sums);
}

/* Squares of times of some seconds have more than 64 bits together. */
static void test_long_calls(void **state)
{
	struct trace_sums *sums = trace_sums__new(TRACE_BY_CPU, 0);
	char *text;

	add(sums, 1, READ, 4200000000, 2);
	add(sums, 2, READ, 1400000000, 2);
	add(sums, 3, READ, 1400000000, 2);
	text = print(sums);
	assert_non_null(strstr(text, "   read                   3      3  7000.000  1400.000  2333.333  4200.000     40.00%\n"));
	free(text);
	trace_sums__delete(sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_total),
		cmocka_unit_test(test_compat),
		cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_unreturned),
		cmocka_unit_test(test_long_calls),
	};

	return cmocka_run_group_tests_name("ui/trace-sums", tests, NULL, NULL);
}
