// SPDX-License-Identifier: GPL-2.0
/* The file with names of functions: what symbols and lines other readers find in it, and which files have interpreters. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "util/interp/image.h"
#include "util/interp/names.h"
#include "util/lib/regular-file.h"
#include "util/symbol/symtab.h"

static struct interp_line lines_of_f[] = { { 0, 3 }, { 4, 4 }, { 10, 2 }, { 12, 0 }, { 600, 500 } };
static struct interp_line line_of_g[] = { { 0, 90 } };
static const struct interp_symbol symbols[] = {
	{ INTERP_FIRST, 64, { "unknown function", "python", NULL, 0 } },
	{ INTERP_FIRST + 64, 1000, { "f", "/tmp/a.py", lines_of_f, ARRAY_SIZE(lines_of_f) } },
	{ INTERP_FIRST + 2000, 8, { "C.g", "<string>", line_of_g, 1 } },
};
static const struct build_id id = { .size = 20, .data = "ABCDEFGHIJKLMNOPQRST" };

static int write_image(void)
{
	int fd = memfd_create("image", 0);

	assert_true(fd >= 0);
	assert_int_equal(interp_image__write(fd, &id, "python", symbols, ARRAY_SIZE(symbols)), 0);
	return fd;
}

static const char *name_at(const struct symtab *tab, u64 address)
{
	const struct symbol *symbol = symtab__find(tab, address);

	return symbol ? symbol->name : "";
}

static void functions_are_symbols(void **state)
{
	const struct symtab_opts opts = { 0 };
	struct symtab *tab;
	char path[40];
	int fd = write_image();

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(symtab__load_elf(path, &id, &opts, &tab, NULL), 0);
	assert_string_equal(name_at(tab, INTERP_FIRST + 64), "f (a.py)");
	assert_string_equal(name_at(tab, INTERP_FIRST + 64 + 999), "f (a.py)");
	assert_string_equal(name_at(tab, INTERP_FIRST + 64 + 1000), "");
	assert_string_equal(name_at(tab, INTERP_FIRST + 2001), "C.g (<string>)");
	assert_string_equal(name_at(tab, INTERP_FIRST + 1), "unknown function (python)");
	symtab__delete(tab);
	close(fd);
}

static int line_at(Dwarf_Die *unit, u64 address, const char **path)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = -1;

	if (!line || dwarf_lineno(line, &number))
		return -1;
	*path = dwarf_linesrc(line, NULL, NULL);
	return number;
}

static void instructions_have_lines(void **state)
{
	static const struct {
		u32 offset;
		int line;
	} want[] = { { 0, 3 }, { 1, 3 }, { 3, 3 }, { 4, 4 }, { 9, 4 }, { 10, 2 }, { 12, 0 }, { 599, 0 }, { 600, 500 }, { 999, 500 } };
	int fd = write_image();
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	const char *path = "";
	Dwarf_Off next;
	size_t header;
	Dwarf_Die unit;

	assert_non_null(dwarf);
	assert_int_equal(dwarf_nextcu(dwarf, 0, &next, &header, NULL, NULL, NULL), 0);
	assert_non_null(dwarf_offdie(dwarf, header, &unit));
	assert_string_equal(dwarf_diename(&unit), "python");
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(line_at(&unit, INTERP_FIRST + 64 + want[i].offset, &path), want[i].line);
	assert_string_equal(path, "/tmp/a.py");
	assert_int_equal(line_at(&unit, INTERP_FIRST + 2007, &path), 90);
	assert_non_null(strstr(path, "<string>"));
	dwarf_end(dwarf);
	close(fd);
}

/* The kernel's part of what programs send can be trusted, but not that of the process. */
static void ranges_are_checked(void **state)
{
	static struct interp_code code;
	static const struct interp_file file = { .kind = INTERP_PYTHON }, other = { .kind = 77 };
	struct interp_names *names = interp_names__new(NULL);

	assert_non_null(names);
	code = (struct interp_code){ .at = INTERP_FIRST + INTERP_NAMELESS, .bytes = 8, .name = { 1, 1, 1, 1 }, .path = { 1, 1, 1, 1 } };
	assert_int_equal(interp_names__add(names, &code, &other), 0);
	assert_int_equal(interp_names__nr(names), 1);
	assert_int_equal(interp_names__add(names, &code, &file), 0);
	assert_int_equal(interp_names__nr(names), 2);
	assert_int_equal(interp_names__add(names, &code, &file), 0); /* two CPUs have sent it */
	assert_int_equal(interp_names__nr(names), 2);
	code.at = INTERP_FIRST;
	assert_int_equal(interp_names__add(names, &code, &file), 0);
	code.at = INTERP_MAX_BYTES - 4;
	assert_int_equal(interp_names__add(names, &code, &file), 0);
	assert_int_equal(interp_names__nr(names), 2);
	interp_names__delete(names);
}

#define NR_LINES (INTERP_LINES_BYTES / 2)

/* The size of what a process says of its functions is the process's choice. */
static void names_of_a_user_take_so_much(void **state)
{
	static const struct interp_file file = { .kind = INTERP_PYTHON, .python = { .lines = PYTHON_LINETABLE } };
	static struct interp_code code;
	const u32 at_most = INTERP_ALL_NAMES / 2 / (NR_LINES * sizeof(struct interp_line)), nr = at_most + 100;
	struct interp_names *names = interp_names__new(NULL);
	u32 of_one;

	assert_non_null(names);
	code = (struct interp_code){ .bytes = 2 * NR_LINES, .name = { 1, 1, 1, 1 }, .path = { 1, 1, 1, 1 }, .nr_lines = INTERP_LINES_BYTES, .user = 5 };
	for (u32 i = 0; i < NR_LINES; i++) {
		code.lines[2 * i] = 2; /* bytes */
		code.lines[2 * i + 1] = 1;
	}
	for (u32 i = 0; i < nr; i++) {
		code.at = INTERP_FIRST + (i + 1) * code.bytes;
		assert_int_equal(interp_names__add(names, &code, &file), 0);
	}
	of_one = interp_names__nr(names) - 1;
	assert_in_range(of_one, at_most - 100, at_most);
	assert_int_equal(interp_names__refused(names), nr - of_one);
	code.user = 6;
	for (u32 i = 0; i < nr; i++) {
		code.at = INTERP_FIRST + (nr + i + 1) * code.bytes;
		assert_int_equal(interp_names__add(names, &code, &file), 0);
	}
	assert_in_range(interp_names__nr(names) - 1 - of_one, at_most / 2 - 100, at_most / 2 + 100);
	interp_names__delete(names);
}

static void names_are_due_when_there_are_many_more(void **state)
{
	static const struct interp_file file = { .kind = INTERP_PYTHON };
	static struct interp_code code;
	struct interp_names *names = interp_names__new(NULL);
	char cache[] = "/tmp/perf-names-XXXXXX", command[64];

	assert_non_null(names);
	assert_non_null(mkdtemp(cache));
	assert_false(interp_names__are_due(names));
	code = (struct interp_code){ .bytes = 8, .name = { 1, 1, 1, 1 }, .path = { 1, 1, 1, 1 } };
	for (u32 i = 0; i < 400; i++) {
		code.at = INTERP_FIRST + 64 + i * 16;
		assert_int_equal(interp_names__add(names, &code, &file), 0);
		if (i == 99)
			assert_int_equal(interp_names__store(names, cache, NULL), 0);
		assert_true(i == 99 || interp_names__are_due(names) || (i > 99 && i < 125));
	}
	assert_int_equal(interp_names__store(names, cache, NULL), 0);
	assert_false(interp_names__are_due(names));
	code.at += 16;
	assert_int_equal(interp_names__add(names, &code, &file), 0);
	while (!interp_names__are_due(names))
		;
	interp_names__delete(names);
	snprintf(command, sizeof(command), "rm -r %s", cache);
	assert_int_equal(system(command), 0);
}

static void other_files_have_no_interpreter(void **state)
{
	struct interp_file file;
	int fd = regular_file__open("/proc/self/exe", 0);

	assert_true(fd >= 0);
	assert_int_equal(interp__recognise(fd, "a program", &file, NULL), -ENOENT);
	close(fd);
	fd = regular_file__open("/etc/passwd", 0);
	assert_int_equal(interp__recognise(fd, "a text", &file, NULL), -ENOENT);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_symbols),
		cmocka_unit_test(instructions_have_lines),
		cmocka_unit_test(ranges_are_checked),
		cmocka_unit_test(names_of_a_user_take_so_much),
		cmocka_unit_test(names_are_due_when_there_are_many_more),
		cmocka_unit_test(other_files_have_no_interpreter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
