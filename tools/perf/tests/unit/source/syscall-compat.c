// SPDX-License-Identifier: GPL-2.0
/* System calls of 32-bit programs: their names, and what their arguments are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include "util/event/tracepoint.h"
#include "util/lib/types.h"
#include "util/source/syscall-compat.h"
#include "util/source/syscall-formats.h"
#include "util/source/syscall-number.h"

static void is_like(const char *name, const char *like)
{
	struct syscall_compat compat;

	syscall_compat__find(name, &compat);
	assert_string_equal(compat.like, like);
}

static void names_have_endings(void **state)
{
	is_like("read", "read");
	is_like("fcntl64", "fcntl");
	is_like("getuid32", "getuid");
	is_like("clock_nanosleep_time64", "clock_nanosleep");
	is_like("clock_gettime64", "clock_gettime");
	is_like("sendfile64", "sendfile");
	is_like("fstatat64", "newfstatat");
	is_like("mmap2", "mmap");
	is_like("socketcall", "");
	/* whole names */
	is_like("getdents64", "getdents64");
	is_like("prlimit64", "prlimit64");
	is_like("pread64", "pread64");
	is_like("64", "64");
}

static void rows_and_numbers(void **state)
{
	static const u32 negative[] = { TRACE_FORGOTTEN, (u32)-100 };

	for (u32 row = 0; row < TRACE_MAX_CALLS; row++)
		assert_int_equal(trace_row(trace_row_number(row)), row);
	assert_int_equal(trace_row(TRACE_COMPAT), TRACE_ABI_CALLS);
	assert_int_equal(trace_row(TRACE_COMPAT | 5000), TRACE_MAX_CALLS - 1);
	for (size_t i = 0; i < ARRAY_SIZE(negative); i++)
		assert_int_equal(trace_row(negative[i]), TRACE_OTHER_CALLS);
	assert_int_equal(trace_row(0x40000003 /* x32 */), TRACE_OTHER_CALLS);
	assert_int_equal(trace_number(TRACE_FORGOTTEN, true), TRACE_FORGOTTEN);
	assert_int_equal(trace_number(5, true), TRACE_COMPAT | 5);
	assert_int_equal(trace_number(5, false), 5);
	assert_false(trace_is_compat(trace_number(TRACE_COMPAT | 5, false)));
}

#ifdef __x86_64__

static struct syscall_formats *formats_of(u32 first, u32 end)
{
	static bool wanted[TRACE_MAX_CALLS];
	struct syscall_formats *formats;
	struct errmsg err;

	for (u32 i = 0; i < TRACE_MAX_CALLS; i++)
		wanted[i] = i >= first && i < end;
	assert_int_equal(syscall_formats__new(wanted, &formats, &err), 0);
	return formats;
}

static void calls_have_names(void **state)
{
	assert_string_equal(syscall_name(TRACE_COMPAT | 3), "read");
	assert_string_equal(syscall_name(TRACE_COMPAT | 192), "mmap2");
	assert_string_equal(syscall_function(TRACE_COMPAT | 22), "umount");
	assert_null(syscall_name(TRACE_COMPAT | 499));
	assert_string_equal(syscall_name(192), "lgetxattr");
}

static void rules_say_what_is_wanted(void **state)
{
	struct syscall_formats *formats = formats_of(TRACE_ABI_CALLS + 3, TRACE_ABI_CALLS + 4);

	assert_int_equal(formats->rule[3].wanted, TRACE_WANTED_COMPAT);
	assert_int_equal(formats->rule[TRACE_ABI_CALLS + 3].wanted, TRACE_WANTED);
	assert_int_equal(formats->rule[4].wanted, 0);
	syscall_formats__delete(formats);
	formats = formats_of(322, 323); /* execveat */
	assert_int_equal(formats->rule[322].wanted, TRACE_WANTED);
	assert_int_equal(formats->rule[59].wanted, TRACE_WANTED_END);
	assert_int_equal(formats->rule[11].wanted, TRACE_WANTED_END);
	syscall_formats__delete(formats);
}

static const struct syscall_arg *find_arg(const struct syscall_format *format, const char *name)
{
	for (int i = 0; i < format->nr_args; i++) {
		if (!strcmp(format->arg[i].name, name))
			return &format->arg[i];
	}
	return NULL;
}

static u32 row_of(const struct syscall_formats *formats, u32 first, const char *name)
{
	for (u32 i = first; i < TRACE_MAX_CALLS; i++) {
		if (formats->format[i].name && !strcmp(formats->format[i].name, name))
			return i;
	}
	fail_msg("%s", name);
	return 0;
}

/* Which argument of the call is the one that the filter names first, second... counted from 1; 0: none */
static u8 field_of(const struct syscall_formats *formats, u32 first, const char *call, unsigned int slot)
{
	return formats->rule[row_of(formats, first, call)].field[slot] & TRACE_FIELD_ARG;
}

static u8 width_of(const struct syscall_formats *formats, u32 first, const char *call, unsigned int slot)
{
	return formats->rule[row_of(formats, first, call)].field[slot] & ~TRACE_FIELD_ARG;
}

static void filters_name_arguments(void **state)
{
	struct syscall_formats *formats = formats_of(0, TRACE_MAX_CALLS);
	struct filter_field_desc desc;
	struct tracepoint *tp;
	struct errmsg err;

	if (!formats->format[0].known) {
		syscall_formats__delete(formats);
		skip(); /* no tracefs */
	}
	assert_int_equal(syscall_formats__fields(formats, "fd == 3 && (whence != 1 || !(fd > 5)) && ret < 0 && filename ~ \"/etc/*\"", &tp, &err), 0);
	assert_int_equal(field_of(formats, 0, "read", 0), 1);
	assert_int_equal(field_of(formats, 0, "mmap", 0), 5);
	assert_int_equal(width_of(formats, 0, "mmap", 0), TRACE_FIELD_NARROW | TRACE_FIELD_SIGNED); /* an unsigned long in the format */
	assert_int_equal(width_of(formats, 0, "lseek", 1), TRACE_FIELD_NARROW);
	assert_int_equal(width_of(formats, 0, "open", 2), 0);
	assert_int_equal(field_of(formats, 0, "getpid", 0), 0);
	assert_int_equal(field_of(formats, 0, "lseek", 1), 3);
	assert_int_equal(field_of(formats, TRACE_ABI_CALLS, "_llseek", 1), 5);
	assert_int_equal(field_of(formats, 0, "read", 1), 0);
	assert_int_equal(field_of(formats, 0, "open", 2), 1);
	assert_int_equal(field_of(formats, 0, "openat", 2), 2);
	assert_int_equal(field_of(formats, 0, "openat", 3), 0);
	assert_int_equal(tracepoint__find_field(tp, "whence", &desc), 0);
	assert_int_equal(desc.offset, 40);
	assert_int_equal(desc.guard, 2);
	assert_false(desc.is_signed);
	assert_int_equal(tracepoint__find_field(tp, "fd", &desc), 0);
	assert_true(desc.is_signed);
	assert_int_equal(tracepoint__find_field(tp, "ret", &desc), 0);
	assert_int_equal(desc.guard, 0);
	assert_true(tracepoint__points_to_text(tp, "filename"));
	tracepoint__delete(tp);
	/* A text of one call is not the address of another. */
	assert_int_equal(syscall_formats__fields(formats, "name == \"x\"", &tp, &err), 0);
	assert_int_equal(field_of(formats, 0, "sethostname", 0), 1);
	assert_int_equal(field_of(formats, 0, "uname", 0), 0);
	tracepoint__delete(tp);
	/* Wrong filters are told later, but for too many names. */
	assert_int_equal(syscall_formats__fields(formats, "fd == ", &tp, &err), 0);
	tracepoint__delete(tp);
	assert_int_equal(syscall_formats__fields(formats, "fd == 1 || whence == 1 || filename == \"x\" || flags == 1 || old_len == 1 || len == 1 || count == 1", &tp, &err), -E2BIG);
	assert_string_equal(err.text, "the filter names 7 different arguments, and 6 is the limit");
	syscall_formats__delete(formats);
}

/* What the copy of an argument is, by name of the call and of the argument; 0: there is none */
static unsigned int copy_of(const struct syscall_formats *formats, const char *call, const char *arg)
{
	for (u32 i = TRACE_ABI_CALLS; i < TRACE_MAX_CALLS; i++) {
		const struct syscall_format *format = &formats->format[i];
		const struct trace_rule *rule = &formats->rule[i];

		if (!format->name || strcmp(format->name, call))
			continue;
		assert_non_null(find_arg(format, arg));
		for (int j = 0; j < rule->nr_copies; j++) {
			if (&format->arg[rule->copy[j].arg] == find_arg(format, arg))
				return rule->copy[j].kind;
		}
		return 0;
	}
	return ~0U;
}

/* Structs with pointers, longs or times differ. */
static void only_what_is_the_same_is_copied(void **state)
{
	static const struct { const char *call, *arg; unsigned int kind; } cases[] = {
		{ "openat", "filename", TRACE_COPY_STRING }, { "write", "buf", TRACE_COPY_BYTES }, { "connect", "uservaddr", TRACE_COPY_BYTES },
		{ "statx", "buffer", TRACE_COPY_BYTES }, { "nanosleep", "rqtp", 0 }, { "clock_nanosleep", "rqtp", 0 },
		{ "clock_nanosleep_time64", "rqtp", TRACE_COPY_BYTES }, { "epoll_pwait2", "timeout", TRACE_COPY_BYTES }, { "stat64", "statbuf", 0 },
		{ "writev", "vec", 0 }, { "sendmsg", "msg", 0 }, { "execve", "argv", 0 }, { "rt_sigaction", "act", 0 },
		{ "rt_sigprocmask", "nset", TRACE_COPY_BYTES }, { "getrlimit", "rlim", 0 }, { "ugetrlimit", "rlim", 0 },
		{ "prlimit64", "new_rlim", TRACE_COPY_BYTES }, { "sendfile", "offset", 0 }, { "sendfile64", "offset", TRACE_COPY_BYTES },
		{ "getdents", "dirent", 0 }, { "getdents64", "dirent", TRACE_COPY_BYTES }, { "fcntl64", "arg", 0 }, { "_llseek", "result", TRACE_COPY_BYTES },
		{ "getresuid", "ruid16", 0 }, { "getresuid32", "ruidp", TRACE_COPY_BYTES }, { "waitpid", "stat_addr", TRACE_COPY_BYTES },
		{ "umount", "name", TRACE_COPY_STRING }, { "setitimer", "value", 0 }, { "sysinfo", "info", 0 },
	};
	struct syscall_formats *formats = formats_of(0, TRACE_MAX_CALLS);
	const bool has_tracefs = formats->format[0].known;

	for (size_t i = 0; i < ARRAY_SIZE(cases) && has_tracefs; i++) {
		if (copy_of(formats, cases[i].call, cases[i].arg) != cases[i].kind)
			fail_msg("%s(%s): %u", cases[i].call, cases[i].arg, copy_of(formats, cases[i].call, cases[i].arg));
	}
	syscall_formats__delete(formats);
	if (!has_tracefs)
		skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_endings),
		cmocka_unit_test(rows_and_numbers),
#ifdef __x86_64__
		cmocka_unit_test(calls_have_names),
		cmocka_unit_test(rules_say_what_is_wanted),
		cmocka_unit_test(filters_name_arguments),
		cmocka_unit_test(only_what_is_the_same_is_copied),
#endif
	};

	return cmocka_run_group_tests_name("syscall-compat", tests, NULL, NULL);
}
