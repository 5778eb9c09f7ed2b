// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/filter/filter.h"

/* The tree of text, one line: (or (tid < 5) (cpu == 0)) would be "or[tid < 5;cpu == 0;]" */
static void tree_of(const char *text, char *buf, size_t size)
{
	struct errmsg err = { "" };
	struct filter *f;
	char *dump = NULL, *line, *save;
	size_t len = 0, n = 0;
	int depth = 0, d;
	FILE *fp;

	if (filter__parse(text, &f, &err))
		fail_msg("%s", err.text);
	fp = open_memstream(&dump, &len);
	filter__dump(f, fp);
	fclose(fp);
	for (line = strtok_r(dump, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		d = strspn(line, " ") / 2;
		for (; depth > d; depth--)
			n += snprintf(buf + n, size - n, ")");
		n += snprintf(buf + n, size - n, d > depth ? "(%s" : n ? ";%s" : "%s", line + 2 * d);
		depth = d;
	}
	for (; depth; depth--)
		n += snprintf(buf + n, size - n, ")");
	assert_true(n < size);
	free(dump);
	filter__delete(f);
}

static void assert_tree(const char *text, const char *expected)
{
	char buf[1024];

	tree_of(text, buf, sizeof(buf));
	assert_string_equal(buf, expected);
}

static void test_precedence(void **state)
{
	assert_tree("a==1 || b==2 && c==3", "or(a == 1;and(b == 2;c == 3))");
	assert_tree("(a==1 || b==2) && c==3", "and(or(a == 1;b == 2);c == 3)");
	assert_tree("a==1, b==2 || c==3", "and(a == 1;or(b == 2;c == 3))");
	assert_tree("a==1 || b==2, c==3", "and(or(a == 1;b == 2);c == 3)");
	assert_tree("a==1 || (b==2, c==3)", "or(a == 1;and(b == 2;c == 3))");
	assert_tree("!a==1 && b==2", "and(not(a == 1);b == 2)");
	assert_tree("!(a==1 && b==2)", "not(and(a == 1;b == 2))");
	assert_tree("!!a==1", "not(not(a == 1))");
	assert_tree("a==1 || b==2 || c==3", "or(a == 1;b == 2;c == 3)");
}

static void test_synonyms(void **state)
{
	assert_tree("a==1 and b==2 or not c==3", "or(and(a == 1;b == 2);not(c == 3))");
	assert_tree("not(a==1)and(b==2)", "and(not(a == 1);b == 2)");
	/* only whole words are operators */
	assert_tree("android == 1 || order == 2", "or(android == 1;order == 2)");
	assert_tree("inside == notes", "inside == notes");
}

static void test_blanks(void **state)
{
	assert_tree("tid<5", "tid < 5");
	assert_tree("cpu==0||tid!=3", "or(cpu == 0;tid != 3)");
	assert_tree(" \t tid\n<=\n5 ", "tid <= 5");
	assert_tree("tid&5&&cpu>=1", "and(tid & 5;cpu >= 1)");
	assert_tree("!tid==1", "not(tid == 1)");
	assert_tree("comm!~x*", "comm !~ x*");
	assert_tree("cpu in{0,2}", "cpu in {0, 2}");
}

static void test_values(void **state)
{
	assert_tree("tid in 1..5", "tid in 1..5");
	assert_tree("tid in { 1 .. 5 , 7 }", "tid in {1..5, 7}");
	assert_tree("cpu in {0-3,6}", "cpu in {0-3, 6}");
	assert_tree("cgroup == /a/b-c.slice/x.scope", "cgroup == /a/b-c.slice/x.scope");
	assert_tree("cgroup == /a/../b && x == a.b", "and(cgroup == /a/../b;x == a.b)");
	assert_tree("comm == kworker/0:1-ev", "comm == kworker/0:1-ev");
	assert_tree("comm ~ *[a-z]?", "comm ~ *[a-z]?");
	assert_tree("comm ~ [!a-z]*&&!a==1", "and(comm ~ [!a-z]*;not(a == 1))");
	assert_tree("comm == \"a b\\\"c\"", "comm == \"a b\\\"c\"");
	assert_tree("comm == 'a, \"b\" && c'", "comm == 'a, \"b\" && c'");
	assert_tree("comm == ''", "comm == ''");
	assert_tree("comm == größe", "comm == größe");
	assert_tree("x == -5", "x == -5");
}

struct mistake {
	const char *text;
	unsigned int column; /* where the caret stands, from 0 */
	const char *message;
};

static const struct mistake mistakes[] = {
	{ "tid == && pid == 3", 7, "expected a value after '=='" },
	{ "tid ==", 6, "expected a value after '=='" },
	{ "tid ==   ", 6, "expected a value after '=='" },
	{ "tid '5'", 4, "expected an operator (== != < <= > >= & in ~ !~) after 'tid'" },
	{ "tid 5 6", 6, "expected '&&', '||', ',' or the end after '5'" },
	{ "tid == 5 &&", 11, "expected a test such as 'tid == 1' after '&&'" },
	{ "|| tid == 5", 0, "expected a test such as 'tid == 1'" },
	{ "tid == 1,", 9, "expected a test such as 'tid == 1' after ','" },
	{ "()", 1, "expected a test such as 'tid == 1' after '('" },
	{ "tid == 1 pid == 2", 9, "expected '&&', '||', ',' or the end after '1'" },
	{ "tid == 1)", 8, "expected '&&', '||', ',' or the end after '1'" },
	{ "(tid == 1", 9, "expected '&&', '||', ',' or ')' after '1'" },
	{ "((tid == 1) pid == 2)", 12, "expected '&&', '||', ',' or ')' after ')'" },
	{ "tid in", 6, "expected a set such as {1,2}, a range such as 1..5 or a value after 'in'" },
	{ "tid in {", 8, "expected a value after '{'" },
	{ "tid in {}", 8, "expected a value after '{'" },
	{ "tid in {1,2", 11, "expected ',' or '}' after '2'" },
	{ "tid in {1,}", 10, "expected a value after ','" },
	{ "tid in {1..}", 11, "expected a value after '..'" },
	{ "comm ~", 6, "expected a value after '~'" },
	{ "tid == 1..5", 8, "a range goes after 'in'" },
	{ "tid == {1,2}", 7, "a set goes after 'in'" },
	{ "comm == in", 8, "a value that is spelled like this goes in quotes" },
	{ "'tid' == 5", 0, "the term comes first, without quotes" },
	{ "tid = 5", 4, "'=' is not an operator" },
	{ "tid == 5 | pid == 3", 9, "'|' is not an operator" },
	{ "tid == 5; pid == 3", 8, "';' is not part of a filter" },
	{ "comm == \"abc", 8, "this quote is never closed" },
	{ "comm == 'abc\\'", 8, "this quote is never closed" },
	{ "comm == \"a\\nb\"", 10, "a backslash makes the next character literal" },
	{ "comm == a\\b", 9, "a backslash has a meaning only inside quotes" },
	{ "tid == .5", 7, "this character has a meaning only in quotes" },
	/* columns are characters, not bytes */
	{ "comm == größe && tid)", 20, "expected an operator" },
};

static unsigned int caret_column(const char *message)
{
	const char *line = strrchr(message, '\n');

	assert_non_null(line);
	assert_string_equal(line + 1 + strspn(line + 1, " "), "^");
	return strspn(line + 1, " ") - 2;
}

static void test_mistakes(void **state)
{
	struct filter *f = (void *)1;
	struct errmsg err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		if (filter__parse(mistakes[i].text, &f, &err) != -EINVAL)
			fail_msg("%s is taken", mistakes[i].text);
		assert_null(f);
		if (!strstr(err.text, mistakes[i].message))
			fail_msg("%s: wants: %s", err.text, mistakes[i].message);
		if (caret_column(err.text) != mistakes[i].column)
			fail_msg("%s: wants column %u", err.text, mistakes[i].column);
		assert_non_null(strstr(err.text, mistakes[i].text));
		assert_int_equal(filter__parse(mistakes[i].text, &f, NULL), -EINVAL);
	}
}

static char *dump_of(const struct filter *f)
{
	char *dump = NULL;
	size_t len = 0;
	FILE *fp = open_memstream(&dump, &len);

	assert_non_null(fp);
	filter__dump(f, fp);
	fclose(fp);
	return dump;
}

static void test_several_texts(void **state)
{
	static const struct filter_input good[] = { { "filter", "a == 1 || b == 2" }, { "-u", "c == 3" }, { "filter", "d == 4, !e" } };
	static const struct filter_input wrong[] = { { "filter", "a == 1" }, { "-u", "größe = 3" }, { "filter", "(d == 4" } };
	static const struct filter_input open[] = { { "filter", "a == 1) || (b == 2" }, { "-u", "c == 3" } };
	struct filter *f, *same;
	struct errmsg err;
	char *dump, *wanted;
	unsigned int len;

	assert_int_equal(filter__parse_all(good, ARRAY_SIZE(good), &f, &err), 0);
	assert_int_equal(filter__parse("(a == 1 || b == 2) && c == 3 && (d == 4, !e)", &same, &err), 0);
	dump = dump_of(f);
	wanted = dump_of(same);
	assert_string_equal(dump, wanted);
	free(dump);
	free(wanted);
	assert_memory_equal(filter__clause(f, 2, &len), "c == 3", 6);
	assert_int_equal(len, 6);
	filter__delete(same);
	filter__delete(f);

	assert_int_equal(filter__parse_all(wrong, ARRAY_SIZE(wrong), &f, &err), -EINVAL);
	assert_int_equal(strncmp(err.text, "-u: ", 4), 0);
	assert_non_null(strstr(err.text, "\n  größe = 3\n"));
	assert_int_equal(caret_column(err.text), 6);
	assert_int_equal(filter__parse_all(open, ARRAY_SIZE(open), &f, &err), -EINVAL);
	assert_int_equal(caret_column(err.text), 6);
}

static void assert_refused(const char *text, int rc, const char *message)
{
	struct errmsg err;
	struct filter *f;

	assert_int_equal(filter__parse(text, &f, &err), rc);
	if (!strstr(err.text, message))
		fail_msg("%s: wants: %s", err.text, message);
}

static void test_bytes(void **state)
{
	assert_refused("", -EINVAL, "the filter is empty");
	assert_refused(" \t\n", -EINVAL, "the filter is empty");
	assert_refused("tid ==\x01 5", -EINVAL, "byte 7 is a control character (0x01)");
	assert_refused("tid == 5\x7f", -EINVAL, "byte 9 is a control character (0x7f)");
	assert_refused("comm == \xff", -EINVAL, "byte 9 (0xff) is not valid UTF-8");
	assert_refused("comm == \xc3", -EINVAL, "not valid UTF-8");
	assert_refused("comm == \xc0\xaf", -EINVAL, "not valid UTF-8");
	assert_refused("comm == \xed\xa0\x80", -EINVAL, "not valid UTF-8");
	assert_refused("comm == \xf4\x90\x80\x80", -EINVAL, "not valid UTF-8");
	assert_tree("comm == \xf0\x9f\x90\xa7", "comm == \xf0\x9f\x90\xa7");
}

/* left n times, "tid==1", right n times */
static char *nested(const char *left, const char *right, unsigned int n)
{
	char *text = calloc(1, n * (strlen(left) + strlen(right)) + 16);
	unsigned int i;

	for (i = 0; i < n; i++)
		strcat(text, left);
	strcat(text, "tid==1");
	for (i = 0; i < n; i++)
		strcat(text, right);
	return text;
}

static void test_nesting(void **state)
{
	struct errmsg err;
	struct filter *f;
	char *text;

	text = nested("(", ")", 64);
	assert_int_equal(filter__parse(text, &f, &err), 0);
	filter__delete(f);
	free(text);
	text = nested("!(", ")", 32);
	assert_int_equal(filter__parse(text, &f, &err), 0);
	filter__delete(f);
	free(text);

	text = nested("(", ")", 65);
	assert_refused(text, -EINVAL, "more than 64 levels");
	free(text);
	text = nested("!", "", 20000);
	assert_refused(text, -EINVAL, "more than 64 levels");
	free(text);
	/* a long chain is not a deep one, and levels that were left do not count */
	text = nested("(tid==1)||!", "", 5000);
	assert_int_equal(filter__parse(text, &f, &err), 0);
	filter__delete(f);
	free(text);

	text = nested("tid==1||", "", 10000);
	assert_refused(text, -E2BIG, "65536 is the limit");
	free(text);
}

/* A message shows the surroundings of the caret only, and the caret still stands under the place. */
static void test_long_text(void **state)
{
	char *text = nested("pid!=12345 && ", "", 100);
	struct errmsg err;
	struct filter *f;
	char *line;
	unsigned int column;

	memcpy(text + 700, "&&", 2); /* "pid!=12345 && " is 14 bytes long: 700 starts one */
	assert_int_equal(filter__parse(text, &f, &err), -EINVAL);
	column = caret_column(err.text);
	line = strchr(err.text, '\n') + 3;
	assert_true(strcspn(line, "\n") < 80);
	assert_memory_equal(line, "...", 3);
	assert_memory_equal(line + column, "&&d!=12345", 10);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precedence), cmocka_unit_test(test_synonyms), cmocka_unit_test(test_blanks),
		cmocka_unit_test(test_values),	   cmocka_unit_test(test_mistakes), cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_several_texts),
		cmocka_unit_test(test_nesting),	   cmocka_unit_test(test_long_text),
	};

	return cmocka_run_group_tests_name("filter/parse", tests, NULL, NULL);
}
