// SPDX-License-Identifier: GPL-2.0
#include <asm/unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/trace/calls.h"

enum { CLOSE, UMASK, MMAP, OTHER };

static struct syscall_formats *formats_new(void)
{
	struct syscall_formats *formats = calloc(1, sizeof(*formats));

	assert_non_null(formats);
	formats->format[CLOSE] = (struct syscall_format){
		.name = "close", .nr_args = 4, .arg = {
			{ .name = "fd", .kind = SYSCALL_ARG_FD, .size = 4 }, { .name = "many", .kind = SYSCALL_ARG_UNSIGNED, .size = 8 },
			{ .name = "less", .kind = SYSCALL_ARG_SIGNED, .size = 4 }, { .name = "to", .kind = SYSCALL_ARG_POINTER, .size = 8 },
		},
	};
	formats->format[__NR_rt_sigreturn].name = "rt_sigreturn";
	formats->format[UMASK] = (struct syscall_format){ .name = "umask", .like = "umask" };
	formats->format[MMAP] = (struct syscall_format){ .name = "mmap", .like = "mmap" };
	formats->format[TRACE_ABI_CALLS + 192] = (struct syscall_format){ .name = "mmap2", .like = "mmap" };
	return formats;
}

/* The line of a call of this kind, from begin to end, without the arguments that are 0 */
static void check(struct trace_call call, struct trace_style style, u64 first, const char *expected)
{
	struct syscall_formats *formats = formats_new();
	struct trace_lines lines = { .formats = formats, .style = style, .first = first };
	struct text line = {};

	call.tid = 77;
	memcpy(call.comm, "some", 5);
	trace_lines__add(&lines, &line, &call);
	text__char(&line, '\0');
	assert_string_equal(line.buf, expected);
	text__exit(&line);
	free(formats);
}

static void test_times(void **state)
{
	check((struct trace_call){ .nr = OTHER, .begin = 1000499, .end = 1000999 }, (struct trace_style){}, 1,
	      "     1.000 ( 0.001 ms): some/77 syscall_3() = 0\n");
	check((struct trace_call){ .nr = OTHER, .begin = 1999600, .end = 1999600 + 99999400 }, (struct trace_style){}, 100,
	      "     2.000 (99.999 ms): some/77 syscall_3() = 0\n");
	check((struct trace_call){ .nr = OTHER, .begin = 12345678901234567, .end = 12345678901234567 + 1234567891 }, (struct trace_style){}, 1,
	      "12345678901.235 (1234.568 ms): some/77 syscall_3() = 0\n");
	check((struct trace_call){ .nr = OTHER, .begin = 7, .state = TRACE_UNFINISHED }, (struct trace_style){}, 8,
	      "     0.000 (         ): some/77 syscall_3() = ?\n");
}

static void test_numbers(void **state)
{
	const struct trace_style short_lines = { .no_time = true, .no_duration = true, .no_comm = true };

	check((struct trace_call){ .nr = CLOSE, .arg = { -1, 1ULL << 32, 0xfffffffe, 0xbeef }, .ret = -9 }, short_lines, 1,
	      "77 close(fd: -1, many: 0x100000000, less: -2, to: 0xbeef) = -1 EBADF (Bad file descriptor)\n");
	check((struct trace_call){ .nr = CLOSE, .arg = { 0, 0xffffffff }, .ret = -5000 }, short_lines, 1, "77 close(fd: 0, many: 4294967295) = -5000\n");
	check((struct trace_call){ .nr = __NR_rt_sigreturn, .ret = -4 }, short_lines, 1, "77 rt_sigreturn() = -4\n");
	check((struct trace_call){ .nr = UMASK, .ret = 022 }, short_lines, 1, "77 umask() = 022\n");
	check((struct trace_call){ .nr = MMAP, .ret = 0x7f1234567000 }, short_lines, 1, "77 mmap() = 0x7f1234567000\n");
	check((struct trace_call){ .nr = TRACE_COMPAT | 192, .ret = 0xf7123000 }, short_lines, 1, "77 mmap2() = 0xf7123000\n");
	check((struct trace_call){ .nr = TRACE_COMPAT | 999 }, short_lines, 1, "77 syscall32_999() = 0\n");
}

static void test_edges(void **state)
{
	const struct trace_style style = { .no_time = true, .no_comm = true };

	check((struct trace_call){ .nr = CLOSE, .begin = 5, .end = 2000005, .begun = TRACE_BEGIN_BEFORE, .arg = { 3 } }, style, 1,
	      "( 2.000 ms): 77 ... [continued]: close(fd: 3) = 0\n");
	check((struct trace_call){ .nr = CLOSE, .begin = 5, .end = 5, .begun = TRACE_BEGIN_NONE, .ret = -1, .by_seccomp = 1, .no_args = 1 }, style, 1,
	      "(         ): 77 ... [continued]: close() = -1 EPERM (Operation not permitted), denied by seccomp\n");
	check((struct trace_call){ .nr = MMAP, .begun = TRACE_BEGIN_NONE, .ret = 9, .by_seccomp = 1 }, style, 1,
	      "(         ): 77 ... [continued]: mmap() = 0x9, answered by seccomp\n");
	check((struct trace_call){ .nr = UMASK, .begun = TRACE_BEGIN_NONE, .ret = 9, .by_seccomp = 1, .state = TRACE_SIGSYS }, style, 1,
	      "(         ): 77 ... [continued]: umask() = ? SIGSYS, denied by seccomp\n");
	check((struct trace_call){ .nr = 999, .ret = -38 }, style, 1, "( 0.000 ms): 77 syscall_999() = -1 ENOSYS (Function not implemented)\n");
	check((struct trace_call){ .nr = TRACE_FORGOTTEN }, style, 1, "( 0.000 ms): 77 syscall_-1() = 0\n");
	check((struct trace_call){ .nr = 0x40000027 }, style, 1, "( 0.000 ms): 77 syscall_0x40000027() = 0\n");
}

static void test_column(void **state)
{
	const struct trace_style style = { .no_time = true, .no_duration = true, .no_comm = true, .column = 12 };

	check((struct trace_call){ .nr = MMAP }, style, 1, "77 mmap()      = 0\n");
	check((struct trace_call){ .nr = CLOSE, .arg = { 123 } }, style, 1, "77 close(fd: 123) = 0\n");
}

/* What a terminal would obey, and the quotes, are written as numbers or with a backslash. */
static void test_escapes(void **state)
{
	static const char bytes[] = "a\"b\\c\nd\x1b[31m\x7f\xc3\xa4\0e";
	struct text line = {};

	trace_values__escaped(&line, bytes, sizeof(bytes) - 1);
	text__char(&line, '\0');
	assert_string_equal(line.buf, "a\\\"b\\\\c\\nd\\x1b[31m\\x7f\\xc3\\xa4\\x00e");
	line.len = 0;
	trace_values__escaped(&line, bytes, 0);
	assert_int_equal(line.len, 0);
	trace_values__escaped(&line, "\n\n", 2);
	trace_values__escaped(&line, "xy", 2);
	text__char(&line, '\0');
	assert_string_equal(line.buf, "\\n\\nxy");
	text__exit(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times), cmocka_unit_test(test_numbers), cmocka_unit_test(test_edges),
		cmocka_unit_test(test_column), cmocka_unit_test(test_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
