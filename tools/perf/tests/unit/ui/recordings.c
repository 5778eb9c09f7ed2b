// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ui/tui/recordings.h"

static void make(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *fp;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fp = fopen(path, "w");
	assert_non_null(fp);
	fputs(text, fp);
	assert_int_equal(fclose(fp), 0);
}

static void files_and_directories_that_begin_as_one(void **state)
{
	static const char *const made[] = { "a", "b", "c", "d", "e/data", "e", "f/other", "f", "g" };
	char dir[] = "/tmp/recordings.XXXXXX", path[128];
	struct fs_names *names;

	assert_non_null(mkdtemp(dir));
	make(dir, "a", "PERFILE2");
	make(dir, "b", "2ELIFREP, of the other byte order");
	make(dir, "c", "PERFILE");
	make(dir, "d", "PERFILE2, the one that is shown");
	for (const char *name = "ef"; *name; name++) {
		snprintf(path, sizeof(path), "%s/%c", dir, *name);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	make(dir, "e/data", "PERFILE2");
	make(dir, "f/other", "PERFILE2");
	snprintf(path, sizeof(path), "%s/g", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/d", dir);
	names = recordings__read(dir, path);
	assert_non_null(names);
	assert_int_equal(names->nr, 3);
	assert_string_equal(names->name[0], "a");
	assert_string_equal(names->name[1], "b");
	assert_string_equal(names->name[2], "e");
	fs_names__delete(names);
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, made[i]);
		remove(path);
	}
	assert_int_equal(rmdir(dir), 0);
	assert_null(recordings__read(dir, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_and_directories_that_begin_as_one),
	};

	return cmocka_run_group_tests_name("recordings", tests, NULL, NULL);
}
