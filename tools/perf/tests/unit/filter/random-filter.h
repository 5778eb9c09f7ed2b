/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random filters as trees of their own, which are written as text, and evaluated here without any of the tested code; and random
 * samples. Symbols, files and the system's answers are made up. The same on every machine.
 */
#ifndef PERF_TESTS_RANDOM_FILTER_H
#define PERF_TESTS_RANDOM_FILTER_H

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/filter/random-field.h"
#include "util/filter/filter.h"
#include "util/lib/cgroup-mount.h"

#define MAX_VALUES 4

enum level { L_COMMA, L_OR, L_AND, L_NOT, L_TEST }; /* by precedence, lowest first */
enum op { O_EQ, O_NE, O_GT, O_GE, O_LT, O_LE, O_ANY, O_IN, O_GLOB, O_NOT_GLOB, O_MAX };
enum type { T_NUMBER, T_CGROUP, T_NAMED, T_MODE, T_SIGNED, T_FLAG, T_PERCENT, T_EVERY, T_FIELD, T_COMM, T_SYM, T_DSO, T_STRING };

struct term {
	const char *name;
	enum filter_term slot;
	u64 bits; /* sample_flags, any of which says that the value is present */
	enum type type;
	unsigned int shift, size; /* for a part of the slot, in bits; 0: all */
	const char *names;	  /* names of values, with the values: "load 2 store 4" */
	int min;		  /* T_SIGNED: the value for 0 in the slot */
	const struct field *field; /* for T_FIELD and T_STRING */
};

#define TERM(n, s, b, t, ...) { .name = (n), .slot = FILTER_TERM_##s, .bits = (b), .type = T_##t, ##__VA_ARGS__ }
#define MEM(n, at, nr, values) TERM(n, DATA_SRC, PERF_SAMPLE_DATA_SRC, NAMED, .shift = (at), .size = (nr), .names = (values))

static const struct term terms[] = {
	TERM("ip", IP, PERF_SAMPLE_IP, NUMBER),
	TERM("id", ID, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, NUMBER),
	TERM("tid", TID, PERF_SAMPLE_TID, NUMBER),
	TERM("pid", PID, PERF_SAMPLE_TID, NUMBER),
	TERM("ppid", PPID, 0, NUMBER),
	TERM("cpu", CPU, 0, NUMBER),
	TERM("time", TIME, PERF_SAMPLE_TIME, NUMBER),
	TERM("addr", ADDR, PERF_SAMPLE_ADDR, NUMBER),
	TERM("period", PERIOD, PERF_SAMPLE_PERIOD, NUMBER),
	TERM("uid", UID, 0, NUMBER),
	TERM("gid", GID, 0, NUMBER),
#define NR_SIMPLE_TERMS 11 /* the terms above: plain numbers */
	TERM("cgroup", CGROUP, 0, CGROUP),
	TERM("mode", MODE, 0, MODE),
	TERM("prio", PRIO, 0, SIGNED, .min = -1),
	TERM("nice", NICE, 0, SIGNED, .min = -20),
	TERM("idle", IDLE, 0, FLAG),
	TERM("rand", RAND, 0, PERCENT),
	TERM("every", EVERY, 0, EVERY),
	TERM("comm", COMM_LO, 0, COMM),
	TERM("sym", IP, 0, SYM),
	TERM("dso", FILE_NAME, 0, DSO),
	TERM("phys_addr", PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, NUMBER),
	TERM("txn", TXN, PERF_SAMPLE_TRANSACTION, NUMBER),
	TERM("code_pgsz", CODE_PGSZ, PERF_SAMPLE_CODE_PAGE_SIZE, NUMBER),
	TERM("data_pgsz", DATA_PGSZ, PERF_SAMPLE_DATA_PAGE_SIZE, NUMBER),
	TERM("weight", WEIGHT, PERF_SAMPLE_WEIGHT_TYPE, NUMBER, .shift = 0, .size = 32),
	TERM("weight1", WEIGHT, PERF_SAMPLE_WEIGHT_TYPE, NUMBER, .shift = 0, .size = 32),
	TERM("ins_lat", WEIGHT, PERF_SAMPLE_WEIGHT_TYPE, NUMBER, .shift = 32, .size = 16),
	TERM("retire_lat", WEIGHT, PERF_SAMPLE_WEIGHT_TYPE, NUMBER, .shift = 48, .size = 16),
	TERM("p_stage_cyc", WEIGHT, PERF_SAMPLE_WEIGHT_TYPE, NUMBER, .shift = 48, .size = 16),
	MEM("mem_op", 0, 5, "na 1 load 2 store 4 pfetch 8 exec 16"),
	MEM("mem_lvl", 33, 4, "na 15 l1 1 l2 2 l3 3 l4 4 cxl 9 io 10 any_cache 11 lfb 12 ram 13 pmem 14"),
	MEM("mem_lvlnum", 33, 4, "ram 13"),
	MEM("mem_snoop", 19, 0, "na 1 none 2 hit 4 miss 8 hitm 16 fwd 32 peer 64"),
	MEM("mem_remote", 37, 1, "remote 1"),
	MEM("mem_lock", 24, 2, "na 1 locked 2"),
	MEM("mem_dtlb", 26, 7, "na 1 l1_hit 10 l1_miss 12 l2_hit 18 l2_miss 20 any_hit 2 any_miss 4 walk 32 os 64 fault 64"),
	MEM("mem_blk", 40, 3, "na 1 by_data 2 by_addr 4"),
	MEM("mem_hops", 43, 3, "hops0 1 hops1 2 hops2 3 hops3 4"),
};

#define FIELD(n, i, t) { .name = (n), .type = T_##t, .field = &fields[i] }

/* For the tracepoint of random-field.h */
static const struct term tp_terms[] = {
	TERM("pid", PID, PERF_SAMPLE_TID, NUMBER),
	TERM("tid", TID, PERF_SAMPLE_TID, NUMBER),
	TERM("ppid", PPID, 0, NUMBER),
	TERM("cpu", CPU, 0, NUMBER),
	TERM("uid", UID, 0, NUMBER),
	TERM("gid", GID, 0, NUMBER),
	FIELD("a_ushort", 0, FIELD),
	FIELD("a_byte", 1, FIELD),
	FIELD("a_ulong", 2, FIELD),
	FIELD("prio", 3, FIELD),
#define NR_SIMPLE_TP_TERMS 10
	FIELD("an_int", 4, FIELD),
	FIELD("a_char", 5, FIELD),
	FIELD("a_long", 6, FIELD),
	FIELD("a_short", 7, FIELD),
	FIELD("far", 8, FIELD),
	FIELD("path", 9, STRING),
	FIELD("rel", 10, STRING),
	FIELD("title", 11, STRING),
	FIELD("odd", 12, STRING),
	TERM("mode", MODE, 0, MODE),
	TERM("nice", NICE, 0, SIGNED, .min = -20),
	TERM("idle", IDLE, 0, FLAG),
	TERM("comm", COMM_LO, 0, COMM),
	TERM("every", EVERY, 0, EVERY),
};

/* The terms of filters. */
static const struct {
	const struct term *terms;
	unsigned int nr, nr_simple; /* the first ones are plain numbers */
} for_samples = { terms, ARRAY_SIZE(terms), NR_SIMPLE_TERMS }, for_tracepoint = { tp_terms, ARRAY_SIZE(tp_terms), NR_SIMPLE_TP_TERMS },
  *made_of = &for_samples;

/* The code: functions of the kernel, which has no file, and of files. Some names occur several times. */
#define KERNEL 0xffffffff81000000ULL
static const struct filter_file_id files[] = {
	{ 0x800001, 17, "libc.so.6" }, { 0x800001, 18, "libc.so.6" }, { 0x800002, 17, "app" }, { 0, 30, "over.so" },
};
static const struct {
	const char *name;
	u64 first, last;
	int file; /* -1: the kernel */
} functions[] = {
	{ "vfs_read", KERNEL + 0x100, KERNEL + 0x1ff, -1 }, { "vfs_write", KERNEL + 0x200, KERNEL + 0x2ff, -1 },
	{ "ext4_a", KERNEL + 0x400, KERNEL + 0x40f, -1 }, { "ext4_b", KERNEL + 0x420, KERNEL + 0x42f, -1 },
	{ "ext4_c", KERNEL + 0x440, KERNEL + 0x44f, -1 }, { "ext4_d", KERNEL + 0x460, KERNEL + 0x46f, -1 },
	{ "ext4_e", KERNEL + 0x480, KERNEL + 0x48f, -1 }, { "poll", KERNEL + 0x500, KERNEL + 0x5ff, -1 },
	{ "poll", 0x1000, 0x10ff, 0 }, { "malloc", 0x1100, 0x11ff, 0 }, { "malloc", 0x2000, 0x20ff, 1 },
	{ "mem_a", 0x3000, 0x300f, 1 }, { "mem_b", 0x3020, 0x302f, 1 }, { "mem_c", 0x3040, 0x304f, 1 },
	{ "mem_d", 0x3060, 0x306f, 1 }, { "main", 0x1000, 0x10ff, 2 }, { "ns::run(int)", 0x1100, 0x11ff, 2 }, { "over", 0x40, 0x4f, 3 },
};
#define NR_FUNCTIONS ARRAY_SIZE(functions)

static inline bool is_in_dso(unsigned int fn, const char *dso)
{
	int file = functions[fn].file;

	if (!dso) /* the kernel, and the recorded program */
		return file == -1 || file == 2;
	if (file == -1)
		return !strcmp(dso, "[kernel.kallsyms]");
	return !strcmp(dso, files[file].name);
}

static int fake_symbols(void *data, const char *dso, int (*cb)(void *arg, const struct filter_symbol *sym), void *arg,
			const char **scope, struct errmsg *err)
{
	unsigned int i;
	int rc = 0;

	*scope = "the kernel and of app";
	for (i = 0; i < NR_FUNCTIONS && rc >= 0; i++) {
		struct filter_symbol sym = { functions[i].name, functions[i].first, functions[i].last,
					     functions[i].file < 0 ? NULL : &files[functions[i].file] };

		if (is_in_dso(i, dso))
			rc = cb(arg, &sym);
	}
	return rc;
}

/* "/17": the single file in files[] with that inode and name */
static int fake_identify(void *data, const char *path, struct filter_file_id *id, struct errmsg *err)
{
	if (strcmp(path, "/lib/libc.so.6") && strcmp(path, "/lib/over.so"))
		return errmsg__set(err, ENOENT, "%s: there is no such file", path);
	*id = files[strcmp(path, "/lib/libc.so.6") ? 3 : 0];
	return 0;
}

static const struct filter_env fake_env = { .for_each_symbol = fake_symbols, .identify_file = fake_identify };

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
	const char *name[MAX_VALUES]; /* comm, sym, dso */
};

struct sample {
	struct filter_sample s;
	char comm[FILTER_COMM_LEN];
};

static const char *const names[] = {
	"a", "ab", "abc", "bash", "nginx", "1234567", "12345678", "123456789", "kworker/0:1-ev", "fifteen-bytes-x", "a b",
	"gr\xc3\xbc\xc3\x9f",
};
static const char *const globs[] = { "*",   "a*",    "*a*", "123*",	 "12345678*", "123456789*", "*x", "k*/[0-9]*",
				     "?b*", "[!a]*", "ab",  "kworker/0:1-ev*", "*-*-*", "?*" };

static const char *const symbols[] = { "vfs_read", "ext4_c", "poll", "libc.so.6:malloc", "libc.so.6:poll", "main", "ns::run",
				       "app:ns::run", "'ns::run(int)'", "over.so:over", "libc.so.6:mem_b" };
static const char *const symbol_globs[] = { "vfs_*", "ext4_*", "*", "libc.so.6:mem_[!c]", "libc.so.6:m*", "*o*", "app:ns::*" };
static const char *const dsos[] = { "libc.so.6", "app", "other", "/lib/libc.so.6", "/lib/over.so", "[kernel.kallsyms]" };
static const char *const dso_globs[] = { "lib*", "*.so", "*", "?pp", "libc.so.[0-9]" };

static enum op rnd_op(const struct term *term)
{
	static const enum op of_string[] = { O_EQ, O_NE, O_IN, O_GLOB, O_NOT_GLOB };
	static const enum op of_id[] = { O_EQ, O_NE, O_IN };
	static const enum op of_signed[] = { O_EQ, O_NE, O_IN, O_GT, O_GE, O_LT, O_LE };

	switch (term->type) {
	case T_COMM:
	case T_SYM:
	case T_DSO:
	case T_STRING:
		return of_string[rnd(ARRAY_SIZE(of_string))];
	case T_FIELD:
	case T_NUMBER:
	case T_NAMED:
		return rnd(O_IN + 1);
	case T_SIGNED:
		return of_signed[rnd(ARRAY_SIZE(of_signed))];
	case T_PERCENT:
		return O_GT + rnd(4);
	default:
		return of_id[rnd(ARRAY_SIZE(of_id))];
	}
}

/* The range of values for a term is 0 to this one. */
static u64 max_value(const struct term *term)
{
	if (term->type == T_NAMED)
		return term->size ? (1ULL << term->size) - 1 : 127;
	if (term->type == T_SIGNED)
		return term->min == -20 ? 39 : 140;
	return term->type == T_PERCENT ? 1000 : UINT64_MAX;
}

static u64 rnd_value_of(const struct term *term)
{
	u64 max = max_value(term);

	if (term->type == T_MODE)
		return 1 + rnd(2);
	if (term->type == T_EVERY)
		return 1 + rnd(3);
	if (term->type == T_FIELD)
		return rnd_field_value(&term->field->desc);
	return max == UINT64_MAX ? rnd_value() : rnd(max + 1);
}

static const char *rnd_name(const struct term *term, bool glob)
{
	if (term->type == T_STRING)
		return rnd_text(&term->field->desc, glob);
	if (term->type == T_SYM)
		return glob ? PICK(symbol_globs) : PICK(symbols);
	if (term->type == T_DSO)
		return glob ? PICK(dso_globs) : PICK(dsos);
	return glob ? PICK(globs) : PICK(names);
}

static bool is_signed(const struct term *term)
{
	return term->type == T_FIELD && term->field->desc.is_signed;
}

static void rnd_values(struct expr *e)
{
	bool ranges = e->term->type == T_NUMBER || e->term->type == T_NAMED || e->term->type == T_SIGNED || e->term->type == T_FIELD;
	unsigned int i;
	u64 swap;

	e->nr = e->op == O_IN ? 1 + rnd(MAX_VALUES) : 1;
	for (i = 0; i < e->nr; i++) {
		struct range *r = &e->value[i];

		r->lo = r->hi = rnd_value_of(e->term);
		if (e->op == O_IN && ranges && rnd(2))
			r->hi = rnd_value_of(e->term);
		if (is_signed(e->term) ? (s64)r->lo > (s64)r->hi : r->lo > r->hi) {
			swap = r->lo;
			r->lo = r->hi;
			r->hi = swap;
		}
		e->name[i] = e->term->type >= T_COMM ? rnd_name(e->term, e->op >= O_GLOB) : NULL;
	}
}

static struct expr *new_test(const struct term *term, enum op op)
{
	struct expr *e = calloc(1, sizeof(*e));

	e->level = L_TEST;
	e->term = term;
	e->op = op;
	rnd_values(e);
	return e;
}

/* "cgroup in /" needs a directory: without it, as in a plain chroot, cgroups go by their ids. */
static bool has_cgroups(void)
{
	static int found = -1;
	char dir[PATH_MAX];

	if (found < 0)
		found = !cgroup__mount(NULL, dir, sizeof(dir));
	return found;
}

static struct expr *rnd_test(void)
{
	const struct term *term = &made_of->terms[rnd(made_of->nr)];
	enum op op = rnd_op(term);

	if (term->type == T_CGROUP && op == O_IN && !has_cgroups())
		op = O_NE;
	return new_test(term, op);
}

static struct expr *rnd_expr(unsigned int depth)
{
	struct expr *e;

	if (!depth || !rnd(4))
		return rnd_test();
	e = calloc(1, sizeof(*e));
	e->level = rnd(L_TEST);
	e->left = rnd_expr(depth - 1);
	if (e->level != L_NOT)
		e->right = rnd_expr(depth - 1);
	return e;
}

/* A filter of maximum length: 2^depth tests with one entry each. Half of them hold, so that all of it is run. */
static struct expr *rnd_long_expr(unsigned int depth)
{
	struct expr *e;

	if (!depth)
		return new_test(&made_of->terms[rnd(made_of->nr_simple)], rnd(2) ? O_LE : O_GT);
	e = calloc(1, sizeof(*e));
	e->level = rnd(2) ? L_OR : L_AND;
	e->left = rnd_long_expr(depth - 1);
	e->right = rnd_long_expr(depth - 1);
	return e;
}

static void free_expr(struct expr *e)
{
	if (!e)
		return;
	free_expr(e->left);
	free_expr(e->right);
	free(e);
}

static const char *blank(void)
{
	return rnd(2) ? " " : "";
}

/* The name of a value, or NULL. */
static const char *name_of(const struct term *term, u64 value)
{
	static char name[16];
	const char *p = term->names;
	u64 v;

	while (p && sscanf(p, "%15s %" SCNu64, name, &v) == 2) {
		if (v == value)
			return name;
		p = strchr(strchr(p, ' ') + 1, ' ');
		p = p ? p + 1 : NULL;
	}
	return NULL;
}

static void print_number(const struct expr *e, u64 value, FILE *fp)
{
	const char *name = name_of(e->term, value);

	if (e->term->type == T_MODE)
		fputs(value == FILTER_MODE_USER ? "user" : "kernel", fp);
	else if (e->term->type == T_SIGNED)
		fprintf(fp, "%d", (int)value + e->term->min);
	else if (e->term->type == T_PERCENT)
		fprintf(fp, "%" PRIu64 ".%" PRIu64 "%%", value / 10, value % 10);
	else if (is_signed(e->term))
		fprintf(fp, "%" PRId64, (s64)value);
	else if (name && rnd(2))
		fputs(name, fp);
	else
		fprintf(fp, rnd(2) ? "0x%" PRIX64 : "%" PRIu64, value);
}

static void print_value(const struct expr *e, unsigned int i, FILE *fp)
{
	const struct range *r = &e->value[i];
	bool quoted = e->term->type >= T_COMM && e->name[i][0] != '\'';

	if (e->term->type == T_CGROUP && e->op == O_IN) {
		fputs("/", fp); /* the only subtree that contains every task */
	} else if (e->term->type >= T_COMM) {
		fprintf(fp, quoted ? "'%s'" : "%s", e->name[i]);
	} else {
		print_number(e, r->lo, fp);
		if (r->lo != r->hi) {
			fprintf(fp, "%s..%s", blank(), blank());
			print_number(e, r->hi, fp);
		}
	}
}

static void print_test(const struct expr *e, FILE *fp)
{
	static const char *const ops[O_MAX] = { "==", "!=", ">", ">=", "<", "<=", "&", " in ", "~", "!~" };
	bool braces = e->op == O_IN && (e->nr > 1 || rnd(2));
	unsigned int i;

	if (e->term->type == T_FLAG || e->term->type == T_EVERY) {
		fputs(e->term->name, fp);
		if (e->term->type == T_EVERY)
			fprintf(fp, " %" PRIu64, e->value[0].lo);
		return;
	}
	fprintf(fp, "%s%s%s%s%s", e->term->name, blank(), ops[e->op], blank(), braces ? "{" : "");
	for (i = 0; i < e->nr; i++) {
		fputs(i ? "," : "", fp);
		print_value(e, i, fp);
	}
	fputs(braces ? "}" : "", fp);
}

/* Parentheses where the grammar needs them, and sometimes elsewhere. */
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

static bool eval_field(const struct expr *e, const struct sample *s)
{
	const u64 sign = is_signed(e->term) && e->op != O_ANY ? 1ULL << 63 : 0; /* with inverted sign, numbers sort as unsigned ones */
	struct expr shifted = *e;

	for (unsigned int i = 0; i < e->nr; i++) {
		shifted.value[i].lo ^= sign;
		shifted.value[i].hi ^= sign;
	}
	return eval_number(&shifted, number_in(&s->s.value[FILTER_TERM_RECORD], &e->term->field->desc) ^ sign);
}

static bool comm_is(const struct sample *s, const char *name, bool glob)
{
	return glob ? !fnmatch(name, s->comm, 0) : !strcmp(name, s->comm);
}

static bool is_at(const struct sample *s, unsigned int fn)
{
	const struct filter_file_id *file = functions[fn].file < 0 ? NULL : &files[functions[fn].file];
	u64 at = file ? s->s.value[FILTER_TERM_FILE_OFFSET] : s->s.sample_flags & PERF_SAMPLE_IP ? s->s.value[FILTER_TERM_IP] : 0;

	if (file && (s->s.value[FILTER_TERM_FILE_INO] != file->ino ||
		     (file->dev ? s->s.value[FILTER_TERM_FILE_DEV] != file->dev : !!strcmp(s->s.file, file->name))))
		return false;
	return at >= functions[fn].first && at <= functions[fn].last;
}

static bool sym_is(const struct sample *s, const char *text, bool glob)
{
	char buf[64], *dso = NULL, *name = buf, *colon;
	unsigned int i;

	snprintf(buf, sizeof(buf), "%s", text + (text[0] == '\''));
	buf[strcspn(buf, "'")] = '\0';
	colon = strchr(buf, ':');
	if (colon && colon[1] != ':') {
		*colon = '\0';
		dso = buf;
		name = colon + 1;
	}
	for (i = 0; i < NR_FUNCTIONS; i++) {
		const char *fn = functions[i].name;
		bool named = glob ? !fnmatch(name, fn, 0) : !strcmp(name, fn) || (!strcmp(name, "ns::run") && !strncmp(fn, name, 7));

		if (named && is_in_dso(i, dso) && is_at(s, i))
			return true;
	}
	return false;
}

static bool dso_is(const struct sample *s, const char *name, bool glob)
{
	unsigned int i;

	if (glob)
		return s->s.file[0] && !fnmatch(name, s->s.file, 0);
	if (!strcmp(name, "/lib/libc.so.6"))
		return s->s.value[FILTER_TERM_FILE_INO] == 17 && s->s.value[FILTER_TERM_FILE_DEV] == 0x800001;
	if (!strcmp(name, "/lib/over.so"))
		return s->s.value[FILTER_TERM_FILE_INO] == 30 && !strcmp(s->s.file, "over.so");
	if (name[0] != '[')
		return !strcmp(name, s->s.file);
	for (i = 0; i < NR_FUNCTIONS; i++) {
		if (functions[i].file < 0 && is_at(s, i))
			return true;
	}
	return false;
}

static bool name_is(const struct expr *e, const struct sample *s, const char *name)
{
	bool glob = e->op >= O_GLOB;

	switch (e->term->type) {
	case T_SYM:
		return sym_is(s, name, glob);
	case T_DSO:
		return dso_is(s, name, glob);
	case T_STRING:
		return string_is(&s->s.value[FILTER_TERM_RECORD], &e->term->field->desc, name, glob);
	default:
		return comm_is(s, name, glob);
	}
}

static bool eval_name(const struct expr *e, const struct sample *s)
{
	bool inverted = e->op == O_NE || e->op == O_NOT_GLOB;
	unsigned int i;

	for (i = 0; i < e->nr; i++) {
		if (name_is(e, s, e->name[i]))
			return !inverted;
	}
	return inverted;
}

static u64 value_in(const struct term *term, const struct sample *s)
{
	u64 v = !term->bits || s->s.sample_flags & term->bits ? s->s.value[term->slot] : 0;

	if (!strcmp(term->name, "mem_snoop")) /* mem_snoop:5 at 19, mem_snoopx:2 at 38 */
		return (v >> 19 & 31) | (v >> 38 & 3) << 5;
	v >>= term->shift;
	return term->size ? v & ((1ULL << term->size) - 1) : v;
}

static bool eval_test(const struct expr *e, const struct sample *s)
{
	struct expr percent = *e;

	switch (e->term->type) {
	case T_FIELD:
		return eval_field(e, s);
	case T_COMM:
	case T_SYM:
	case T_DSO:
	case T_STRING:
		return eval_name(e, s);
	case T_FLAG:
		return value_in(e->term, s);
	case T_EVERY:
		return s->s.every + 1 >= e->value[0].lo;
	case T_CGROUP:
		return e->op == O_IN ? s->s.cgroup_at[0] == 1 : eval_number(e, value_in(e->term, s));
	case T_PERCENT:
		percent.value[0].lo = (e->value[0].lo << 32) / 1000;
		return eval_number(&percent, value_in(e->term, s));
	default:
		return eval_number(e, value_in(e->term, s));
	}
}

static inline bool eval_expr(const struct expr *e, const struct sample *s)
{
	switch (e->level) {
	case L_NOT: return !eval_expr(e->left, s);
	case L_OR: return eval_expr(e->left, s) || eval_expr(e->right, s);
	case L_AND:
	case L_COMMA: return eval_expr(e->left, s) && eval_expr(e->right, s);
	default: break;
	}
	return eval_test(e, s);
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

/* Set code at the edges of a function, of the kernel or of a file. */
static void set_code(struct sample *s)
{
	unsigned int fn = rnd(NR_FUNCTIONS);
	u64 around[] = { functions[fn].first, functions[fn].last, functions[fn].first + 1, functions[fn].last + 1,
			 functions[fn].first - 1, functions[fn].first + 0x20 };
	u64 at = PICK(around);

	if (functions[fn].file < 0) {
		s->s.value[FILTER_TERM_IP] = at;
		return;
	}
	s->s.value[FILTER_TERM_FILE_OFFSET] = at;
	s->s.value[FILTER_TERM_FILE_DEV] = rnd(8) ? files[functions[fn].file].dev : 0x800002;
	s->s.value[FILTER_TERM_FILE_INO] = files[functions[fn].file].ino;
	strcpy(s->s.file, rnd(8) ? files[functions[fn].file].name : PICK(names));
}

static void rnd_sample(struct sample *s)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < 25; i++)
		s->s.sample_flags |= rnd(8) ? 1ULL << i : 0;
	for (i = 0; i < FILTER_TERM_FILE_DEV; i++)
		s->s.value[i] = rnd(4) ? rnd_value() : rnd_value() + rnd(3);
	s->s.value[FILTER_TERM_COMM_LO] = s->s.value[FILTER_TERM_COMM_HI] = 0;
	s->s.value[FILTER_TERM_MODE] = 1 + rnd(2);
	s->s.value[FILTER_TERM_PRIO] = rnd(141);
	s->s.value[FILTER_TERM_NICE] = rnd(40);
	s->s.value[FILTER_TERM_IDLE] = rnd(2);
	s->s.value[FILTER_TERM_RAND] = rnd(1000) * 4294967ULL;
	s->s.value[FILTER_TERM_DATA_SRC] = (u64)rnd(1 << 23) << 23 | rnd(1 << 23);
	s->s.value[FILTER_TERM_WEIGHT] = rnd_value() << 48 | (rnd_value() & 0xffff) << 32 | (rnd_value() & 0xffffffff);
	s->s.cgroup_at[0] = rnd(8) ? 1 : 77; /* the root's id is 1 */
	s->s.every = rnd(3);
	set_comm(s, names[rnd(ARRAY_SIZE(names))]);
	set_code(s);
}

/* A hit of a tracepoint: nothing is missing, and no code is looked up. */
static inline void rnd_hit(struct sample *s)
{
	rnd_sample(s);
	s->s.sample_flags = ~0ULL;
	rnd_record((char *)&s->s.value[FILTER_TERM_RECORD]);
}

/* The text of a filter; malloc'ed */
static char *write_expr(const struct expr *e)
{
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);

	print_expr(e, L_COMMA, fp);
	fclose(fp);
	return text;
}

#endif
