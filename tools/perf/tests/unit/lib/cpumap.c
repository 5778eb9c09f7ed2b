// SPDX-License-Identifier: GPL-2.0
#include "util/lib/cpumap.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/types.h"

static void check_list(const char *list, const int *cpus, int nr)
{
	struct cpumap *map = cpumap__parse(list, NULL);
	int i;

	assert_non_null(map);
	assert_int_equal(map->nr, nr);
	for (i = 0; i < nr; i++)
		assert_int_equal(map->cpu[i], cpus[i]);
	free(map);
}

static void parses_numbers_and_ranges(void **state)
{
	check_list("0", (int[]){ 0 }, 1);
	check_list("0-3,6", (int[]){ 0, 1, 2, 3, 6 }, 5);
	check_list("65535", (int[]){ 65535 }, 1);
	check_list("7-7", (int[]){ 7 }, 1);
}

static void sorts_and_removes_repetition(void **state)
{
	check_list("6,0-2,1-3,6", (int[]){ 0, 1, 2, 3, 6 }, 5);
}

static void refuses_what_is_no_list(void **state)
{
	static const char *const wrong[] = { "", ",", "0,", ",0", "a", "0-", "-1", "3-1", "0 1", "0-1-2", "1x",
					     "65536", "0-65536", "99999999999999999999", "0x1" };
	struct errmsg err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		errno = 0;
		err.text[0] = '\0';
		assert_null(cpumap__parse(wrong[i], &err));
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, wrong[i]));
	}
}

static void message_names_the_place(void **state)
{
	struct errmsg err;

	assert_null(cpumap__parse("0-3,x7", &err));
	assert_non_null(strstr(err.text, "at \"x7\""));
}

static void has_finds_members_only(void **state)
{
	struct cpumap *map = cpumap__parse("1,3-4,9", NULL);
	int cpu;

	assert_non_null(map);
	for (cpu = -1; cpu < 12; cpu++)
		assert_int_equal(cpumap__has(map, cpu), cpu == 1 || cpu == 3 || cpu == 4 || cpu == 9);
	free(map);
}

static void write_file(char *path, const char *text)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void reads_a_file(void **state)
{
	char path[] = "/tmp/cpumap-test-XXXXXX";
	struct cpumap *map;

	write_file(path, "0,2-3\n");
	map = cpumap__read(path, NULL);
	unlink(path);
	assert_non_null(map);
	assert_int_equal(map->nr, 3);
	free(map);
}

static void explains_an_unreadable_file(void **state)
{
	char path[] = "/tmp/cpumap-test-XXXXXX";
	struct errmsg err;

	write_file(path, "");
	assert_null(cpumap__read(path, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, path));
	unlink(path);
	assert_null(cpumap__read(path, &err));
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, path));
}

static void knows_this_machine(void **state)
{
	struct cpumap *map = cpumap__online(NULL);

	assert_non_null(map);
	assert_true(map->nr >= 1);
	assert_true(cpumap__possible_count() >= map->nr);
	free(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_numbers_and_ranges),
		cmocka_unit_test(sorts_and_removes_repetition),
		cmocka_unit_test(refuses_what_is_no_list),
		cmocka_unit_test(message_names_the_place),
		cmocka_unit_test(has_finds_members_only),
		cmocka_unit_test(reads_a_file),
		cmocka_unit_test(explains_an_unreadable_file),
		cmocka_unit_test(knows_this_machine),
	};

	return cmocka_run_group_tests_name("lib/cpumap", tests, NULL, NULL);
}
