// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/lib/tar.h"
#include "util/symbol/bundle-writer.h"

static const struct build_id id = { .size = 20, .data = { 0xab, 0xcd, 1 } }, other = { .size = 20, .data = { 0xab, 0xce } };
#define ZEROS "0000000000000000000000000000000000" /* the rest of id in hexadecimal */
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

/* The name and the target of a link, as tar has them in a header */
static void assert_links(const char *name, const char *target)
{
	char block[512];
	bool found = false;
	int fd = open(recording, O_RDONLY);

	for (off_t at = 0; !found && pread(fd, block, sizeof(block), at) == sizeof(block); at += sizeof(block)) {
		if (!strncmp(block, name, 100) && block[156] == '2') {
			assert_string_equal(block + 157, target);
			found = true;
		}
	}
	close(fd);
	assert_true(found);
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
	assert_links(".debug/.build-id/ab/cd01" ZEROS, "../../usr/bin/a/abcd01" ZEROS);
	assert_links(".debug/kept/.build-id/ab/cd01" ZEROS, "../../usr/bin/kept/abcd01" ZEROS);
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

#define HOLE (8 << 20)
#define NR_HOLES 16

/* The recording, members that begin and end with a byte and are holes between, and one that is on disk */
static void write_holes(void)
{
	struct tar_member member = { .name = BUNDLE_RECORDING, .type = '0', .size = 8 };
	int fd = open(recording, O_RDWR | O_TRUNC | O_CLOEXEC);
	u64 at = 0, nr;
	char *header;

	for (int i = 0; i <= NR_HOLES + 1; i++) {
		header = tar__encode(&member, NULL, 0644, 0, &nr);
		assert_non_null(header);
		assert_int_equal(pwrite(fd, header, nr, at), nr);
		free(header);
		assert_int_equal(pwrite(fd, "b", 1, at + nr), 1);
		at += nr + member.size;
		assert_int_equal(pwrite(fd, "e", 1, at - 1), 1);
		at = (at + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		snprintf(member.name, sizeof(member.name), BUNDLE_FILES "%d", i);
		member.size = HOLE + 777;
	}
	header = calloc(1, HOLE);
	memset(header, 'x', HOLE);
	member.size = HOLE;
	strcpy(member.name, BUNDLE_FILES "full");
	char *full = tar__encode(&member, NULL, 0644, 0, &nr);
	assert_int_equal(pwrite(fd, full, nr, at), nr);
	assert_int_equal(pwrite(fd, header, HOLE, at + nr), HOLE);
	assert_int_equal(ftruncate(fd, at + nr + HOLE + 2 * TAR_BLOCK), 0);
	free(full);
	free(header);
	close(fd);
}

static void holes_stay_holes(void **state)
{
	struct bundle *b;
	struct errmsg err;
	struct stat st;
	u64 blocks = 0;
	char name[32], got[2];

	write_holes();
	assert_int_equal(bundle__open(recording, &b, &err), 0);
	assert_non_null(b);
	for (int i = 0; i <= NR_HOLES; i++) {
		int fd;

		snprintf(name, sizeof(name), "/%d", i);
		fd = bundle__open_file(b, NULL, name, NULL);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_size, HOLE + 777);
		assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
		assert_int_equal(pread(fd, got, 1, 0) + pread(fd, got + 1, 1, HOLE + 776), 2);
		assert_memory_equal(got, "be", 2);
		blocks += st.st_blocks;
		close(fd);
	}
	assert_true(blocks * 512 <= HOLE);
	bundle__delete(b);
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

static void put_member(int fd, const char *name, const char *target, const char *text)
{
	struct tar_member member = { .type = target ? '2' : '0', .size = strlen(text) };
	char contents[TAR_BLOCK] = "", *blocks;
	u64 nr_bytes;

	strcpy(member.name, name);
	strcpy(contents, text);
	blocks = tar__encode(&member, target, 0600, 0, &nr_bytes);
	assert_int_equal(write(fd, blocks, nr_bytes), nr_bytes);
	if (!target)
		assert_int_equal(write(fd, contents, sizeof(contents)), sizeof(contents));
	free(blocks);
}

static void the_first_file_of_a_name_counts(void **state)
{
	char *name = bundle__member_name(&id, "/a", "elf", false), *link = bundle__member_name(&id, "/b", "elf", false);
	int fd = open(recording, O_WRONLY | O_TRUNC | O_CLOEXEC);
	struct errmsg err;
	struct bundle *b;

	put_member(fd, BUNDLE_RECORDING, NULL, "PERFILE2");
	put_member(fd, name, NULL, "first");
	put_member(fd, name, NULL, "second");
	put_member(fd, link, "elf", "");
	close(fd);
	assert_int_equal(bundle__open(recording, &b, &err), 0);
	assert_non_null(b);
	assert_has(b, &id, "/a", "elf", "first");
	assert_has(b, &id, "/b", "elf", NULL); /* a link is no file */
	bundle__delete(b);
	free(name);
	free(link);
}

#define LARGE (8 << 20)

/* A few bytes on disk could fill another one. */
static void holes_are_not_copied(void **state)
{
	char *text = malloc(LARGE + 1);
	struct bundle_writer *w;
	struct errmsg err;
	struct bundle *b;
	struct stat st;
	u64 size;
	int fd;

	assert_non_null(text);
	memset(text, 'x', LARGE);
	text[LARGE] = '\0';
	assert_int_equal(bundle_writer__open(recording, &(struct bundle_writer_opts){ .max_bytes = UINT64_MAX }, &w, &err), 0);
	assert_int_equal(add(w, &id, "/a", "elf", false, text), BUNDLE_ADDED);
	assert_int_equal(bundle_writer__finish(w, &size, &err), 0);
	bundle_writer__delete(w);
	free(text);
	assert_int_equal(bundle__open(recording, &b, &err), 0);
	fd = bundle__open_file(b, &id, "/a", "elf");
	assert_true(fd >= 0);
	close(fd);
	bundle__delete(b);
	fd = open(recording, O_RDWR | O_CLOEXEC);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, LARGE / 8, LARGE * 3 / 4) || fsync(fd) || fstat(fd, &st) ||
	    st.st_blocks * 512 > LARGE / 2) {
		close(fd);
		skip(); /* a file system without holes */
	}
	close(fd);
	assert_int_equal(bundle__open(recording, &b, &err), 0);
	assert_non_null(b);
	assert_int_equal(bundle__open_file(b, &id, "/a", "elf"), -EFBIG);
	bundle__delete(b);
}

/* A file that has less than its size, as those of /sys have, leaves nothing. */
static void a_file_that_has_shrunk_leaves_nothing(void **state)
{
	struct bundle_writer *w;
	enum bundle_added added;
	struct errmsg err;
	struct bundle *b;
	struct stat st;
	u64 size;
	int fd;

	fd = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || st.st_size < 4096)
		skip();
	assert_int_equal(bundle_writer__open(recording, &(struct bundle_writer_opts){ .max_bytes = 1 << 20 }, &w, &err), 0);
	assert_int_equal(add(w, &id, "/a", "elf", false, "a"), BUNDLE_ADDED);
	assert_int_equal(bundle_writer__add(w, &other, "/b", "elf", false, fd, &added, &err), 0);
	assert_int_equal(added, BUNDLE_UNREADABLE);
	close(fd);
	assert_int_equal(bundle_writer__bytes(w), 1);
	assert_int_equal(bundle_writer__finish(w, &size, &err), 0);
	bundle_writer__delete(w);
	assert_int_equal(stat(recording, &st), 0);
	assert_int_equal(st.st_size, size);
	assert_int_equal(bundle__open(recording, &b, &err), 0);
	assert_has(b, &id, "/a", "elf", "a");
	assert_has(b, &other, "/b", "elf", NULL);
	bundle__delete(b);
}

/* tar(1) makes programs of programs, and of nothing else. */
static void programs_stay_programs(void **state)
{
	struct bundle_writer *w;
	enum bundle_added added;
	char command[256];
	struct errmsg err;
	u64 size;
	int fd;

	assert_int_equal(bundle_writer__open(recording, &(struct bundle_writer_opts){ .max_bytes = 1 << 20 }, &w, &err), 0);
	fd = file_with("program");
	assert_int_equal(fchmod(fd, 0755), 0);
	assert_int_equal(bundle_writer__add(w, &id, "/a", "elf", false, fd, &added, &err), 0);
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(bundle_writer__add(w, &other, "/b", "elf", false, fd, &added, &err), 0);
	close(fd);
	assert_int_equal(bundle_writer__finish(w, &size, &err), 0);
	bundle_writer__delete(w);
	snprintf(command, sizeof(command), "tar tvf %s | grep -q '^-rwx------ .*a/.*/elf$' && tar tvf %s | grep -q '^-rw------- .*b/.*/elf$'",
		 recording, recording);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_added_is_found_by_path_and_id, set_up, tear_down),
		cmocka_unit_test(paths_do_not_lead_out),
		cmocka_unit_test_setup_teardown(the_limit_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_bundle_that_is_not_finished_leaves_the_recording, set_up, tear_down),
		cmocka_unit_test_setup_teardown(holes_stay_holes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_stopped_leaves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_first_file_of_a_name_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(holes_are_not_copied, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_has_shrunk_leaves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(programs_stay_programs, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
