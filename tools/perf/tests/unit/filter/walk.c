// SPDX-License-Identifier: GPL-2.0
/* Filters of the kernel's data, over made walks: their tables, their errors, and what the tables say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/filter/filter.h"

#define STATE 77 /* the type of an enum */
#define NUMBER(at, bytes, ...) { .walk = { .source = 1, .kind = FILTER_WALK_NUMBER, .size = (bytes), .last = (at) }, ##__VA_ARGS__ }
#define TEXT(at, k, bytes) { .walk = { .source = 1, .kind = FILTER_WALK_##k, .size = (bytes), .last = (at) } }

static const struct {
	const char *text;
	struct type_walk walk;
} ways[] = {
	{ "skb->len", NUMBER(8, 4) },
	{ "skb->size", NUMBER(16, 8) },
	{ "skb->left", NUMBER(24, 4, .is_signed = true) },
	{ "skb->state", NUMBER(28, 4, .type = STATE) },
	{ "skb->bits", NUMBER(32, 1, .shift = 3, .bits = 2) },
	{ "skb->name", TEXT(40, CHARS, 16) },
	{ "skb->tag", TEXT(56, CHARS, 4) },
	{ "skb->path", TEXT(64, STRING, 8) },
	{ "skb", NUMBER(0, 8) },
};

static int find_walk(void *data, const char *text, size_t len, struct type_walk *walk, struct walk_error *error)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strlen(ways[i].text) == len && !memcmp(ways[i].text, text, len)) {
			*walk = ways[i].walk;
			return 0;
		}
	}
	*error = (struct walk_error){ .at = 5, .len = len > 5 ? len - 5 : 0 };
	strcpy(error->why, "is unknown");
	return strncmp(text, "skb", 3) ? -ENOENT : -EINVAL;
}

static int walk_value(void *data, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size)
{
	if (type != STATE)
		return -EINVAL;
	*value = 5;
	snprintf(why, size, "is no state");
	return len == 4 && !memcmp(name, "BUSY", 4) ? 0 : -ENOENT;
}

static const struct filter_env env = { .find_walk = find_walk, .walk_value = walk_value };

static int compile(const char *text, struct filter_table *table, struct errmsg *err)
{
	struct filter *f;
	int rc = filter__parse(text, &f, err);

	if (rc)
		return rc;
	rc = filter__check(f, &env, err);
	if (!rc)
		rc = filter__lower(f, table, err);
	filter__delete(f);
	return rc;
}

static void assert_table(const char *text, const char *expected)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	char *dump = NULL;
	size_t len;
	FILE *fp = open_memstream(&dump, &len);

	if (compile(text, &table, &err))
		fail_msg("%s", err.text);
	filter_table__dump(&table, fp);
	fclose(fp);
	if (strcmp(dump, expected))
		fail_msg("%s:\n%swants:\n%s", text, dump, expected);
	free(dump);
}

static void tables_walk_first(void **state)
{
	assert_table("skb->len >= 60", " 0: walk-has(#0) == 0x1 ? 1 : reject\n 1: walk[0] & 0xffffffff >= 0x3c ? accept : reject\n"
		     "walk[0]: argument 1, number at +8, 4 bytes\n");
	assert_table("skb->bits == 2", " 0: walk-has(#0) == 0x1 ? 1 : reject\n 1: walk[0] >> 3 & 0x3 == 0x2 ? accept : reject\n"
		     "walk[0]: argument 1, number at +32, 1 byte\n");
	assert_table("skb->state != BUSY", " 0: walk-has(#0) == 0x1 ? 1 : reject\n 1: walk[0] & 0xffffffff == 0x5 ? reject : accept\n"
		     "walk[0]: argument 1, number at +28, 4 bytes\n");
	assert_table("skb->name == lo", " 0: walk-has(#0) == 0x1 ? 1 : reject\n 1: walk[0] & 0xffffff == 0x6f6c ? accept : reject\n"
		     "walk[0]: argument 1, number at +40, 8 bytes\n");
	assert_table("skb->name ~ lo*", " 0: walk-has(#0) == 0x1 ? 1 : reject\n 1: walk[0] & 0xffff == 0x6f6c ? accept : reject\n"
		     "walk[0]: argument 1, number at +40, 8 bytes\n");
	assert_table("skb->name == wlp4s0f0", " 0: walk-has(#0) == 0x1 ? 1 : reject\n 1: walk-is(#0, #0) == 0x1 ? accept : reject\n"
		     "walk[0]: argument 1, text at +40, 16 bytes\n");
	assert_table("skb->path !~ \"*.so\"", " 0: walk-has(#0) == 0x1 ? 1 : reject\n 1: walk-matches(#0, #0) == 0x1 ? reject : accept\n"
		     "walk[0]: argument 1, pointer to a text at +64, 8 bytes\n");
	assert_table("skb->path == 0x10", " 0: walk-has(#0) == 0x1 ? 1 : reject\n 1: walk[0] == 0x10 ? accept : reject\n"
		     "walk[0]: argument 1, number at +64, 8 bytes\n");
	assert_table("skb->len == 1 || skb->len == 2", " 0: walk-has(#0) == 0x1 ? 1 : 2\n 1: walk[0] & 0xffffffff == 0x1 ? accept : 2\n"
		     " 2: walk-has(#0) == 0x1 ? 3 : reject\n 3: walk[0] & 0xffffffff == 0x2 ? accept : reject\n"
		     "walk[0]: argument 1, number at +8, 4 bytes\n");
	assert_table("skb->len == 1 && cpu == 0", " 0: cpu == 0x0 ? 1 : reject\n 1: walk-has(#0) == 0x1 ? 2 : reject\n"
		     " 2: walk[0] & 0xffffffff == 0x1 ? accept : reject\nwalk[0]: argument 1, number at +8, 4 bytes\n");
}

/* What a filter says of a sample whose walks lead to this number, or to none. */
static bool accepts(const char *text, bool has, u64 number)
{
	static struct filter_table table;
	static struct filter_sample sample;
	struct errmsg err = { "" };

	if (compile(text, &table, &err))
		fail_msg("%s", err.text);
	memset(&sample, 0, sizeof(sample));
	sample.walks = has;
	sample.value[FILTER_TERM_WALK] = number;
	return filter_table__eval(&table, &sample);
}

static void no_value_is_false_in_every_test(void **state)
{
	assert_true(accepts("skb->len == 5", true, 5));
	assert_false(accepts("skb->len == 0", false, 0));
	assert_false(accepts("skb->len != 5", false, 0));
	assert_false(accepts("skb->len >= 0", false, 0));
	assert_false(accepts("skb->len not in {1..3}", true, 2));
	assert_false(accepts("skb->name != lo", false, 0));
	assert_true(accepts("skb->name != lo", true, 0x306874657));
	assert_true(accepts("!(skb->len == 5)", false, 0)); /* the negation of a false test */
	assert_true(accepts("skb->left < 0", true, 0xffffffff));
	assert_false(accepts("skb->left < 0", true, 5));
	assert_true(accepts("skb->left in {-3..-1}", true, 0xfffffffe));
	assert_true(accepts("skb->size == -1", true, ~0ULL));
}

static void assert_refused(const char *text, int rc, unsigned int column, const char *message)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	const char *caret;

	assert_int_equal(compile(text, &table, &err), rc);
	if (!strstr(err.text, message))
		fail_msg("%s: %s", text, err.text);
	caret = strrchr(err.text, '\n');
	if (!caret || strcspn(caret + 1, "^") != strspn(caret + 1, " ") || strspn(caret + 1, " ") != column + 2)
		fail_msg("%s: wants column %u:\n%s", text, column, err.text);
}

static void errors_point_to_the_member(void **state)
{
	assert_refused("skb->nope == 1", -EINVAL, 5, "'nope' is unknown");
	assert_refused("cpu == 1 && skb->nope == 1", -EINVAL, 17, "'nope' is unknown");
	assert_refused("skb->state == IDLE", -EINVAL, 14, "'IDLE' is no state");
	assert_refused("skb->len == lo", -EINVAL, 12, "takes a number");
	assert_refused("skb->len == 4294967296", -EINVAL, 12, "is no value of skb->len");
	assert_refused("skb->bits == 4", -EINVAL, 13, "is no value of skb->bits, which is at most 3");
	assert_refused("skb->name < 3", -EINVAL, 10, "cannot be used");
	assert_refused("skb->name == abcdefghijklmnopq", -EINVAL, 13, "can never match");
	assert_refused("other->len == 1", -EINVAL, 5, "is unknown");
}

/* A walk is one word also where it has blanks, or lacks its end: the check knows more of it than the grammar. */
static void unfinished_walks_are_words(void **state)
{
	assert_refused("skb -> nope == 1", -EINVAL, 5, "'> nope' is unknown");
	assert_refused("skb->nope . x == 1", -EINVAL, 5, "'nope . x' is unknown");
	assert_refused("skb[0] . x == 1", -EINVAL, 5, "'] . x' is unknown");
	assert_refused("skb->", -EINVAL, 5, "is unknown");
	assert_refused("skb->a[1 == 3", -EINVAL, 5, "'a[1 ' is unknown");
	assert_refused("skb->a. == 3", -EINVAL, 5, "'a.' is unknown");
	assert_refused("((struct a *)skb->b == 1", -EINVAL, 19, "expected ')' after the pointer of a cast");
	assert_refused("(struct a *)skb->b == 1", -EINVAL, 0, "a cast and its pointer stand in parentheses");
	assert_refused("skb->size < 0", -EINVAL, 12, "skb->size has no sign. Compare");
	assert_refused("skb->size in {-2..5}", -EINVAL, 14, "which has no sign: compare");
}

static void other_names_stay_terms(void **state)
{
	static struct filter_table table;
	struct errmsg err = { "" };

	assert_int_equal(compile("nosuch == 1", &table, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a term"));
	assert_int_equal(compile("skb == 0x10", &table, &err), 0);
	assert_int_equal(compile("tid->5", &table, &err), -EINVAL);
}

static void too_many_walks_are_refused(void **state)
{
	static struct filter_table table;
	struct errmsg err = { "" };

	assert_int_equal(compile("skb->len == 1 && skb->size == 1 && skb->left == 1 && skb->state == 1 && skb->bits == 1 && skb->name == a && "
				 "skb->tag == a && skb->path == a", &table, &err), 0);
	assert_int_equal(table.nr_walks, 8);
	assert_int_equal(compile("skb->len == 1 && skb->size == 1 && skb->left == 1 && skb->state == 1 && skb->bits == 1 && skb->name == a && "
				 "skb->tag == a && skb->path == a && skb == 1", &table, &err), -E2BIG);
	assert_non_null(strstr(err.text, "9 different values of the kernel, and 8 is the limit"));
}

/* Without a kernel to ask, as for recorded waits. */
static void no_env_has_no_walks(void **state)
{
	struct errmsg err = { "" };
	struct filter_table table;

	assert_int_equal(filter__compile("skb->len == 1", &table, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'skb->len' is data of the kernel, which cannot be tested here"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_walk_first),
		cmocka_unit_test(no_value_is_false_in_every_test),
		cmocka_unit_test(errors_point_to_the_member),
		cmocka_unit_test(unfinished_walks_are_words),
		cmocka_unit_test(other_names_stay_terms),
		cmocka_unit_test(too_many_walks_are_refused),
		cmocka_unit_test(no_env_has_no_walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
