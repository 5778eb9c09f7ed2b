// SPDX-License-Identifier: GPL-2.0
/* What definitions, ranges of lines and filters of names mean, and where wrong ones are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "util/probe/definition.h"
#include "util/probe/event.h"
#include "util/probe/name-filter.h"

static struct probe_definition parsed(const char *text)
{
	struct probe_definition def;
	struct errmsg err = { "" };

	if (probe_definition__parse(&def, text, &err))
		fail_msg("%s: %s", text, err.text);
	return def;
}

static void assert_place(const char *text, const char *want)
{
	struct probe_definition def = parsed(text);
	char *place = probe_definition__place(&def);

	assert_string_equal(place, want);
	free(place);
	probe_definition__exit(&def);
}

static void test_places(void **state)
{
	assert_place("work", "work");
	assert_place("work:5 n", "work:5");
	assert_place("x=work+0x10", "work+16");
	assert_place("g:x=work@t.c:3", "work:3@t.c");
	assert_place("t.c:21", "@t.c:21");
	assert_place("work%return $retval", "work%return");
	assert_place("work;a = b *", "work;a = b *");
	assert_place("%sdt_p:mark", "%mark");
	assert_place("sdt_p:mark", "%mark");
	assert_place("f\\@V1 n", "f@V1");
	assert_place("a.c:3", "@a.c:3");
}

static void test_names(void **state)
{
	struct probe_definition def = parsed("g:e=f@s.c a->b[2].c:string@user y=%ax:u32 $vars");

	assert_string_equal(def.group, "g");
	assert_string_equal(def.event, "e");
	assert_string_equal(def.function, "f");
	assert_string_equal(def.file, "s.c");
	assert_int_equal(def.nr_operands, 3);
	assert_string_equal(def.operand[0].variable, "a");
	assert_int_equal(def.operand[0].nr_members, 3);
	assert_true(def.operand[0].member[0].by_pointer);
	assert_null(def.operand[0].member[1].name);
	assert_int_equal(def.operand[0].member[1].index, 2);
	assert_false(def.operand[0].member[2].by_pointer);
	assert_string_equal(def.operand[0].type, "string");
	assert_true(def.operand[0].is_user);
	assert_int_equal(def.operand[1].kind, OPERAND_RAW);
	assert_string_equal(def.operand[1].name, "y");
	assert_int_equal(def.operand[2].kind, OPERAND_VARS);
	assert_true(probe_definition__needs_debug_info(&def));
	probe_definition__exit(&def);
	def = parsed("f %ax +8(-u4(%sp)):x8 @sym-4 $stack3 \\-5 \\\"text\" $arg2");
	assert_false(probe_definition__has_variables(&def));
	probe_definition__exit(&def);
}

static void test_wrong(void **state)
{
	static const char *const texts[] = {
		"", " ", "=f", "a-b=f", "1x=f", "f:", "f:x", "f:1:2", "f+", "f+x", "f+1:2", "f@", "f%retur", "f%return+1", "f;", ":5", "+5", "%", "%sdt_:x",
		"%sdt_x:", "%a:b", "0xg", "0x1:2", "f a.", "f a->", "f a[", "f a[x]", "f a[-1]", "f x=", "f 1=a", "f a:foo", "f a:", "f a:b0@0/32", "f %", "f $x",
		"f $arg", "f @", "f +8", "f +8(%ax", "f +8(a)", "f \\x", "f &a", "f x=$vars", "f\x01",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct probe_definition def;
		struct errmsg err = { "" };

		if (probe_definition__parse(&def, texts[i], &err) != -EINVAL)
			fail_msg("'%s' is taken", texts[i]);
		assert_true(*err.text);
		probe_definition__exit(&def);
	}
}

static void assert_range(const char *text, u64 first, u64 last)
{
	struct probe_line_range range;

	assert_int_equal(probe_line_range__parse(&range, text, NULL), 0);
	assert_int_equal(range.first, first);
	assert_int_equal(range.last, last);
	probe_line_range__exit(&range);
}

static void test_ranges(void **state)
{
	static const char *const wrong[] = { "f:x", "f:1-x", "f:1+x", "f:5-2", "f;x", "", "@f", "f@", "f:-1", "f:1-2-3" };
	struct probe_line_range range;

	assert_range("f", 0, UINT64_MAX);
	assert_range("f:10", 10, UINT64_MAX);
	assert_range("f:2+10", 2, 11);
	assert_range("s.c:1-10", 1, 10);
	assert_range("f@s.c:0-3", 0, 3);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (probe_line_range__parse(&range, wrong[i], NULL) != -EINVAL)
			fail_msg("'%s' is taken", wrong[i]);
		probe_line_range__exit(&range);
	}
}

static void test_filters(void **state)
{
	static const char *const wrong[] = { "", "!", "a b", "(a", "a)", "a &", "| a", "a & & b", "()" };

	assert_true(name_filter__fits("a*", "abc"));
	assert_true(name_filter__fits("!foo* & *bar", "fizzbar"));
	assert_false(name_filter__fits("!foo* & *bar", "foobar"));
	assert_true(name_filter__fits("foo* | bar*", "barx"));
	assert_true(name_filter__fits("!(a | b) & [!x-z]?", "cd"));
	assert_false(name_filter__fits("!(a | b) & [!x-z]?", "xd"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (!name_filter__check(wrong[i], NULL))
			fail_msg("'%s' is taken", wrong[i]);
	}
	assert_int_equal(name_filter__check("!_* & !*@plt", NULL), 0);
}

static void test_lines_of_the_kernel(void **state)
{
	struct probe_event event;
	char *shown;

	assert_int_equal(probe_event__parse(&event, "p:g/e /a dir/b c:0x0000000000001168(0x4010) n=-28(%bp):s32 s=+0(%di):string", false), 0);
	assert_string_equal(event.path, "/a dir/b c");
	assert_string_equal(event.place, "0x0000000000001168(0x4010)");
	assert_int_equal(event.nr_arguments, 2);
	event.written = strdup("f");
	shown = probe_event__shown(&event);
	assert_string_equal(shown, "  g:e                  (on f in /a dir/b c with n s)");
	free(shown);
	probe_event__exit(&event);
	assert_int_equal(probe_event__parse(&event, "r8:probe/x__return vfs_read+0 arg1=$retval", true), 0);
	assert_true(event.is_return);
	assert_string_equal(event.place, "vfs_read+0");
	probe_event__exit(&event);
	assert_int_equal(probe_event__parse(&event, "e:g/e syscalls.x", false), -EINVAL);
	assert_int_equal(probe_event__parse(&event, "p:g/e /nothing", false), -EINVAL);
	assert_int_equal(probe_event__parse(&event, "", false), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places), cmocka_unit_test(test_names),   cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_filters), cmocka_unit_test(test_lines_of_the_kernel),
	};

	return cmocka_run_group_tests_name("probe/definition", tests, NULL, NULL);
}
