// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include "tests/unit/symbol/fixture.h"
#include "util/lib/clock.h"
#include "util/symbol/mapped-files.h"

static struct mapped_files *files;
static char path[128];

static int new_files(void **state)
{
	files = mapped_files__new();
	return files ? 0 : -1;
}

static int delete_files(void **state)
{
	mapped_files__delete(files);
	return 0;
}

/* Map a new file of that text, at path */
static void map(const char *name, const char *text)
{
	int fd;

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	fd = open(path, O_CREAT | O_EXCL | O_RDWR, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_ptr_not_equal(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), MAP_FAILED);
	close(fd);
}

/* Others may not open what processes have mapped. */
static void need_root(void)
{
	if (!geteuid())
		return;
	print_message("needs root\n");
	skip();
}

static void assert_opens(bool deleted, const char *text)
{
	int fd = mapped_files__open(files, getpid(), path, deleted);
	char got[16] = "";

	assert_true(fd >= 0);
	assert_true(read(fd, got, sizeof(got) - 1) > 0);
	assert_string_equal(got, text);
	close(fd);
}

static void await_opens(void)
{
	int fd;

	for (int i = 0; i < 600 && (fd = mapped_files__open(files, getpid(), path, false)) < 0; i++)
		usleep(100000);
	if (fd >= 0)
		close(fd);
}

static void test_name(void **state)
{
	need_root();
	map("lib", "old");
	assert_opens(false, "old");
	assert_int_equal(mapped_files__open(files, getpid(), path, true), -ENOENT);
}

static void test_deleted(void **state)
{
	need_root();
	map("gone", "old");
	assert_int_equal(unlink(path), 0);
	assert_opens(true, "old");
	map("gone", "new");
	assert_opens(true, "old");
	await_opens(); /* the mappings are read again when 20 times as long has gone by */
	assert_opens(false, "new");
}

static void test_other_names(void **state)
{
	map("lib2", "x");
	path[strlen(path) - 1] = '\0';
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mapped_files__open(files, getpid(), path, false), -ENOENT);
	assert_int_equal(mapped_files__open(files, getpid(), "[heap]", false), -ENOENT);
	assert_int_equal(mapped_files__open(files, 0x7fffffff, path, false), -ENOENT);
}

/* ns of a file that is not mapped, after the first one */
static u64 miss(void)
{
	u64 begin = clock__ns(CLOCK_THREAD_CPUTIME_ID);

	for (int i = 0; i < 2000; i++)
		assert_int_equal(mapped_files__open(files, getpid(), "/nosuch", false), -ENOENT);
	return clock__ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void test_many_mappings(void **state)
{
	u64 few = miss(), many;

	for (int i = 0; i < 3000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many%d", i);
		map(name, "x");
	}
	many = miss();
	if (many > 20 * few + 100000000)
		fail_msg("2,000 files took %llu ns of CPU time with few mappings, %llu ns with 3,000 more", (unsigned long long)few,
			 (unsigned long long)many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_name, new_files, delete_files),
		cmocka_unit_test_setup_teardown(test_deleted, new_files, delete_files),
		cmocka_unit_test_setup_teardown(test_other_names, new_files, delete_files),
		cmocka_unit_test_setup_teardown(test_many_mappings, new_files, delete_files),
	};

	return cmocka_run_group_tests_name("mapped-files", tests, scratch_setup, scratch_teardown);
}
