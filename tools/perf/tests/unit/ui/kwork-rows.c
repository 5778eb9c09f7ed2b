// SPDX-License-Identifier: GPL-2.0
/* Sums and shares of perf kwork */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "ui/kwork/output.h"

#define MS 1000000ULL

static struct kwork_rows *rows;

static int begin(void **state)
{
	rows = kwork_rows__new(&(struct kwork_rows_opts){ 0 });
	return rows ? 0 : -1;
}

static int end(void **state)
{
	kwork_rows__delete(rows);
	return 0;
}

static void add(enum kwork_class class, u64 id, u32 cpu, const char *name, struct kwork_times run, struct kwork_times wait)
{
	const struct kwork_key key = { .id = id, .class = class, .cpu = cpu };
	struct kwork_row row = { .run = run, .wait = wait, .number = id };

	snprintf(row.name, sizeof(row.name), "%s", name);
	assert_int_equal(kwork_rows__add(rows, &key, &row), 0);
}

static void check_order(enum kwork_sort key, const char *const *names, size_t nr_names)
{
	size_t nr;
	struct kwork_shown *const *sorted = kwork_rows__sort(rows, &key, 1, &nr);

	assert_non_null(sorted);
	assert_int_equal(nr, nr_names);
	for (size_t i = 0; i < nr; i++)
		assert_string_equal(sorted[i]->name, names[i]);
}
#define CHECK_ORDER(key, ...) check_order(key, (const char *const[]){ __VA_ARGS__ }, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))

/* The row shows the begin and end of its longest time, in whichever order the times are added. */
static void equal_keys_are_added_up(void **state)
{
	const enum kwork_sort key = KWORK_SORT_RUNTIME;
	struct kwork_shown *const *sorted;
	size_t nr;

	add(KWORK_IRQ, 5, 1, "disk", (struct kwork_times){ 2, 30, 20, 1000, 1020 }, (struct kwork_times){ 0 });
	add(KWORK_IRQ, 5, 1, "disk", (struct kwork_times){ 3, 40, 15, 3000, 3015 }, (struct kwork_times){ 0 });
	add(KWORK_IRQ, 5, 2, "disk", (struct kwork_times){ 1, 5, 5, 1, 6 }, (struct kwork_times){ 0 });
	sorted = kwork_rows__sort(rows, &key, 1, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(sorted[0]->cpu, 1);
	assert_int_equal(sorted[0]->row.run.count, 5);
	assert_int_equal(sorted[0]->row.run.total, 70);
	assert_int_equal(sorted[0]->row.run.greatest, 20);
	assert_int_equal(sorted[0]->row.run.begin, 1000);
	assert_int_equal(sorted[0]->row.run.end, 1020);
	assert_int_equal(sorted[1]->row.run.total, 5);
}

static void each_key_has_its_order(void **state)
{
	/* run: count, total, greatest; wait: the same */
	add(KWORK_IRQ, 1, 0, "a", (struct kwork_times){ 9, 10, 4, 0, 0 }, (struct kwork_times){ 10, 50, 6, 0, 0 });
	add(KWORK_IRQ, 2, 0, "b", (struct kwork_times){ 2, 30, 16, 0, 0 }, (struct kwork_times){ 1, 20, 20, 0, 0 });
	add(KWORK_IRQ, 3, 0, "c", (struct kwork_times){ 3, 20, 18, 0, 0 }, (struct kwork_times){ 3, 40, 30, 0, 0 });
	CHECK_ORDER(KWORK_SORT_RUNTIME, "b", "c", "a");
	CHECK_ORDER(KWORK_SORT_MAX_RUNTIME, "c", "b", "a");
	CHECK_ORDER(KWORK_SORT_RUNS, "a", "c", "b");
	CHECK_ORDER(KWORK_SORT_AVG_WAIT, "b", "c", "a");
	CHECK_ORDER(KWORK_SORT_MAX_WAIT, "c", "b", "a");
	CHECK_ORDER(KWORK_SORT_WAITS, "a", "c", "b");
}

static struct kwork_machine two_cpus(void)
{
	struct kwork_machine m = { 0 };

	assert_int_equal(kwork_machine__add(&m, &(struct kwork_cpu_times){ 0, 100 * MS, 60 * MS, 10 * MS, 4 * MS }), 0);
	assert_int_equal(kwork_machine__add(&m, &(struct kwork_cpu_times){ 1, 100 * MS, 80 * MS, 0, 2 * MS }), 0);
	return m;
}

/* What is printed; the caller frees it. */
static char *printed(bool top, const struct kwork_machine *m)
{
	const enum kwork_sort key = KWORK_SORT_RUNTIME;
	struct kwork_summary sum = { 0 };
	struct kwork_shown *const *sorted;
	char *text = NULL;
	size_t size, nr;
	FILE *fp = open_memstream(&text, &size);

	assert_non_null(fp);
	sorted = kwork_rows__sort(rows, &key, 1, &nr);
	if (top) {
		kwork_output__top(fp, sorted, nr, m);
	} else {
		kwork_output__report(fp, sorted, nr, &sum);
		kwork_output__summary(fp, &sum, m);
	}
	fclose(fp);
	return text;
}

/* A load of 100 % is all CPUs, all the time. */
static void a_load_is_of_all_cpus(void **state)
{
	struct kwork_machine m = two_cpus();
	char *text;

	add(KWORK_IRQ, 5, 0, "disk", (struct kwork_times){ 2, 30 * MS, 20 * MS, 1000 * MS, 1020 * MS }, (struct kwork_times){ 0 });
	add(KWORK_IRQ, 6, 1, "net", (struct kwork_times){ 3, 10 * MS, 5 * MS, 0, 0 }, (struct kwork_times){ 0 });
	add(KWORK_IRQ, 7, 1, "none", (struct kwork_times){ 0 }, (struct kwork_times){ 1, 1, 1, 0, 1 });
	text = printed(false, &m);
	assert_non_null(strstr(text, "     30.000 ms |         2 |     20.000 ms |          1.000000 s |          1.020000 s |\n"));
	assert_null(strstr(text, "none"));
	assert_non_null(strstr(text, "  Total count            :         5\n"));
	assert_non_null(strstr(text, "  Total runtime   (msec) :    40.000 (20.000% load average)\n"));
	assert_non_null(strstr(text, "  Total time span (msec) :   100.000\n"));
	free(text);
	kwork_machine__exit(&m);
}

/* A task's 100 % is one CPU; those of the machine are all. */
static void a_task_has_a_share_of_one_cpu(void **state)
{
	struct kwork_machine m = two_cpus();
	char *text;

	add(KWORK_TASK, 77, 0, "work", (struct kwork_times){ 2, 50 * MS, 30 * MS, 0, 0 }, (struct kwork_times){ 0 });
	text = printed(true, &m);
	assert_non_null(strstr(text, "Total  :    200.000 ms, 2 cpus\n"));
	assert_non_null(strstr(text, "%Cpu(s):  70.00% id,   5.00% hi,   3.00% si\n"));
	assert_non_null(strstr(text, "  40.00%]\n"));
	assert_non_null(strstr(text, "  20.00%]\n"));
	assert_non_null(strstr(text, "       77   50.00         50.000 ms  work\n"));
	free(text);
	kwork_machine__exit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_keys_are_added_up, begin, end),
		cmocka_unit_test_setup_teardown(each_key_has_its_order, begin, end),
		cmocka_unit_test_setup_teardown(a_load_is_of_all_cpus, begin, end),
		cmocka_unit_test_setup_teardown(a_task_has_a_share_of_one_cpu, begin, end),
	};

	return cmocka_run_group_tests_name("ui/kwork-rows", tests, NULL, NULL);
}
