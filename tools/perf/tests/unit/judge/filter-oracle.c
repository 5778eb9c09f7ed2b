// SPDX-License-Identifier: GPL-2.0
/*
 * Random filters on random samples: what the engines in BPF say is what filter_table__eval() says. (That this is right is for
 * tests/unit/filter/lower.c to find out.) An engine is a row: it judges all samples of one table.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "tests/bpf/filter-oracle.h"
#include "tests/bpf/filter-oracle-bounded.lskel.h"
#include "tests/bpf/filter-oracle-shared.lskel.h"
#include "tests/bpf/filter-oracle16.lskel.h"
#include "tests/bpf/filter-oracle64.lskel.h"
#include "tests/unit/filter/random-filter.h"
#include "util/judge/program-table.h"

#define FILTERS 2000 /* PERF_ORACLE_FILTERS says otherwise: see make oracle */
#define MAX_DEPTH 6

/* Run the program once over all cases. */
static void run(int prog_fd, int map_fd, struct oracle_case cases[ORACLE_SAMPLES])
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	for (u32 i = 0; i < ORACLE_SAMPLES; i++)
		assert_int_equal(bpf_map_update_elem(map_fd, &i, &cases[i], BPF_ANY), 0);
	assert_int_equal(bpf_prog_test_run_opts(prog_fd, &opts), 0);
	assert_int_equal(opts.retval, 1);
	for (u32 i = 0; i < ORACLE_SAMPLES; i++)
		assert_int_equal(bpf_map_lookup_elem(map_fd, &i, &cases[i]), 0);
}

/* The specialised engine: the table is in the program. */
#define DEFINE_SPECIALISED(slots)									\
static void judge_specialised##slots(const struct filter_table *table, struct oracle_case *cases)	\
{													\
	struct filter_oracle##slots *skel = filter_oracle##slots##__open();				\
													\
	assert_non_null(skel);										\
	memcpy(skel->rodata->filter_table, table->entry, sizeof(skel->rodata->filter_table));		\
	skel->rodata->filter_words = table->words;							\
	assert_int_equal(filter_oracle##slots##__load(skel), 0);					\
	run(skel->progs.judge_all.prog_fd, skel->maps.cases.map_fd, cases);				\
	filter_oracle##slots##__destroy(skel);								\
}
DEFINE_SPECIALISED(16)
DEFINE_SPECIALISED(64)

/* The shared engine, in two forms: one program for all tables, loaded with the first. */
#define DEFINE_SHARED(name)										\
static struct filter_oracle_##name *name;								\
static void judge_##name(const struct filter_table *table, struct oracle_case *cases)			\
{													\
	static struct filter_shared_table in_map;							\
	static struct filter_table prepared;								\
	u32 zero = 0;											\
													\
	if (!name) {											\
		name = filter_oracle_##name##__open();							\
		assert_non_null(name);									\
		assert_int_equal(filter_oracle_##name##__load(name), 0);				\
	}												\
	program_table__prepare(table, &prepared);								\
	in_map.words = prepared.words;									\
	memcpy(in_map.entry, prepared.entry, sizeof(in_map.entry));					\
	assert_int_equal(bpf_map_update_elem(name->maps.shared_table.map_fd, &zero, &in_map, BPF_ANY), 0); \
	run(name->progs.judge_all.prog_fd, name->maps.cases.map_fd, cases);				\
}
DEFINE_SHARED(shared)
DEFINE_SHARED(bounded)

static void judge_specialised(const struct filter_table *table, struct oracle_case *cases)
{
	static struct filter_table prepared;

	program_table__prepare(table, &prepared);
	if (table->nr <= 16)
		judge_specialised16(&prepared, cases);
	else
		judge_specialised64(&prepared, cases);
}

static const struct engine {
	const char *name;
	void (*judge)(const struct filter_table *table, struct oracle_case *cases);
} engines[] = {
	{ "specialised", judge_specialised },
	{ "shared", judge_shared },
	{ "shared, with a bounded loop,", judge_bounded },
};

static struct oracle_case cases[ORACLE_SAMPLES];

static void draw_cases(void)
{
	struct sample sample;

	for (unsigned int i = 0; i < ORACLE_SAMPLES; i++) {
		rnd_sample(&sample);
		cases[i] = (struct oracle_case){ .sample = sample.s };
		cases[i].sample.file_busy = !rnd(16);
	}
}

static void compare(const struct engine *engine, const struct filter_table *table, const char *text, u64 *accepted)
{
	engine->judge(table, cases);
	for (unsigned int i = 0; i < ORACLE_SAMPLES; i++) {
		bool expected = filter_table__eval(table, &cases[i].sample);

		assert_int_equal(cases[i].judged, 1);
		if (cases[i].accepted != expected)
			fail_msg("%s engine: %s: accepts is %u on sample %u", engine->name, text, cases[i].accepted, i);
		*accepted += expected;
		cases[i].judged = 0;
	}
}

static bool compile(const char *text, struct filter_table *table)
{
	struct errmsg err = { "" };
	struct filter *f;
	int rc;

	if (filter__parse(text, &f, &err) || filter__check(f, &fake_env, &err))
		fail_msg("%s", err.text);
	rc = filter__lower(f, table, &err);
	filter__delete(f);
	if (rc && rc != -E2BIG)
		fail_msg("%s", err.text);
	return !rc;
}

static bool try_filter(const struct expr *e, u64 *accepted, unsigned int *longest)
{
	static struct filter_table table;
	char *text = write_expr(e);
	bool fits = compile(text, &table);

	if (fits) {
		draw_cases();
		for (unsigned int i = 0; i < ARRAY_SIZE(engines); i++)
			compare(&engines[i], &table, text, accepted);
		*longest = table.nr > *longest ? table.nr : *longest;
	}
	free(text);
	return fits;
}

/* Those that need more entries than there are do not count. */
static void random_filters_agree(void **state)
{
	const char *env = getenv("PERF_ORACLE_FILTERS");
	unsigned int filters = env ? atoi(env) : FILTERS, longest = 0, done = 0, drawn;
	u64 accepted = 0, judged;

	for (drawn = 0; done < filters; drawn++) {
		struct expr *e = drawn % 16 ? rnd_expr(rnd(MAX_DEPTH + 1)) : rnd_long_expr(MAX_DEPTH);

		done += try_filter(e, &accepted, &longest);
		free_expr(e);
		assert_true(drawn < 2 * filters + 100);
	}
	judged = (u64)done * ORACLE_SAMPLES * ARRAY_SIZE(engines);
	print_message("%u filters, the longest of %u entries; %u%% of the samples accepted\n", done, longest,
		      (unsigned int)(accepted * 100 / judged));
	assert_int_equal(longest, FILTER_MAX_ENTRIES);
	assert_in_range(accepted, judged / 4, judged * 3 / 4);
}

/*
 * A user may write anything into the table of the shared engine. Entries of anything at all, but each likely enough to lead on; the
 * words are left empty, as every index finds some.
 */
static void draw_hostile(struct filter_table *table)
{
	memset(table, 0, sizeof(*table));
	table->nr = FILTER_MAX_ENTRIES;
	for (unsigned int i = 0; i < FILTER_MAX_ENTRIES; i++) {
		struct filter_entry *e = &table->entry[i];

		e->term = rnd(16) ? rnd(FILTER_TERM_MAX) : FILTER_TERM_KEEP + 1 + rnd(16);
		e->shift = rnd(256);
		e->cond = rnd(256);
		e->jt = rnd(8) ? i + 1 + rnd(4) : rnd(256);
		e->jf = rnd(4) ? FILTER_ACCEPT - rnd(2) : rnd(256);
		e->mask = rnd(2) ? ~0ULL : rnd(0xffffffff);
		e->value = rnd(2) ? 0 : rnd(0xffffffff);
	}
}

static u8 tame_target(unsigned int from, u8 target)
{
	return target == FILTER_ACCEPT || (target > from && target < FILTER_MAX_ENTRIES) ? target : FILTER_REJECT;
}

/* What the program is to make of a hostile table, as a table for the evaluator. Samples have no fields with strings. */
static void tame(struct filter_table *table)
{
	for (unsigned int i = 0; i < FILTER_MAX_ENTRIES; i++) {
		struct filter_entry *e = &table->entry[i];
		bool known = e->term < FILTER_TERM_MAX;

		if (e->term == FILTER_TERM_FIELD_TEXT || e->term == FILTER_TERM_FIELD_GLOB) {
			e->term = FILTER_TERM_IP;
			e->mask = 0;
		}

		e->jt = known ? tame_target(i, e->jt) : FILTER_REJECT;
		e->jf = known ? tame_target(i, e->jf) : FILTER_REJECT;
		e->term = known ? e->term : FILTER_TERM_IP;
		if (e->term < FILTER_TERM_INDEXED)
			e->shift &= 63;
		else if (e->term != FILTER_TERM_CGROUP_AT)
			e->shift &= 7; /* there are eight of each */
	}
}

static void hostile_tables_are_safe(void **state)
{
	static struct filter_table hostile, tamed;
	void (*const judge[])(const struct filter_table *table, struct oracle_case *cases) = { judge_shared, judge_bounded };
	u64 accepted = 0, judged = 0;

	for (unsigned int n = 0; n < 1000; n++) {
		draw_hostile(&hostile);
		tamed = hostile;
		tame(&tamed);
		draw_cases();
		for (unsigned int i = 0; i < ARRAY_SIZE(judge); i++) {
			judge[i](&hostile, cases);
			for (unsigned int j = 0; j < ORACLE_SAMPLES; j++) {
				assert_int_equal(cases[j].judged, 1);
				assert_int_equal(cases[j].accepted, filter_table__eval(&tamed, &cases[j].sample));
				accepted += cases[j].accepted;
				cases[j].judged = 0;
				judged++;
			}
		}
	}
	assert_in_range(accepted, judged / 20, judged - judged / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_filters_agree),
		cmocka_unit_test(hostile_tables_are_safe),
	};

	int failed = cmocka_run_group_tests_name("filter-oracle", tests, NULL, NULL);

	if (shared)
		filter_oracle_shared__destroy(shared);
	if (bounded)
		filter_oracle_bounded__destroy(bounded);
	return failed;
}
