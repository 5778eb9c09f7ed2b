// SPDX-License-Identifier: GPL-2.0
/* Numbers of files: the same for the same file, and each has what the file says of itself. */
#include "util/source/unwind-files.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static void a_file_has_one_number(void **state)
{
	const struct unwind_key vdso = { 0 }, own = { .inode = 5, .dev = 1 }, other = { .inode = 5, .dev = 1, .generation = 1 };
	struct unwind_files *files = unwind_files__new();
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_non_null(files);
	assert_int_equal(unwind_files__id(files, &own), 0);
	assert_int_equal(unwind_files__add(files, &own, fd, "/proc/self/exe"), 0);
	assert_int_equal(unwind_files__add(files, &vdso, -1, NULL), 0);
	assert_int_equal(unwind_files__add(files, &own, fd, "/proc/self/exe"), 0);
	assert_int_equal(unwind_files__id(files, &own), 1);
	assert_int_equal(unwind_files__id(files, &vdso), 2);
	assert_int_equal(unwind_files__id(files, &other), 0);
	assert_null(unwind_files__find(files, 0));
	assert_null(unwind_files__find(files, 3));
	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(unwind_files__add(files, &(struct unwind_key){ .inode = 100 + i }, -1, NULL), 0);
	assert_int_equal(unwind_files__id(files, &(struct unwind_key){ .inode = 1099 }), 1002);
	assert_int_equal(unwind_files__id(files, &own), 1);
	close(fd);
	unwind_files__delete(files);
}

static void a_file_is_described(void **state)
{
	const struct unwind_key own = { .inode = 5, .dev = 1 }, text = { .inode = 6 }, vdso = { 0 };
	struct unwind_files *files = unwind_files__new();
	int fd = open("/proc/self/exe", O_RDONLY);
	char name[PATH_MAX] = "";
	struct stat st;

	assert_non_null(files);
	assert_int_equal(unwind_files__add(files, &own, fd, "/proc/self/exe"), 0);
	assert_true(readlink("/proc/self/exe", name, sizeof(name) - 1) > 0);
	assert_string_equal(unwind_files__find(files, 1)->name, name);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(unwind_files__find(files, 1)->size, st.st_size);
	close(fd);
	fd = open("/proc/self/status", O_RDONLY); /* no ELF file, and the name is no link */
	assert_int_equal(unwind_files__add(files, &text, fd, "/proc/self/status"), 0);
	assert_string_equal(unwind_files__find(files, 2)->name, "[unknown]");
	assert_int_equal(unwind_files__find(files, 2)->build_id.size, 0);
	close(fd);
	assert_int_equal(unwind_files__add(files, &vdso, -1, NULL), 0);
	assert_string_equal(unwind_files__find(files, 3)->name, "[vdso]");
	unwind_files__delete(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_one_number),
		cmocka_unit_test(a_file_is_described),
	};

	return cmocka_run_group_tests_name("source/unwind-files", tests, NULL, NULL);
}
