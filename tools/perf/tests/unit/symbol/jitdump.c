// SPDX-License-Identifier: GPL-2.0
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "tests/unit/symbol/fixture.h"
#include "util/machine/machine.h"
#include "util/symbol/jitdump.h"

#define PID 1234
#define PATH "jit-1234.dump"

static const struct file_places nowhere;
static char file[1 << 16];
static size_t size;
static bool swap;
static char got[4096];
static struct jitdump_head head;
static struct errmsg why;

static void put32(u32 value)
{
	value = swap ? bswap_32(value) : value;
	memcpy(file + size, &value, sizeof(value));
	size += sizeof(value);
}

static void put64(u64 value)
{
	value = swap ? bswap_64(value) : value;
	memcpy(file + size, &value, sizeof(value));
	size += sizeof(value);
}

static void put_header(u64 flags)
{
	size = 0;
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(62);
	put32(0);
	put32(PID);
	put64(1000);
	put64(flags);
}

static void put_record(u32 type, u32 record_size, u64 time)
{
	put32(type);
	put32(record_size);
	put64(time);
}

static void put_load(u32 pid, u64 time, u64 addr, u64 code_size, u64 index, const char *name)
{
	put_record(0, 56 + strlen(name) + 1 + code_size, time);
	put32(pid);
	put32(pid);
	put64(addr);
	put64(addr);
	put64(code_size);
	put64(index);
	strcpy(file + size, name);
	size += strlen(name) + 1;
	memset(file + size, 0xcc, code_size);
	size += code_size;
}

static void put_move(u64 time, u64 to, u64 index)
{
	put_record(1, 64, time);
	put32(PID);
	put32(PID);
	put64(to);
	put64(0);
	put64(to);
	put64(16);
	put64(index);
}

static int note(void *data, const struct jit_code *code)
{
	snprintf(got + strlen(got), sizeof(got) - strlen(got), "%llu %llx+%llx @%llx %s\n", (unsigned long long)code->time,
		 (unsigned long long)code->addr, (unsigned long long)code->size, (unsigned long long)code->offset, code->name ?: "moved");
	return 0;
}

static int stop_at_once(void *data, const struct jit_code *code)
{
	return -ECANCELED;
}

static int read_dump(int (*cb)(void *data, const struct jit_code *code))
{
	struct elf_budget budget;
	int fd, ret;

	write_file(PATH, file, size);
	fd = open(PATH, O_RDONLY);
	elf_budget__init(&budget, fd);
	got[0] = '\0';
	ret = jitdump__read(fd, &budget, &head, cb, NULL, &why);
	close(fd);
	return ret;
}

static void code_is_loaded_and_moved(void **state)
{
	for (swap = false;; swap = true) {
		put_header(0);
		put_load(PID, 1001, 0x10000, 16, 7, "first");
		put_record(2, 32, 1002); /* its lines */
		put64(0x10000);
		put64(0);
		put_load(PID, 1003, 0x20000, 32, 8, "second function");
		put_move(1004, 0x30000, 7);
		put_load(PID, 1005, 0x40000, 8, 7, "anew");
		put_move(1006, 0x50000, 7);
		put_move(1007, 0x60000, 99); /* never loaded */
		put_record(3, 16, 1008);     /* the end */
		put_load(PID, 1009, 0x70000, 8, 10, "after the end");
		assert_int_equal(read_dump(note), 0);
		assert_string_equal(got, "1001 10000+10 @66 first\n1003 20000+20 @de second function\n1004 30000+10 @66 moved\n"
					 "1005 40000+8 @17b anew\n1006 50000+8 @17b moved\n");
		assert_int_equal(head.time, 1000);
		assert_int_equal(head.pid, PID);
		assert_false(head.arch_time);
		if (swap)
			break;
	}
	swap = false;
	assert_int_equal(read_dump(stop_at_once), -ECANCELED);
	put_header(1);
	assert_int_equal(read_dump(note), 0);
	assert_true(head.arch_time);
}

static void what_is_not_whole_is_left_out(void **state)
{
	size_t whole;

	put_header(0);
	put_load(PID, 1001, 0x10000, 16, 1, "first");
	whole = size;
	put_load(PID, 1002, 0x20000, 16, 2, "second");
	for (size_t end = size - 1; end >= whole; end--) {
		size = end;
		assert_int_equal(read_dump(note), 0);
		assert_string_equal(got, "1001 10000+10 @66 first\n");
	}
}

static void other_files_are_refused(void **state)
{
	put_header(0);
	file[0] ^= 1;
	assert_int_equal(read_dump(note), -EINVAL);
	put_header(0);
	file[4] = 2;
	assert_int_equal(read_dump(note), -EINVAL);
	put_header(0);
	file[8] = 39;
	assert_int_equal(read_dump(note), -EINVAL);
	put_header(0);
	size--;
	assert_int_equal(read_dump(note), -EINVAL);
	size = 0;
	assert_int_equal(read_dump(note), -EINVAL);
	assert_string_equal(why.text, "not a jitdump file of version 1");
}

static void wrong_records_are_passed_over(void **state)
{
	size_t at;

	put_header(0);
	put_load(PID + 1, 1, 0x10000, 16, 1, "of another process");
	put_load(PID, 2, 0x10000, 0, 2, "empty");
	put_load(PID, 3, UINT64_MAX, 16, 3, "beyond the last address");
	at = size;
	put_load(PID, 4, 0x10000, 16, 4, "too large");
	file[at + 40] = 17; /* of 16 bytes of code */
	at = size;
	put_load(PID, 5, 0x10000, 16, 5, "without end");
	memset(file + at + 56, 'x', size - at - 56);
	put_record(0, 20, 6); /* too short */
	put32(PID);
	put_record(1, 20, 7);
	put32(PID);
	put_record(77, 16, 8); /* unknown */
	put_load(PID, 9, 0x20000, 16, 9, "right");
	assert_int_equal(read_dump(note), 0);
	assert_non_null(strstr(got, "9 20000+10 @"));
	assert_ptr_equal(strstr(got, "9 20000"), got);
	/* A size that leads nowhere ends the file. */
	put_header(0);
	put_record(0, 15, 1);
	put_load(PID, 9, 0x20000, 16, 9, "right");
	assert_int_equal(read_dump(note), 0);
	assert_string_equal(got, "");
}

static void names_belong_to_places_in_the_file(void **state)
{
	struct symtab *tab;
	char path[128];

	put_header(0);
	put_load(PID, 1001, 0x10000, 16, 1, "first");
	put_load(PID, 1002, 0x10000, 16, 2, "second");
	put_move(1003, 0x20000, 1);
	read_dump(note);
	snprintf(path, sizeof(path), "%s", in_scratch(PATH));
	assert_int_equal(symtab__load_jitdump(path, &nowhere, &tab, &why), 0);
	assert_int_equal(symtab__nr(tab), 2);
	assert_string_equal(symtab__find(tab, 0x66)->name, "first");
	assert_string_equal(symtab__find(tab, 0x75)->name, "first");
	assert_null(symtab__find(tab, 0x76));
	assert_string_equal(symtab__at(tab, 1)->name, "second");
	symtab__delete(tab);
	write_text(PATH, "something else");
	assert_int_equal(symtab__load_jitdump(path, &nowhere, &tab, &why), -EINVAL);
	assert_non_null(strstr(why.text, PATH ": not a jitdump"));
}

static void only_the_right_file_is_opened(void **state)
{
	char path[128], link[128];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s", in_scratch(PATH));
	snprintf(link, sizeof(link), "%s", in_scratch("jit-5.dump"));
	run("rm -f %s; echo x >%s; ln -sf %s %s; mkdir -p jit-6.dump", path, path, path, link);
	assert_int_equal(stat(path, &st), 0);
	fd = jitdump__open(path, 0, 0, NULL, NULL, &why);
	assert_true(fd >= 0);
	close(fd);
	assert_true(jitdump__open(link, 0, 0, NULL, NULL, &why) < 0);
	assert_int_equal(jitdump__open(in_scratch("jit-6.dump"), 0, 0, NULL, NULL, &why), -EINVAL);
	assert_int_equal(jitdump__open(in_scratch("jit-7.dump"), 0, 0, NULL, NULL, &why), -ENOENT);
	if (geteuid())
		return;
	/* Of another user only what was mapped */
	run("chown 65534 %s", path);
	assert_int_equal(jitdump__open(path, 0, 0, NULL, NULL, &why), -EPERM);
	assert_int_equal(jitdump__open(path, 0, st.st_ino + 1, NULL, NULL, &why), -EPERM);
	fd = jitdump__open(path, 0, st.st_ino, NULL, NULL, &why);
	assert_true(fd >= 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_loaded_and_moved),
		cmocka_unit_test(what_is_not_whole_is_left_out),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(wrong_records_are_passed_over),
		cmocka_unit_test(names_belong_to_places_in_the_file),
		cmocka_unit_test(only_the_right_file_is_opened),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
