// SPDX-License-Identifier: GPL-2.0
#include "util/lib/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char path[] = "/tmp/perf-fs-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int remove_file(void **state)
{
	return unlink(path);
}

static void fill(const char *text, size_t size)
{
	FILE *fp = fopen(path, "we");

	assert_non_null(fp);
	assert_int_equal(fwrite(text, 1, size, fp), size);
	assert_int_equal(fclose(fp), 0);
}

static void reads_files_of_any_size_with_one_buffer(void **state)
{
	static const size_t sizes[] = { 100000, 0, 4095, 4096, 4097, 1 };
	struct fs_text t = { 0 };
	char *big = malloc(100000);
	size_t i;

	assert_non_null(big);
	memset(big, 'x', 100000);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fill(big, sizes[i]);
		assert_int_equal(fs_text__read(&t, AT_FDCWD, path), 0);
		assert_int_equal(t.size, sizes[i]);
		assert_int_equal(strlen(t.text), sizes[i]);
	}
	free(big);
	fs_text__exit(&t);
	assert_null(t.text);
}

static void tells_what_failed(void **state)
{
	struct fs_text t = { 0 };
	int dir = open("/tmp", O_PATH | O_CLOEXEC);

	fill("12", 2);
	assert_int_equal(fs_text__read(&t, dir, path + strlen("/tmp/")), 0);
	assert_int_equal(fs_text__read(&t, dir, "no-such-file-of-ours"), -ENOENT);
	assert_int_equal(t.size, 0);
	assert_int_equal(fs_text__read(&t, AT_FDCWD, "/tmp"), -EISDIR);
	close(dir);
	fs_text__exit(&t);
}

static void reads_one_file(void **state)
{
	size_t size = 99;
	char *text;

	fill("a\0b", 3);
	text = fs__read_file(AT_FDCWD, path, &size);
	assert_non_null(text);
	assert_int_equal(size, 3);
	assert_memory_equal(text, "a\0b", 4);
	free(text);
	assert_null(fs__read_file(AT_FDCWD, "/tmp", NULL));
	assert_int_equal(errno, EISDIR);
}

static void names_are_sorted(void **state)
{
	char dir[] = "/tmp/perf-fs-dir-XXXXXX";
	static const char *const made[] = { "c", "a", ".hidden", "b" };
	struct fs_names *names;
	int fd;

	assert_non_null(mkdtemp(dir));
	fd = open(dir, O_PATH | O_CLOEXEC);
	names = fs_names__read(fd, ".");
	assert_non_null(names);
	assert_int_equal(names->nr, 0);
	fs_names__delete(names);

	for (size_t i = 0; i < 4; i++)
		close(openat(fd, made[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	names = fs_names__read(AT_FDCWD, dir);
	assert_non_null(names);
	assert_int_equal(names->nr, 3);
	assert_string_equal(names->name[0], "a");
	assert_string_equal(names->name[2], "c");
	fs_names__delete(names);
	fs_names__delete(NULL);

	for (size_t i = 0; i < 4; i++)
		unlinkat(fd, made[i], 0);
	close(fd);
	rmdir(dir);
	assert_null(fs_names__read(AT_FDCWD, dir));
	assert_int_equal(errno, ENOENT);
}

static void reads_one_number(void **state)
{
	static const struct {
		const char *text;
		int err, value;
	} cases[] = {
		{ "516\n", 0, 516 }, { "-1\n", 0, -1 }, { "7", 0, 7 }, { "", -EINVAL, 0 }, { "x\n", -EINVAL, 0 },
		{ "1 2\n", -EINVAL, 0 }, { "99999999999\n", -EINVAL, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int value = 0;

		fill(cases[i].text, strlen(cases[i].text));
		assert_int_equal(fs__read_int(path, &value), cases[i].err);
		assert_int_equal(value, cases[i].value);
	}
	assert_int_equal(fs__read_int("/no/such/file", &(int){ 0 }), -ENOENT);
}

static void an_open_file_has_a_path(void **state)
{
	int fd, value = 0;
	char *self;

	fill("17", 2);
	fd = open(path, O_RDONLY);
	self = fs__path_of_fd(fd);
	assert_non_null(self);
	assert_int_equal(fs__read_int(self, &value), 0);
	assert_int_equal(value, 17);
	free(self);
	close(fd);
	assert_null(fs__path_of_fd(-1));
}

static void says_where_files_of_containers_are(void **state)
{
	assert_non_null(strstr(fs__why_missing("/srv/app", ENOENT), "/proc/PID/root/"));
	assert_non_null(strstr(fs__why_missing("/srv/app/x", ENOTDIR), "/proc/PID/root/"));
	assert_string_equal(fs__why_missing("/srv/app", EACCES), strerror(EACCES));
	assert_string_equal(fs__why_missing("app", ENOENT), strerror(ENOENT));
	assert_string_equal(fs__why_missing("/proc/1/root/srv/app", ENOENT), strerror(ENOENT));
}

static void check_real(const char *written, const char *expected)
{
	char *real = fs__real_path(written);

	if (!expected) {
		assert_null(real);
		return;
	}
	assert_non_null(real);
	assert_string_equal(real, expected);
	free(real);
}

/* What links of /proc say may be another file's name by now, or nobody's. */
static void paths_stay_where_their_links_lead(void **state)
{
	char link[64], open_file[64], name[32], old[] = "/tmp/perf-fs-old-XXXXXX", real_dir[64];
	const int fd = mkstemp(old);

	assert_true(fd >= 0);
	snprintf(link, sizeof(link), "%s.link", path);
	snprintf(real_dir, sizeof(real_dir), "/tmp/../%s", path);
	assert_int_equal(symlink(path, link), 0);
	check_real(link, path);
	check_real(real_dir, path);
	check_real("/tmp/perf-fs-nosuch", NULL);
	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
	check_real(open_file, old);
	assert_int_equal(fs__file_name(link, name, sizeof(name)), 0);
	assert_string_equal(name, path + strlen("/tmp/"));
	assert_int_equal(fs__file_name(open_file, name, sizeof(name)), 0);
	assert_string_equal(name, old + strlen("/tmp/"));
	unlink(old);
	check_real(open_file, open_file);
	assert_int_equal(fs__file_name(open_file, name, sizeof(name)), 0);
	assert_string_equal(name, old + strlen("/tmp/"));
	assert_int_equal(fs__file_name("/tmp/perf-fs-nosuch", name, sizeof(name)), -ENOENT);
	/* A relative path */
	assert_int_equal(chdir("/proc/self/fd"), 0);
	snprintf(real_dir, sizeof(real_dir), "/proc/%d/fd/%d", (int)getpid(), fd);
	check_real(open_file + strlen("/proc/self/fd/"), real_dir);
	assert_int_equal(chdir("/tmp"), 0);
	check_real(path + strlen("/tmp/"), path);
	unlink(link);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_files_of_any_size_with_one_buffer),
		cmocka_unit_test(tells_what_failed),
		cmocka_unit_test(reads_one_file),
		cmocka_unit_test(names_are_sorted),
		cmocka_unit_test(reads_one_number),
		cmocka_unit_test(an_open_file_has_a_path),
		cmocka_unit_test(says_where_files_of_containers_are),
		cmocka_unit_test(paths_stay_where_their_links_lead),
	};

	return cmocka_run_group_tests_name("lib/fs", tests, make_file, remove_file);
}
