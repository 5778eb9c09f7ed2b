// SPDX-License-Identifier: GPL-2.0
/* The arguments of system calls, beside the formats of the running kernel: none is missing, and no name or type is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/tracefs.h"
#include "util/event/tracepoint.h"
#include "util/lib/types.h"
#include "util/source/syscall-formats.h"
#include "util/source/syscall-number.h"

#define HEAD "name: x\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
#define FIELD(declaration) "\tfield:" declaration ";\toffset:16;\tsize:8;\tsigned:0;\n"
#define TAIL "\nprint fmt: \"\"\n"

static void types_of_the_kernel_begin_with_underscores(void **state)
{
	struct syscall_format format = {};

	assert_true(syscall_format__parse(&format, HEAD FIELD("int fd") FIELD("__s32 wd") FIELD("struct __kernel_timespec * tp") TAIL));
	assert_int_equal(format.nr_args, 3);
	assert_string_equal(format.arg[1].name, "wd");
	assert_string_equal(format.arg[1].type, "__s32");
	assert_int_equal(format.arg[1].kind, SYSCALL_ARG_SIGNED);
	assert_int_equal(format.arg[1].size, 4);
	assert_string_equal(format.arg[2].name, "tp");
}

static void copies_of_texts_are_no_arguments(void **state)
{
	struct syscall_format format = {};

	assert_true(syscall_format__parse(&format, HEAD FIELD("const char * filename") FIELD("unsigned long init_val")
						   FIELD("__data_loc char[] __filename_val") TAIL));
	assert_int_equal(format.nr_args, 2);
	assert_string_equal(format.arg[1].name, "init_val");
	assert_false(syscall_format__parse(&format, "name: x\n" TAIL));
}

/* number of lines of the format behind that of __syscall_nr */
static int count_fields(const char *text)
{
	int nr = 0;

	text = strstr(text, "__syscall_nr;");
	assert_non_null(text);
	while ((text = strstr(text, "\tfield:"))) {
		text += strlen("\tfield:");
		nr += !memmem(text, strcspn(text, "\n"), "_loc char[] __", strlen("_loc char[] __"));
	}
	return nr;
}

static void has_all(const char *call)
{
	struct syscall_format format = {};
	char path[160], *text;

	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s/format", call);
	text = tracefs__read(path, NULL);
	assert_non_null(text);
	assert_true(syscall_format__parse(&format, text));
	if (format.nr_args != count_fields(text))
		fail_msg("%s: %d of %d arguments", call, format.nr_args, count_fields(text));
	for (int i = 0; i < format.nr_args; i++) {
		char declaration[80];

		snprintf(declaration, sizeof(declaration), "field:%s %s;", format.arg[i].type, format.arg[i].name);
		if (!strstr(text, declaration))
			fail_msg("%s: '%s' is not in the format", call, declaration);
	}
	free(text);
	if (syscall_number(call) < 0)
		fail_msg("%s has no number", call);
	assert_string_equal(syscall_function(syscall_number(call)), call);
}

static void calls_of_this_kernel_are_whole(void **state)
{
	static const char prefix[] = "sys_enter_";
	struct errmsg err;
	const int root = tracefs__root(&err);
	char path[96];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/events/syscalls", root);
	dir = root < 0 ? NULL : opendir(path);
	if (!dir)
		skip();
	while ((entry = readdir(dir))) {
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			has_all(entry->d_name + strlen(prefix));
	}
	closedir(dir);
}

static void newer_calls_have_numbers(void **state)
{
	static const struct { const char *name; int number; } calls[] = {
		{ "cachestat", 451 }, { "fchmodat2", 452 }, { "futex_wake", 454 }, { "mseal", 462 }, { "removexattrat", 466 }, { "file_setattr", 469 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		assert_int_equal(syscall_number(calls[i].name), calls[i].number);
		assert_string_equal(syscall_name(calls[i].number), calls[i].name);
#ifdef __x86_64__
		assert_string_equal(syscall_name(TRACE_COMPAT | calls[i].number), calls[i].name);
#endif
	}
#ifdef __x86_64__
	assert_string_equal(syscall_name(336), "uprobe");
	assert_string_not_equal(syscall_name(TRACE_COMPAT | 336) ?: "", "uprobe");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_the_kernel_begin_with_underscores),
		cmocka_unit_test(copies_of_texts_are_no_arguments),
		cmocka_unit_test(calls_of_this_kernel_are_whole),
		cmocka_unit_test(newer_calls_have_numbers),
	};

	return cmocka_run_group_tests_name("syscall-formats", tests, NULL, NULL);
}
