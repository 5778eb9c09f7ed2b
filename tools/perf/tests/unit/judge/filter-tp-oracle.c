// SPDX-License-Identifier: GPL-2.0
/*
 * Random filters of fields, and of terms that tracepoints have, on random records: what BPF says, by the code of the programs on
 * tracepoints, is what filter_table__eval() says. (That this is right is for tests/unit/filter/lower.c to find out.) What terms
 * are read from is this thread.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "tests/bpf/filter-tp-oracle.h"
#include "tests/bpf/filter-tp-oracle16.lskel.h"
#include "tests/bpf/filter-tp-oracle64.lskel.h"
#include "tests/unit/filter/random-filter.h"
#include "tests/unit/bpf/pid-namespace.h"
#include "util/judge/program-table.h"

#define FILTERS 2000 /* PERF_ORACLE_FILTERS says otherwise: see make oracle */
#define MAX_DEPTH 6

static struct tp_oracle_case cases[TP_ORACLE_SAMPLES];
static struct sample samples[TP_ORACLE_SAMPLES];

static void run(int prog_fd, int map_fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	for (u32 i = 0; i < TP_ORACLE_SAMPLES; i++)
		assert_int_equal(bpf_map_update_elem(map_fd, &i, &cases[i], BPF_ANY), 0);
	assert_int_equal(bpf_prog_test_run_opts(prog_fd, &opts), 0);
	assert_int_equal(opts.retval, 1);
	for (u32 i = 0; i < TP_ORACLE_SAMPLES; i++)
		assert_int_equal(bpf_map_lookup_elem(map_fd, &i, &cases[i]), 0);
}

#define DEFINE_JUDGE(slots)										\
static void judge##slots(const struct filter_table *table, bool copied)					\
{													\
	struct filter_tp_oracle##slots *skel = filter_tp_oracle##slots##__open();			\
													\
	assert_non_null(skel);										\
	memcpy(skel->rodata->filter_table, table->entry, sizeof(skel->rodata->filter_table));		\
	skel->rodata->filter_words = table->words;							\
	skel->rodata->copied = copied;									\
	assert_int_equal(filter_tp_oracle##slots##__load(skel), 0);					\
	run(skel->progs.judge_all.prog_fd, skel->maps.cases.map_fd);					\
	filter_tp_oracle##slots##__destroy(skel);							\
}
DEFINE_JUDGE(16)
DEFINE_JUDGE(64)

static void judge(const struct filter_table *table, bool copied)
{
	static struct filter_table prepared;

	assert_true(program_table__is_valid(table));
	program_table__prepare(table, &prepared);
	if (table->nr <= 16)
		judge16(&prepared, copied);
	else
		judge64(&prepared, copied);
}

/* What the terms are of this thread, whose name is another each time. */
static void set_current(struct sample *sample)
{
	u64 *v = (u64 *)sample->s.value;
	int nice = getpriority(PRIO_PROCESS, 0);

	v[FILTER_TERM_PID] = v[FILTER_TERM_TID] = getpid();
	v[FILTER_TERM_PPID] = getppid();
	v[FILTER_TERM_CPU] = sched_getcpu();
	v[FILTER_TERM_UID] = getuid();
	v[FILTER_TERM_GID] = getgid();
	v[FILTER_TERM_NICE] = nice + 20;
	v[FILTER_TERM_IDLE] = 0;
	v[FILTER_TERM_COMM_LO] = v[FILTER_TERM_COMM_HI] = 0;
	memcpy(&v[FILTER_TERM_COMM_LO], sample->comm, sizeof(sample->comm));
}

static void draw_cases(void)
{
	char comm[FILTER_COMM_LEN];

	strcpy(comm, PICK(names));
	assert_int_equal(prctl(PR_SET_NAME, comm), 0);
	for (unsigned int i = 0; i < TP_ORACLE_SAMPLES; i++) {
		struct sample *s = &samples[i];

		rnd_hit(s);
		memset(s->comm, 0, sizeof(s->comm));
		strcpy(s->comm, comm);
		set_current(s);
		cases[i] = (struct tp_oracle_case){ .mode = s->s.value[FILTER_TERM_MODE], .every = s->s.every };
		memcpy(cases[i].record, &s->s.value[FILTER_TERM_RECORD], sizeof(cases[i].record));
	}
}

static bool compile(const char *text, struct filter_table *table)
{
	struct errmsg err = { "" };
	struct filter *f;
	int rc;

	if (filter__parse(text, &f, &err) || filter__check(f, &fake_tp_env, &err))
		fail_msg("%s", err.text);
	rc = filter__lower(f, table, &err);
	filter__delete(f);
	if (rc && rc != -E2BIG)
		fail_msg("%s", err.text);
	return !rc;
}

static void compare(const struct filter_table *table, const char *text, u64 *accepted)
{
	bool copied = rnd(2);

	judge(table, copied);
	for (unsigned int i = 0; i < TP_ORACLE_SAMPLES; i++) {
		bool expected = filter_table__eval(table, &samples[i].s);

		assert_int_equal(cases[i].judged, 1);
		if (cases[i].accepted != expected)
			fail_msg("%s: accepts is %u on record %u%s", text, cases[i].accepted, i, copied ? ", copied" : "");
		*accepted += expected;
	}
}

static bool try_filter(const struct expr *e, u64 *accepted, unsigned int *longest)
{
	static struct filter_table table;
	char *text = write_expr(e);
	bool fits = compile(text, &table);

	if (fits) {
		draw_cases();
		compare(&table, text, accepted);
		*longest = table.nr > *longest ? table.nr : *longest;
	}
	free(text);
	return fits;
}

static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Those that need more entries than there are do not count. */
static void random_filters_agree(void **state)
{
	const char *env = getenv("PERF_ORACLE_FILTERS");
	unsigned int filters = env ? atoi(env) : FILTERS, longest = 0, done = 0, drawn;
	u64 accepted = 0, judged;

	need_first_pid_namespace();
	stay_on_one_cpu();
	made_of = &for_tracepoint;
	for (drawn = 0; done < filters; drawn++) {
		struct expr *e = drawn % 16 ? rnd_expr(rnd(MAX_DEPTH + 1)) : rnd_long_expr(MAX_DEPTH);

		done += try_filter(e, &accepted, &longest);
		free_expr(e);
		assert_true(drawn < 2 * filters + 100);
	}
	judged = (u64)done * TP_ORACLE_SAMPLES;
	print_message("%u filters, the longest of %u entries; %u%% of the records accepted\n", done, longest,
		      (unsigned int)(accepted * 100 / judged));
	assert_int_equal(longest, FILTER_MAX_ENTRIES);
	assert_in_range(accepted, judged / 4, judged * 3 / 4);
}

static void assert_accepted(const char *text, u32 accepted)
{
	static struct filter_table table;

	assert_true(compile(text, &table));
	draw_cases();
	judge(&table, false);
	assert_int_equal(cases[0].judged, 1);
	if (cases[0].accepted != accepted)
		fail_msg("%s: accepts is %u", text, cases[0].accepted);
}

/* Terms whose values are not known in advance. */
static void other_terms(void **state)
{
	assert_accepted("time > 1s", 1);
	assert_accepted("time < 1s", 0);
	assert_accepted("rand <= 100%", 1);
	assert_accepted("rand > 100%", 0);
	if (has_cgroups())
		assert_accepted("cgroup in /", 1);
	assert_accepted("cgroup == 0xffffffffffff", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_filters_agree),
		cmocka_unit_test(other_terms),
	};

	return cmocka_run_group_tests_name("filter-tp-oracle", tests, NULL, NULL);
}
