// SPDX-License-Identifier: GPL-2.0
/*
 * Random filters are compiled from text, and the table's verdict on random samples is compared with that of the trees they were
 * written from: the parser, the check, the lowering and the evaluator have to agree with random-filter.h.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tests/unit/filter/random-filter.h"

#define FILTERS 4000
#define SAMPLES 50
#define MAX_DEPTH 6

/* Targets point forward, and every entry can be reached. */
static void check_shape(const struct filter_table *t, const char *text)
{
	bool reached[FILTER_MAX_ENTRIES] = { true };
	unsigned int i, k;

	assert_in_range(t->nr, 1, FILTER_MAX_ENTRIES);
	for (i = 0; i < t->nr; i++) {
		u8 targets[] = { t->entry[i].jt, t->entry[i].jf };

		for (k = 0; k < 2; k++) {
			if (targets[k] == FILTER_ACCEPT || targets[k] == FILTER_REJECT)
				continue;
			if (targets[k] <= i || targets[k] >= t->nr)
				fail_msg("%s: entry %u jumps to %u", text, i, targets[k]);
			reached[targets[k]] = true;
		}
		if (!reached[i])
			fail_msg("%s: entry %u is never reached", text, i);
	}
}

static bool try_filter(const struct expr *e, const struct filter_env *env, void (*draw)(struct sample *s), u64 *accepted)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	struct sample sample;
	char *text = write_expr(e);
	struct filter *f;
	unsigned int i;
	bool verdict;
	int rc;

	if (filter__parse(text, &f, &err) || filter__check(f, env, &err))
		fail_msg("%s", err.text);
	rc = filter__lower(f, &table, &err);
	if (rc && rc != -E2BIG)
		fail_msg("%s", err.text);
	if (!rc)
		check_shape(&table, text);
	for (i = 0; !rc && i < SAMPLES; i++) {
		draw(&sample);
		verdict = filter_table__eval(&table, &sample.s);
		if (verdict != eval_expr(e, &sample))
			fail_msg("%s: accepts is %d on sample %u", text, verdict, i);
		*accepted += verdict;
	}
	filter__delete(f);
	free(text);
	return !rc;
}

static void try_filters(const struct filter_env *env, void (*draw)(struct sample *s))
{
	unsigned int i, done = 0;
	u64 accepted = 0;

	for (i = 0; i < FILTERS; i++) {
		struct expr *e = i % 16 ? rnd_expr(rnd(MAX_DEPTH + 1)) : rnd_long_expr(MAX_DEPTH);

		done += try_filter(e, env, draw, &accepted);
		free_expr(e);
	}
	/* Those that need too many entries are few, and the samples are neither all kept nor all dropped. */
	assert_true(done >= FILTERS * 8 / 10);
	assert_in_range(accepted, done * SAMPLES / 4, done * SAMPLES * 3 / 4);
}

static void test_random_filters(void **state)
{
	made_of = &for_samples;
	try_filters(&fake_env, rnd_sample);
}

static void test_random_filters_of_fields(void **state)
{
	made_of = &for_tracepoint;
	try_filters(&fake_tp_env, rnd_hit);
}

static void assert_entries(const char *text, unsigned int nr)
{
	static struct filter_table table;
	struct errmsg err = { "" };

	if (filter__compile(text, &table, &err))
		fail_msg("%s", err.text);
	if (table.nr != nr)
		fail_msg("%s: %u entries, not %u", text, table.nr, nr);
}

static void test_sizes(void **state)
{
	assert_entries("tid == 5", 1);
	assert_entries("!(tid == 5 && !(pid != 3))", 2);
	assert_entries("tid in {1,2,3}", 2);
	assert_entries("tid in {3,1,2,2}", 2);
	assert_entries("tid in {0,1,2}", 1);	/* <= 2 */
	assert_entries("tid in {4..7}", 1);	/* masked */
	assert_entries("tid in {4..8}", 2);
	assert_entries("tid in {5..0xffffffffffffffff}", 1);
	assert_entries("tid in {1..3, 10..12, 11..20}", 4);
	assert_entries("comm == nginx", 1);
	assert_entries("comm == 1234567", 1);	/* with the NUL, eight bytes */
	assert_entries("comm == 12345678", 2);
	assert_entries("comm ~ 12345678*", 1);
	assert_entries("comm ~ 123456789*", 2);
	assert_entries("comm in {a,b,c}", 3);
	assert_entries("comm ~ *a*", 1);
}

static void test_sample_type(void **state)
{
	static struct filter_table table;

	assert_int_equal(filter__compile("tid == 1 || !(cpu == 2, addr > 3)", &table, NULL), 0);
	assert_true(table.sample_type == (PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_ADDR));
	assert_int_equal(filter__compile("uid == 1 && comm ~ a*b && mode == user", &table, NULL), 0);
	assert_true(table.sample_type == 0);
	assert_int_equal(filter__compile("ip == 1, id == 1, pid == 1, time == 1, period == 1", &table, NULL), 0);
	assert_true(table.sample_type == (PERF_SAMPLE_IP | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					  PERF_SAMPLE_PERIOD));
}

/* n tests, odd values so that nothing merges */
static int compile_tests(unsigned int n, const char *fmt, struct errmsg *err)
{
	static struct filter_table table;
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);
	unsigned int i;
	int rc;

	for (i = 0; i < n; i++) {
		fputs(i ? " || " : "", fp);
		fprintf(fp, fmt, 2 * i + 1);
	}
	fclose(fp);
	rc = filter__compile(text, &table, err);
	if (!rc)
		assert_int_equal(table.nr, n);
	free(text);
	return rc;
}

static void test_limits(void **state)
{
	static struct filter_table table;
	struct errmsg err = { "" };

	assert_int_equal(compile_tests(64, "tid == %u", &err), 0);
	assert_int_equal(compile_tests(65, "tid == %u", &err), -E2BIG);
	assert_non_null(strstr(err.text, "needs 65 comparisons, and 64 is the limit"));
	assert_int_equal(compile_tests(3000, "tid == %u", &err), -E2BIG);
	assert_non_null(strstr(err.text, "needs 3000 comparisons"));
	assert_int_equal(compile_tests(8, "comm ~ *%u*", &err), 0);
	assert_int_equal(compile_tests(9, "comm ~ *%u*", &err), -E2BIG);
	assert_non_null(strstr(err.text, "needs 9 different patterns, and 8 is the limit"));
	assert_int_equal(filter__compile("comm ~ *a* || comm !~ *b* || comm ~ '*[a]*'", &table, &err), 0);
	assert_int_equal(table.nr_globs, 2); /* the same pattern is kept once */
}

static void test_unchecked(void **state)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	struct filter *f;

	assert_int_equal(filter__parse("tid == 1", &f, &err), 0);
	assert_int_equal(filter__lower(f, &table, &err), -EINVAL);
	filter__delete(f);
}

static void test_dump(void **state)
{
	static struct filter_table table;
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);

	assert_int_equal(filter__compile("tid == 5 && (comm !~ *x || cpu & 6)", &table, NULL), 0);
	filter_table__dump(&table, fp);
	fclose(fp);
	assert_string_equal(text, " 0: tid == 0x5 ? 1 : reject\n"
				  " 1: comm-matches(#0) == 0x1 ? 2 : accept\n"
				  " 2: cpu & 0x6 > 0x0 ? accept : reject\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_filters), cmocka_unit_test(test_random_filters_of_fields),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sample_type),    cmocka_unit_test(test_limits),
		cmocka_unit_test(test_unchecked),      cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests_name("filter/lower", tests, NULL, NULL);
}
