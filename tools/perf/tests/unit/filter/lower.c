// SPDX-License-Identifier: GPL-2.0
/*
 * Random filters are written as text from trees of this test's own, compiled, and the table's verdict on random samples
 * is compared with that of the tree. The parser, the check, the lowering and the evaluator have to agree with
 * eval_expr() below.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/filter/filter.h"

#define FILTERS 3000
#define SAMPLES 50
#define MAX_DEPTH 6
#define MAX_VALUES 4

enum level { L_COMMA, L_OR, L_AND, L_NOT, L_TEST }; /* as they bind, loosest first */
enum op { O_EQ, O_NE, O_GT, O_GE, O_LT, O_LE, O_ANY, O_IN, O_GLOB, O_NOT_GLOB, O_MAX };

struct term {
	const char *name;
	enum filter_term slot;
	u64 bits; /* sample_flags, any of which says that the value is there */
	enum { T_NUMBER, T_ID, T_MODE, T_COMM } type;
};

static const struct term terms[] = {
	{ "ip", FILTER_TERM_IP, PERF_SAMPLE_IP, T_NUMBER },
	{ "id", FILTER_TERM_ID, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, T_NUMBER },
	{ "tid", FILTER_TERM_TID, PERF_SAMPLE_TID, T_NUMBER },
	{ "pid", FILTER_TERM_PID, PERF_SAMPLE_TID, T_NUMBER },
	{ "cpu", FILTER_TERM_CPU, 0, T_NUMBER },
	{ "time", FILTER_TERM_TIME, PERF_SAMPLE_TIME, T_NUMBER },
	{ "addr", FILTER_TERM_ADDR, PERF_SAMPLE_ADDR, T_NUMBER },
	{ "period", FILTER_TERM_PERIOD, PERF_SAMPLE_PERIOD, T_NUMBER },
	{ "uid", FILTER_TERM_UID, 0, T_NUMBER },
	{ "gid", FILTER_TERM_GID, 0, T_NUMBER },
	{ "cgroup", FILTER_TERM_CGROUP, 0, T_ID },
	{ "mode", FILTER_TERM_MODE, 0, T_MODE },
	{ "comm", FILTER_TERM_COMM_LO, 0, T_COMM },
};

struct range {
	u64 lo, hi;
};

struct expr {
	enum level level;
	struct expr *left, *right; /* right NULL for L_NOT */
	const struct term *term;
	enum op op;
	unsigned int nr;
	struct range value[MAX_VALUES];
	const char *name[MAX_VALUES]; /* comm */
};

struct sample {
	struct filter_sample s;
	char comm[FILTER_COMM_LEN];
};

static const u64 pool[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 255, 256, 1000, UINT64_MAX - 1, UINT64_MAX };
static const char *const names[] = {
	"a", "ab", "abc", "bash", "nginx", "1234567", "12345678", "123456789", "kworker/0:1-ev", "fifteen-bytes-x", "a b",
	"gr\xc3\xbc\xc3\x9f",
};
static const char *const globs[] = { "*",   "a*",    "*a*", "123*",	 "12345678*", "123456789*", "*x", "k*/[0-9]*",
				     "?b*", "[!a]*", "ab",  "kworker/0:1-ev*", "*-*-*", "?*" };

/* xorshift64*: the same filters on every machine */
static u64 seed = 0x9e3779b97f4a7c15ULL;

static unsigned int rnd(unsigned int n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * 0x2545f4914f6cdd1dULL >> 33) % n;
}

static u64 rnd_value(void)
{
	return pool[rnd(ARRAY_SIZE(pool))];
}

static enum op rnd_op(const struct term *term)
{
	static const enum op of_comm[] = { O_EQ, O_NE, O_IN, O_GLOB, O_NOT_GLOB };
	static const enum op of_id[] = { O_EQ, O_NE, O_IN };

	if (term->type == T_COMM)
		return of_comm[rnd(ARRAY_SIZE(of_comm))];
	if (term->type == T_NUMBER)
		return rnd(O_IN + 1);
	return of_id[rnd(ARRAY_SIZE(of_id))];
}

static void rnd_values(struct expr *e)
{
	unsigned int i;
	u64 swap;

	e->nr = e->op == O_IN ? 1 + rnd(MAX_VALUES) : 1;
	for (i = 0; i < e->nr; i++) {
		struct range *r = &e->value[i];

		r->lo = r->hi = e->term->type == T_MODE ? 1 + rnd(2) : rnd_value();
		if (e->op == O_IN && e->term->type == T_NUMBER && rnd(2))
			r->hi = rnd_value();
		if (r->lo > r->hi) {
			swap = r->lo;
			r->lo = r->hi;
			r->hi = swap;
		}
		e->name[i] = e->op >= O_GLOB ? globs[rnd(ARRAY_SIZE(globs))] : names[rnd(ARRAY_SIZE(names))];
	}
}

static struct expr *rnd_expr(unsigned int depth)
{
	struct expr *e = test_calloc(1, sizeof(*e));

	if (!depth || !rnd(4)) {
		e->level = L_TEST;
		e->term = &terms[rnd(ARRAY_SIZE(terms))];
		e->op = rnd_op(e->term);
		rnd_values(e);
		return e;
	}
	e->level = rnd(L_TEST);
	e->left = rnd_expr(depth - 1);
	if (e->level != L_NOT)
		e->right = rnd_expr(depth - 1);
	return e;
}

static void free_expr(struct expr *e)
{
	if (!e)
		return;
	free_expr(e->left);
	free_expr(e->right);
	test_free(e);
}

static const char *blank(void)
{
	return rnd(2) ? " " : "";
}

static void print_value(const struct expr *e, unsigned int i, FILE *fp)
{
	const struct range *r = &e->value[i];

	if (e->term->type == T_COMM)
		fprintf(fp, "'%s'", e->name[i]);
	else if (e->term->type == T_MODE)
		fputs(r->lo == FILTER_MODE_USER ? "user" : "kernel", fp);
	else if (r->lo != r->hi)
		fprintf(fp, "%" PRIu64 "%s..%s0x%" PRIx64, r->lo, blank(), blank(), r->hi);
	else if (rnd(2))
		fprintf(fp, "0x%" PRIX64, r->lo);
	else
		fprintf(fp, "%" PRIu64, r->lo);
}

static void print_test(const struct expr *e, FILE *fp)
{
	static const char *const ops[O_MAX] = { "==", "!=", ">", ">=", "<", "<=", "&", " in ", "~", "!~" };
	bool braces = e->op == O_IN && (e->nr > 1 || e->term->type == T_ID || rnd(2));
	unsigned int i;

	fprintf(fp, "%s%s%s%s%s", e->term->name, blank(), ops[e->op], blank(), braces ? "{" : "");
	for (i = 0; i < e->nr; i++) {
		fputs(i ? "," : "", fp);
		print_value(e, i, fp);
	}
	fputs(braces ? "}" : "", fp);
}

/* Parentheses where the grammar needs them, and sometimes where not. */
static void print_expr(const struct expr *e, enum level outer, FILE *fp)
{
	static const char *const joints[][2] = { { ",", " ,\t" }, { "||", " or " }, { "&&", " and " } };
	bool open = e->level < outer || !rnd(8);

	fputs(open ? "(" : "", fp);
	if (e->level == L_TEST) {
		print_test(e, fp);
	} else if (e->level == L_NOT) {
		fputs(rnd(2) ? "!" : " not ", fp);
		print_expr(e->left, L_NOT, fp);
	} else {
		print_expr(e->left, e->level, fp);
		fputs(joints[e->level][rnd(2)], fp);
		print_expr(e->right, e->level + 1, fp);
	}
	fputs(open ? ")" : "", fp);
}

static bool eval_number(const struct expr *e, u64 v)
{
	u64 x = e->value[0].lo;
	unsigned int i;

	switch (e->op) {
	case O_EQ: return v == x;
	case O_NE: return v != x;
	case O_GT: return v > x;
	case O_GE: return v >= x;
	case O_LT: return v < x;
	case O_LE: return v <= x;
	case O_ANY: return v & x;
	default:
		for (i = 0; i < e->nr; i++) {
			if (v >= e->value[i].lo && v <= e->value[i].hi)
				return true;
		}
		return false;
	}
}

static bool eval_comm(const struct expr *e, const char *comm)
{
	unsigned int i;

	if (e->op >= O_GLOB)
		return (e->op == O_GLOB) == !fnmatch(e->name[0], comm, 0);
	for (i = 0; i < e->nr; i++) {
		if (!strcmp(e->name[i], comm))
			return e->op != O_NE;
	}
	return e->op == O_NE;
}

static bool eval_expr(const struct expr *e, const struct sample *s)
{
	u64 v;

	switch (e->level) {
	case L_NOT: return !eval_expr(e->left, s);
	case L_OR: return eval_expr(e->left, s) || eval_expr(e->right, s);
	case L_AND:
	case L_COMMA: return eval_expr(e->left, s) && eval_expr(e->right, s);
	default: break;
	}
	if (e->term->type == T_COMM)
		return eval_comm(e, s->comm);
	v = !e->term->bits || s->s.sample_flags & e->term->bits ? s->s.value[e->term->slot] : 0;
	return eval_number(e, v);
}

static void set_comm(struct sample *s, const char *comm)
{
	unsigned int i;

	memset(s->comm, 0, sizeof(s->comm));
	strncpy(s->comm, comm, sizeof(s->comm) - 1);
	for (i = 0; i < 8; i++) {
		s->s.value[FILTER_TERM_COMM_LO] |= (u64)(u8)s->comm[i] << (8 * i);
		s->s.value[FILTER_TERM_COMM_HI] |= (u64)(u8)s->comm[8 + i] << (8 * i);
	}
}

static void rnd_sample(struct sample *s)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < 25; i++)
		s->s.sample_flags |= rnd(8) ? 1ULL << i : 0;
	for (i = 0; i < FILTER_TERM_COMM_LO; i++)
		s->s.value[i] = rnd(4) ? rnd_value() : rnd_value() + rnd(3);
	s->s.value[FILTER_TERM_MODE] = 1 + rnd(2);
	set_comm(s, names[rnd(ARRAY_SIZE(names))]);
}

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

static bool try_filter(const struct expr *e, u64 *accepted)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	struct sample sample;
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);
	unsigned int i;
	bool verdict;
	int rc;

	print_expr(e, L_COMMA, fp);
	fclose(fp);
	rc = filter__compile(text, &table, &err);
	if (rc && rc != -E2BIG)
		fail_msg("%s", err.text);
	if (!rc)
		check_shape(&table, text);
	for (i = 0; !rc && i < SAMPLES; i++) {
		rnd_sample(&sample);
		verdict = filter_table__eval(&table, &sample.s);
		if (verdict != eval_expr(e, &sample))
			fail_msg("%s: accepts is %d on sample %u", text, verdict, i);
		*accepted += verdict;
	}
	free(text);
	return !rc;
}

static void test_random_filters(void **state)
{
	unsigned int i, done = 0;
	u64 accepted = 0;

	for (i = 0; i < FILTERS; i++) {
		struct expr *e = rnd_expr(rnd(MAX_DEPTH + 1));

		done += try_filter(e, &accepted);
		free_expr(e);
	}
	/* Those that need too many entries are few, and the samples are neither all kept nor all dropped. */
	assert_true(done >= FILTERS * 8 / 10);
	assert_in_range(accepted, done * SAMPLES / 4, done * SAMPLES * 3 / 4);
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
				  " 1: comm-matches(pattern 0) == 0x1 ? 2 : accept\n"
				  " 2: cpu & 0x6 > 0x0 ? accept : reject\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_filters), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sample_type),    cmocka_unit_test(test_limits),
		cmocka_unit_test(test_unchecked),      cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests_name("filter/lower", tests, NULL, NULL);
}
