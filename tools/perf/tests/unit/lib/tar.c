// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/lib/tar.h"

static int new_file(void)
{
	int fd = memfd_create("tar", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void append(int fd, const void *data, size_t size)
{
	assert_int_equal(write(fd, data, size), size);
}

static void put(int fd, const char *name, const char *target, const char *contents)
{
	static const char zeros[TAR_BLOCK];
	struct tar_member member = { .type = target ? '2' : '0', .size = target ? 0 : strlen(contents) };
	u64 nr_bytes;
	char *blocks;

	strcpy(member.name, name);
	blocks = tar__encode(&member, target, 0640, 1700000000, &nr_bytes);
	assert_non_null(blocks);
	assert_int_equal(nr_bytes % TAR_BLOCK, 0);
	append(fd, blocks, nr_bytes);
	free(blocks);
	append(fd, contents, member.size);
	append(fd, zeros, tar__padded(member.size) - member.size);
}

static void put_end(int fd)
{
	static const char zeros[2 * TAR_BLOCK];

	append(fd, zeros, sizeof(zeros));
}

static u64 size_of(int fd)
{
	return lseek(fd, 0, SEEK_END);
}

static void assert_next(int fd, u64 *pos, char type, const char *name, const char *contents)
{
	struct tar_member member;
	char read[64];

	assert_int_equal(tar__next(fd, size_of(fd), pos, &member), 1);
	assert_int_equal(member.type, type);
	assert_string_equal(member.name, name);
	assert_int_equal(member.size, strlen(contents));
	assert_int_equal(pread(fd, read, member.size, member.offset), member.size);
	assert_memory_equal(read, contents, member.size);
}

static const char *long_name(void)
{
	static char name[500];

	memset(name, 'n', sizeof(name) - 1);
	return name;
}

static void members_come_back(void **state)
{
	char hundred[101] = "";
	struct tar_member member;
	int fd = new_file();
	u64 pos = 0;

	memset(hundred, 'h', 100);
	put(fd, "perf.data", NULL, "recording");
	put(fd, hundred, NULL, "");
	put(fd, long_name(), NULL, "of a long name");
	put(fd, "link", long_name(), "");
	put(fd, "last", NULL, "x");
	put_end(fd);
	assert_next(fd, &pos, '0', "perf.data", "recording");
	assert_next(fd, &pos, '0', hundred, "");
	assert_next(fd, &pos, '0', long_name(), "of a long name");
	assert_next(fd, &pos, '2', "link", "");
	assert_next(fd, &pos, '0', "last", "x");
	assert_int_equal(tar__next(fd, size_of(fd), &pos, &member), 0);
	close(fd);
}

static void large_sizes_are_binary(void **state)
{
	struct tar_member member = { .name = "large", .type = '0' };
	static const u64 sizes[] = { (1ULL << 33) - 1, 1ULL << 33, 1ULL << 50 };
	char name[101];
	u64 size, nr_bytes;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *block;

		member.size = sizes[i];
		block = tar__encode(&member, NULL, 0600, 0, &nr_bytes);
		assert_int_equal(nr_bytes, TAR_BLOCK);
		assert_true(tar__is_header(block));
		assert_int_equal(tar__decode(block, name, &size), '0');
		assert_string_equal(name, "large");
		assert_int_equal(size, sizes[i]);
		free(block);
	}
}

static void damage_ends_the_archive(void **state)
{
	struct tar_member member;
	int fd = new_file();
	u64 pos = 0, size;

	put(fd, "first", NULL, "1");
	put(fd, "second", NULL, "2");
	size = size_of(fd);
	assert_int_equal(tar__next(fd, size, &pos, &member), 1);
	assert_int_equal(pwrite(fd, "x", 1, pos + 5), 1);
	assert_int_equal(tar__next(fd, size, &pos, &member), -EINVAL); /* the checksum */
	pos = 0;
	assert_int_equal(tar__next(fd, TAR_BLOCK + 1, &pos, &member), -EINVAL); /* the contents are cut off */
	pos = size;
	assert_int_equal(tar__next(fd, size, &pos, &member), -EINVAL); /* no end */
	pos = UINT64_MAX - 100;
	assert_int_equal(tar__next(fd, size, &pos, &member), -EINVAL);
	close(fd);
}

static void sizes_beyond_the_file_are_damage(void **state)
{
	static const u64 sizes[] = { TAR_BLOCK + 1, 1ULL << 40, UINT64_MAX, UINT64_MAX - TAR_BLOCK };
	struct tar_member member = { .name = "x", .type = '0' };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		int fd = new_file();
		u64 nr_bytes, pos = 0;
		char *block;

		member.size = sizes[i];
		block = tar__encode(&member, NULL, 0600, 0, &nr_bytes);
		append(fd, block, nr_bytes);
		append(fd, block, nr_bytes);
		free(block);
		assert_int_equal(tar__next(fd, size_of(fd), &pos, &member), -EINVAL);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_come_back),
		cmocka_unit_test(large_sizes_are_binary),
		cmocka_unit_test(damage_ends_the_archive),
		cmocka_unit_test(sizes_beyond_the_file_are_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
