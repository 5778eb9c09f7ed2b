// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/symbol/bundle-writer.h"

static const struct build_id id = { .size = 20, .data = { 0xab, 0xcd, 1 } }, other = { .size = 20, .data = { 0xab, 0xce } };
static char recording[64];

static int set_up(void **state)
{
	int fd;

	strcpy(recording, "/tmp/bundle-test.XXXXXX");
	fd = mkstemp(recording);
	return fd < 0 || write(fd, "PERFILE2", 8) != 8 || close(fd);
}

static int tear_down(void **state)
{
	return unlink(recording);
}

static int file_with(const char *text)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static enum bundle_added add(struct bundle_writer *w, const struct build_id *of, const char *path, const char *name, bool kept, const char *text)
{
	enum bundle_added added;
	struct errmsg err;
	int fd = file_with(text);

	assert_int_equal(bundle_writer__add(w, of, path, name, kept, fd, &added, &err), 0);
	close(fd);
	return added;
}

static void assert_has(const struct bundle *b, const struct build_id *of, const char *path, const char *name, const char *text)
{
	int fd = bundle__open_file(b, of, path, name);
	char read[64] = "";

	if (!text) {
		assert_int_equal(fd, -ENOENT);
		return;
	}
	assert_true(fd >= 0);
	assert_true(pread(fd, read, sizeof(read) - 1, 0) >= 0);
	assert_string_equal(read, text);
	close(fd);
}

static void what_is_added_is_found_by_path_and_id(void **state)
{
	struct bundle_writer *w;
	struct bundle *b;
	struct errmsg err;
	u64 size;

	assert_int_equal(bundle__open(recording, &b, &err), 0);
	assert_null(b); /* not yet */
	assert_int_equal(bundle_writer__open(recording, &(struct bundle_writer_opts){ .max_bytes = 1 << 20 }, &w, &err), 0);
	assert_int_equal(add(w, &id, "/usr/bin/a", "elf", false, "a"), BUNDLE_ADDED);
	assert_int_equal(add(w, &id, "/usr/bin/a", "elf", false, "a"), BUNDLE_ADDED); /* once */
	assert_int_equal(add(w, &id, "/usr/bin/kept (deleted)", "elf", true, "kept"), BUNDLE_ADDED);
	assert_int_equal(add(w, &id, "[vdso]", "vdso", false, "vdso"), BUNDLE_ADDED);
	assert_int_equal(add(w, NULL, "/tmp/perf-1.map", NULL, false, "map"), BUNDLE_ADDED);
	assert_int_equal(bundle_writer__bytes(w), strlen("a" "kept" "vdso" "map"));
	assert_int_equal(bundle_writer__finish(w, &size, &err), 0);
	bundle_writer__delete(w);
	assert_int_equal(bundle__open(recording, &b, &err), 0);
	assert_non_null(b);
	assert_has(b, &id, "/usr/bin/a", "elf", "a");
	assert_has(b, &id, "/usr/bin/kept (deleted)", "elf", "kept");
	assert_has(b, &id, "[vdso]", "vdso", "vdso");
	assert_has(b, NULL, "/tmp/perf-1.map", NULL, "map");
	assert_has(b, &other, "/usr/bin/a", "elf", NULL);
	assert_has(b, &id, "/usr/bin/b", "elf", NULL);
	assert_has(b, &id, "/usr/bin/a", "debug", NULL);
	assert_has(b, NULL, "/usr/bin/a", NULL, NULL);
	assert_has(NULL, &id, "/usr/bin/a", "elf", NULL);
	bundle__delete(b);
}

static void paths_do_not_lead_out(void **state)
{
	static const char *const paths[] = { "/../etc/passwd", "relative", "/a/./b", "//a", "", "[a/../b]", "/.build-id/ab/cd" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_null(bundle__member_name(&id, paths[i], "elf", false));
		assert_null(bundle__member_name(NULL, paths[i], NULL, false));
	}
}

static void the_limit_holds(void **state)
{
	struct bundle_writer *w;
	struct errmsg err;

	assert_int_equal(bundle_writer__open(recording, &(struct bundle_writer_opts){ .max_bytes = 5 }, &w, &err), 0);
	assert_int_equal(add(w, &id, "/a", "elf", false, "1234"), BUNDLE_ADDED);
	assert_int_equal(add(w, &id, "/b", "elf", false, "12"), BUNDLE_NO_ROOM);
	assert_int_equal(add(w, &id, "/c", "elf", false, "1"), BUNDLE_ADDED);
	assert_int_equal(add(w, &id, "/d", "elf", false, "1"), BUNDLE_NO_ROOM);
	bundle_writer__delete(w);
}

static void a_bundle_that_is_not_finished_leaves_the_recording(void **state)
{
	struct bundle_writer *w;
	char read[16] = "", temp[128];
	struct errmsg err;
	int fd;

	assert_int_equal(bundle_writer__open(recording, &(struct bundle_writer_opts){ .max_bytes = 100 }, &w, &err), 0);
	assert_int_equal(add(w, &id, "/a", "elf", false, "1234"), BUNDLE_ADDED);
	snprintf(temp, sizeof(temp), "%s.bundle-%d", recording, getpid());
	assert_int_equal(access(temp, F_OK), 0);
	bundle_writer__delete(w);
	assert_int_equal(access(temp, F_OK), -1);
	fd = open(recording, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, read, sizeof(read), 0), 8);
	assert_string_equal(read, "PERFILE2");
	close(fd);
}

static bool stop_at_second(void *data)
{
	return ++*(int *)data > 1;
}

static void one_that_is_stopped_leaves_nothing(void **state)
{
	int asked = 0, fd = file_with("text");
	const struct bundle_writer_opts opts = { .max_bytes = 100, .stop = stop_at_second, .data = &asked };
	enum bundle_added added;
	struct bundle_writer *w;
	struct errmsg err;
	char temp[128];

	snprintf(temp, sizeof(temp), "%s.bundle-%d", recording, getpid());
	assert_int_equal(bundle_writer__open(recording, &opts, &w, &err), 0);
	assert_int_equal(access(temp, F_OK), 0);
	assert_int_equal(bundle_writer__add(w, &id, "/a", "elf", false, fd, &added, &err), -EINTR);
	bundle_writer__delete(w);
	assert_int_equal(access(temp, F_OK), -1);
	assert_int_equal(asked, 2);
	assert_int_equal(bundle_writer__open(recording, &opts, &w, &err), -EINTR);
	assert_int_equal(access(temp, F_OK), -1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_added_is_found_by_path_and_id, set_up, tear_down),
		cmocka_unit_test(paths_do_not_lead_out),
		cmocka_unit_test_setup_teardown(the_limit_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_bundle_that_is_not_finished_leaves_the_recording, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_stopped_leaves_nothing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
