// SPDX-License-Identifier: GPL-2.0
/* How much memory a file may take, and the note when it asks for more. */
#include <errno.h>
#include <fcntl.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/elf-budget.h"
#include "util/symbol/text-lines.h"

static u64 memory_for(u64 blocks, u64 size)
{
	const struct stat st = { .st_blocks = blocks, .st_size = size };
	struct elf_budget b;

	elf_budget__init(&b, &st);
	assert_string_equal(b.left_out, "");
	return b.left;
}

static void memory_goes_with_blocks_on_disk(void **state)
{
	assert_int_equal(memory_for(8, 1ULL << 43), (256 << 10) + 32 * 4096);
	assert_int_equal(memory_for(1 << 21, 1), (1ULL << 30) + 4 * (1ULL << 30));
	assert_int_equal(memory_for(0, 4096), (256 << 10) + 32 * 4096); /* a file system that does not tell */
}

static void the_first_thing_left_out_is_noted(void **state)
{
	const struct stat st = { .st_blocks = 8 };
	struct elf_budget b;
	u64 all;

	elf_budget__init(&b, &st);
	all = b.left;
	assert_true(elf_budget__take(&b, 1000, "this"));
	assert_int_equal(b.left, all - 1000);
	assert_false(elf_budget__take(&b, 3ULL << 30, "its section .symtab"));
	assert_false(elf_budget__has(&b, UINT64_MAX, "another"));
	assert_int_equal(b.left, all - 1000);
	assert_string_equal(b.left_out, "its section .symtab would take 3.0 GiB of memory, and for a file with 4.0 KiB on disk only 383 KiB are left");
	assert_true(elf_budget__take(&b, all - 1000, "the rest"));
}

struct lines {
	char text[64];
	int nr;
};

static int add_line(void *data, char *line)
{
	struct lines *lines = data;

	lines->nr++;
	strcat(strcat(lines->text, line), "|");
	return 0;
}

static int read_lines(u64 max, struct lines *lines)
{
	int fd = open("text", O_RDONLY | O_CLOEXEC), ret;

	*lines = (struct lines){};
	ret = text_lines__for_each(fd, max, add_line, lines);
	close(fd);
	return ret;
}

static void lines_without_an_end_are_left_out(void **state)
{
	struct lines lines;

	run("{ echo a; head -c 100000 /dev/zero | tr '\\0' x; echo; echo b; printf c; } >text");
	assert_int_equal(read_lines(UINT64_MAX, &lines), 0);
	assert_string_equal(lines.text, "a|b|c|");
	assert_int_equal(read_lines(50000, &lines), -E2BIG);
	run("{ echo a; head -c 100000 /dev/zero; } >text");
	assert_int_equal(read_lines(UINT64_MAX, &lines), 0);
	assert_string_equal(lines.text, "a|");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_goes_with_blocks_on_disk),
		cmocka_unit_test(the_first_thing_left_out_is_noted),
		cmocka_unit_test(lines_without_an_end_are_left_out),
	};

	return cmocka_run_group_tests_name("symbol/elf-budget", tests, scratch_setup, scratch_teardown);
}
