// SPDX-License-Identifier: GPL-2.0
#include "util/synth/proc-maps.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

static int parse(char *text, struct proc_map *map)
{
	int ret = proc_map__next(&text, map);

	assert_int_equal(*text, '\0');
	return ret;
}

static void reads_all_members(void **state)
{
	char line[] = "7f35c8a00000-7f35c8a28000 r-xs 00026000 fd:1a 1835121                    /usr/lib/libc.so.6\n";
	struct proc_map map;

	assert_int_equal(parse(line, &map), 1);
	assert_true(map.start == 0x7f35c8a00000 && map.end == 0x7f35c8a28000 && map.pgoff == 0x26000);
	assert_true(map.maj == 0xfd && map.min == 0x1a && map.ino == 1835121);
	assert_int_equal(map.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(map.flags, MAP_SHARED);
	assert_string_equal(map.name, "/usr/lib/libc.so.6");
	assert_int_equal(map.name_len, strlen(map.name));
}

static void names_may_be_anything(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{ "", "" },
		{ " ", "" },
		{ "      [heap]", "[heap]" },
		{ " /a b  c (deleted)", "/a b  c (deleted)" },
		{ " /two\\012lines", "/two\nlines" },
		{ " \\012\\012", "\n\n" },
		{ " /back\\slash\\01", "/back\\slash\\01" },
		{ " /tab\there", "/tab\there" },
		{ " /1-2 rwxp 3 4:5 6 /x", "/1-2 rwxp 3 4:5 6 /x" },
	};
	struct proc_map map;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[256];

		snprintf(line, sizeof(line), "1000-2000 rw-p 00000000 00:00 0%s", cases[i].text);
		assert_int_equal(parse(line, &map), 1);
		assert_string_equal(map.name, cases[i].name);
		assert_int_equal(map.name_len, strlen(cases[i].name));
	}
}

static void lines_that_are_none_are_skipped(void **state)
{
	char text[] = "garbage\n\n2000-1000 r--p 0 0:0 0 /backwards\n1000-2000 r-\n1000-2000 r-xp 0 0:0\n"
		      "1000-2000 r-xp 00000000 00:00 0 /good\n1000-";
	char *at = text;
	struct proc_map map;
	int ret, good = 0, bad = 0;

	while ((ret = proc_map__next(&at, &map))) {
		if (ret > 0)
			assert_string_equal(map.name, "/good");
		good += ret > 0;
		bad += ret == -EINVAL;
	}
	assert_int_equal(good, 1);
	assert_int_equal(bad, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_members),
		cmocka_unit_test(names_may_be_anything),
		cmocka_unit_test(lines_that_are_none_are_skipped),
	};

	return cmocka_run_group_tests_name("synth/proc-maps", tests, NULL, NULL);
}
