// SPDX-License-Identifier: GPL-2.0
/* How much memory a file may take, and the note when it asks for more. */
#include <errno.h>
#include <fcntl.h>
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/elf-budget.h"
#include "util/symbol/text-lines.h"

static struct elf_budget budget_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_budget b;

	assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
	elf_budget__init(&b, fd);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
	close(fd);
	assert_string_equal(b.left_out, "");
	return b;
}

#define PAGE 4096

/* Holes cost nothing, wherever they are. */
static void memory_goes_with_data_on_disk(void **state)
{
	const u64 block = 64 << 10; /* of any file system */

	run("head -c 4096 /dev/zero | tr '\\0' x >page");
	assert_int_equal(budget_of("page").left, (256 << 10) + 32 * PAGE);
	run("cp page sparse; truncate -s 4G sparse; cat page >>sparse");
	assert_in_range(budget_of("sparse").disk, 2 * PAGE, 2 * block);
	run(": >empty; truncate -s 4G hole");
	assert_int_equal(budget_of("empty").disk, 0);
	assert_int_equal(budget_of("hole").disk, 0);
}

static void a_pipe_has_no_place_on_disk(void **state)
{
	struct elf_budget b;
	int fd[2];

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	elf_budget__init(&b, fd[0]);
	assert_int_equal(b.disk, 0);
	close(fd[0]);
	close(fd[1]);
}

static void the_first_thing_left_out_is_noted(void **state)
{
	struct elf_budget b = budget_of("page");
	u64 all = b.left;

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
		cmocka_unit_test(memory_goes_with_data_on_disk),
		cmocka_unit_test(a_pipe_has_no_place_on_disk),
		cmocka_unit_test(the_first_thing_left_out_is_noted),
		cmocka_unit_test(lines_without_an_end_are_left_out),
	};

	return cmocka_run_group_tests_name("symbol/elf-budget", tests, scratch_setup, scratch_teardown);
}
