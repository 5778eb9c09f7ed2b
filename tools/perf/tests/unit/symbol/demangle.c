// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/symbol/symtab.h"

static void test_names(void **state)
{
	static const struct {
		const char *mangled, *plain;
	} names[] = {
		{ "main", NULL },
		{ "_Zfoo", NULL },
		{ "_start", NULL },
		{ "i", NULL },
		{ "", NULL },
		{ "_Z3fooi", "foo(int)" },
		{ "_ZNK2ns3BarclEi", "ns::Bar::operator()(int) const" },
		{ "_ZN2ns3FooIiE4spinEiPKc", "ns::Foo<int>::spin(int, char const*)" },
		{ "_Z3fooIiET_S0_.constprop.0", "int foo<int>(int) [clone .constprop.0]" },
		{ "_ZTV3Bar", "vtable for Bar" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.123", "core::fmt::Write::write_fmt" },
		{ "_ZN1a17hardly_a_rust_oneEv", "a::hardly_a_rust_one()" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *plain = demangle(names[i].mangled, false);

		if (names[i].plain) {
			assert_non_null(plain);
			assert_string_equal(plain, names[i].plain);
		} else {
			assert_null(plain);
		}
		free(plain);
	}
}

/*
 * f<pair<int, int>, pair<P0, P0>, pair<P1, P1>, ...>(): each pair names the one before it twice by a substitution, so that the
 * whole has 2^levels ints. The substitutions are S_ (f), S0_ (pair), S1_ (P0), then two for each level: pair again, the type.
 */
static char *nested_pairs(int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[2048] = "_Z1fISt4pairIiiE";
	size_t len = strlen(name);

	for (int i = 0; i < levels; i++) {
		int seq = 2 * i + 1;
		char sub[8];

		if (seq < 36)
			snprintf(sub, sizeof(sub), "S%c_", digits[seq]);
		else
			snprintf(sub, sizeof(sub), "S%c%c_", digits[seq / 36], digits[seq % 36]);
		len += snprintf(name + len, sizeof(name) - len, "St4pairI%s%sE", sub, sub);
	}
	snprintf(name + len, sizeof(name) - len, "Evv");
	return demangle(name, false);
}

static void test_bomb(void **state)
{
	char *small = nested_pairs(3);

	assert_string_equal(small, "void f<std::pair<int, int>, "
				   "std::pair<std::pair<int, int>, std::pair<int, int> >, "
				   "std::pair<std::pair<std::pair<int, int>, std::pair<int, int> >, "
				   "std::pair<std::pair<int, int>, std::pair<int, int> > >, "
				   "std::pair<std::pair<std::pair<std::pair<int, int>, std::pair<int, int> >, "
				   "std::pair<std::pair<int, int>, std::pair<int, int> > >, "
				   "std::pair<std::pair<std::pair<int, int>, std::pair<int, int> >, "
				   "std::pair<std::pair<int, int>, std::pair<int, int> > > > >()");
	free(small);
	assert_null(nested_pairs(50)); /* and that soon */
}

static void test_long_name(void **state)
{
	char *name = malloc(100000);

	memset(name, 'x', 100000);
	memcpy(name, "_Z90000", 7);
	name[99999] = '\0';
	assert_null(demangle(name, false));
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_long_name),
	};

	return cmocka_run_group_tests_name("symbol/demangle", tests, NULL, NULL);
}
