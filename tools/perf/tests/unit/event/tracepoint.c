// SPDX-License-Identifier: GPL-2.0
/* Formats and records of the test's own; what needs the running kernel's tracefs is skipped where that is closed to us. */
#include "util/event/tracepoint.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/event/evsel.h"

#define COMMON                                                                                                         \
	"format:\n"                                                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                 \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char fork_format[] = "name: fork\nID: 300\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:void * fn;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"comm=%s pid=%d fn=%pS\", REC->comm, REC->pid, REC->fn\n";

static const char text_format[] = "name: text\nID: 301\n" COMMON
	"\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 len;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 raw[8];\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%s %s %d\", __get_str(text), __print_hex(REC->raw, REC->len), 100 / REC->len\n";

static const char where_format[] = "name: where\nID: 302\n" COMMON
	"\tfield:const char * where;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"where=%s\", REC->where\n";

struct fork_record {
	u16 type;
	u8 flags, preempt;
	s32 common_pid;
	char comm[16];
	s32 pid, pad;
	u64 fn;
};

struct text_record {
	u16 type;
	u8 flags, preempt;
	s32 common_pid;
	u16 text_offset, text_len;
	u32 len;
	u8 raw[8];
	char text[8];
};

static struct tp_formats *formats(void)
{
	struct tp_formats *f = tp_formats__new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 8);

	assert_non_null(f);
	assert_int_equal(tp_formats__add(f, "test", fork_format, strlen(fork_format)), 0);
	assert_int_equal(tp_formats__add(f, "test", text_format, strlen(text_format)), 0);
	assert_int_equal(tp_formats__add(f, "test", where_format, strlen(where_format)), 0);
	return f;
}

static void prints_as(struct tp_formats *f, const void *raw, u32 size, const char *text)
{
	/* exactly size bytes of heap, so that a sanitizer sees what is read behind them */
	void *copy = malloc(size ? size : 1);
	size_t len;

	memcpy(copy, raw, size);
	for (int i = 0; i < 2; i++) { /* made, and known by its bytes */
		assert_string_equal(tp_formats__text(f, copy, size, 0, &len), text);
		assert_int_equal(len, strlen(text));
	}
	free(copy);
}

static char *resolve(void *data, unsigned long long *addr, char **module)
{
	assert_string_equal((char *)data, "mine");
	*module = NULL;
	if (*addr < 0x1000 || *addr >= 0x2000)
		return NULL;
	*addr = 0x1000;
	return "some_function";
}

static void records_are_printed(void **state)
{
	struct fork_record rec = { .type = 300, .comm = "sixteen_letters_", .pid = -5, .fn = 0x1010 };
	struct tp_formats *f = formats();

	memcpy(rec.comm, "sh", 3);
	prints_as(f, &rec, sizeof(rec), "comm=sh pid=-5 fn=0x1010");
	assert_int_equal(tp_formats__set_resolver(f, resolve, "mine"), 0);
	prints_as(f, &rec, sizeof(rec), "comm=sh pid=-5 fn=some_function+0x10");
	tp_formats__delete(f);
}

static void names_go_by_id(void **state)
{
	struct tp_formats *f = formats();

	assert_string_equal(tp_formats__name(f, 300), "test:fork");
	assert_string_equal(tp_formats__name(f, 302), "test:where");
	assert_null(tp_formats__name(f, 303));
	assert_null(tp_formats__name(f, (1ull << 32) + 300));
	tp_formats__delete(f);
}

static void printk_strings_are_known(void **state)
{
	struct {
		u16 type;
		u16 pad[3];
		u64 where;
	} rec = { .type = 302, .where = 0xffffffff81000010 };
	struct tp_formats *f = formats();

	assert_int_equal(tp_formats__add_printk_formats(f, "0xffffffff81000010 : \"at the gate\"\n"), 0);
	prints_as(f, &rec, sizeof(rec), "where=at the gate");
	tp_formats__delete(f);
}

static void malformed_printk_lines_are_left_out(void **state)
{
	static const char text[] = "no colon\n: \"at the start\"\n\n0x1:\n0x2 : \n0x3 : \"\n0x4 : \"\"\n0x5 : \"a\"\n0x6 : open\n"
				   "0xffffffff81000010 : \"at the gate\"\n0x7";
	struct {
		u16 type;
		u16 pad[3];
		u64 where;
	} rec = { .type = 302, .where = 0xffffffff81000010 };
	struct tp_formats *f = formats();

	assert_int_equal(tp_formats__add_printk_formats(f, "0x8 : \"without newline\""), 0);
	assert_int_equal(tp_formats__add_printk_formats(f, text), 0);
	prints_as(f, &rec, sizeof(rec), "where=at the gate");
	rec.where = 8;
	prints_as(f, &rec, sizeof(rec), "where=without newline");
	tp_formats__delete(f);
}

static void records_are_not_trusted(void **state)
{
	const struct text_record good = { .type = 301, .text_offset = 24, .text_len = 8, .len = 2, .raw = { 0xab, 0xcd },
					  .text = "hello" };
	struct tp_formats *f = formats();
	struct text_record rec = good;

	prints_as(f, &rec, sizeof(rec), "hello ab cd 50");
	for (u32 size = 0; size < sizeof(rec); size++)
		prints_as(f, &rec, size, size < 2 ? "[unreadable]" : "[truncated]");

	memset(rec.text, 'x', sizeof(rec.text)); /* without its NUL */
	prints_as(f, &rec, sizeof(rec), "xxxxxxxx ab cd 50");
	rec = good;
	rec.text_offset = 25;
	prints_as(f, &rec, sizeof(rec), "[truncated]");
	rec = good;
	rec.text_len = 0xffff;
	prints_as(f, &rec, sizeof(rec), "[truncated]");
	rec = good;
	rec.type = 999;
	prints_as(f, &rec, sizeof(rec), "[unknown tracepoint 999]");

	/* A length or divisor that the print format cannot live with: the fields are printed one by one. */
	rec = good;
	rec.len = 17;
	prints_as(f, &rec, sizeof(rec), " text=hello len=17 raw=ARRAY[ab, cd, 00, 00, 00, 00, 00, 00]");
	rec.len = 0;
	prints_as(f, &rec, sizeof(rec), " text=hello len=0 raw=ARRAY[ab, cd, 00, 00, 00, 00, 00, 00]");
	rec.len = 0xffffffff;
	prints_as(f, &rec, sizeof(rec), " text=hello len=4294967295 raw=ARRAY[ab, cd, 00, 00, 00, 00, 00, 00]");
	tp_formats__delete(f);
}

static void wrong_formats_are_refused(void **state)
{
	static const char no_type[] = "name: x\nID: 1\nformat:\n\tfield:int a;\toffset:0;\tsize:4;\tsigned:1;\n\n"
				      "print fmt: \"%d\", REC->a\n";
	const struct fork_record rec = { .type = 300 };
	struct tp_formats *f = formats();

	/* Cut in the middle of a word, libtraceevent 1.7 would lose that word's memory. */
	assert_int_equal(tp_formats__add(f, "test", fork_format, 0), -EINVAL);
	assert_int_equal(tp_formats__add(f, "test", fork_format, strlen("name: fork\n")), -EINVAL);
	assert_int_equal(tp_formats__add(f, "test", "nonsense\n", 9), -EINVAL);
	prints_as(f, &rec, sizeof(rec), "comm= pid=0 fn=0x0");
	assert_int_equal(tp_formats__add(f, "test", no_type, strlen(no_type)), -EINVAL);
	prints_as(f, &rec, sizeof(rec), "comm= pid=0 fn=0x0");
	tp_formats__delete(f);
}

/* A format of one field with this print format */
static int add_printing(struct tp_formats *f, const char *print_fmt)
{
	char text[1024];
	int size = snprintf(text, sizeof(text), "name: x\nID: 1\nformat:\n"
			    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			    "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: %s\n", print_fmt);

	return tp_formats__add(f, "test", text, size);
}

/* What cannot be evaluated is shown by its fields, and what cannot be parsed says so. */
static void formats_are_not_trusted(void **state)
{
	static const char *const wrong[] = {
		"\"%s\", __print_flags(REC->b, \"|\", { 1, \"x\" })",
		"\"%s\", REC->a ? \"y\" : EC->a ? \"z\" : REC->a == 1 ? \"v\" : \"w\"",
		"\"%d\", no_such_function(REC->a)",
		"\"a is %d\", REC->a, REC->unknown",
		"\"%d\"", "\"%d, REC->a", "\"%d\" REC->a", "\"%d\", (REC->a", "\"%d\", REC->a +", "\"%y\", REC->a", "",
	};
	static const char *const unusable[] = {
		"\"%s\", __print_hex(REC->a, 1 / 0)", "\"%d\", REC->a & ((1 << 1) % \"+\")", "\"%d\", REC->a << 64", "\"%d\", REC->a[0]", "\"%d\", __get_str(a)", "\"%pM\", &REC->a",
	};
	static const struct { u16 type; u8 pad[6]; s32 a; } rec = { .type = 1, .a = 42 };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct tp_formats *f = formats();

		assert_int_equal(add_printing(f, wrong[i]), 0);
		prints_as(f, &rec, sizeof(rec), "[FAILED TO PARSE] a=42");
		tp_formats__delete(f);
	}
	for (size_t i = 0; i < ARRAY_SIZE(unusable); i++) {
		struct tp_formats *f = formats();

		assert_int_equal(add_printing(f, unusable[i]), 0);
		prints_as(f, &rec, sizeof(rec), " a=42");
		tp_formats__delete(f);
	}
}

/* A record of the event whose format this is, with that print format */
static void printing_shows(const char *format, const char *print, const void *rec, u32 rec_size, const char *shown)
{
	struct tp_formats *f = formats();
	char text[1024];
	int size = snprintf(text, sizeof(text), "%s%s\n", format, print);

	assert_int_equal(tp_formats__add(f, "test", text, size), 0);
	prints_as(f, rec, rec_size, shown);
	tp_formats__delete(f);
}

/* As Linux 6.19 has it of syscalls:sys_enter_write */
static void dynamic_arrays_are_printed(void **state)
{
	static const char format[] = "name: x\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:const char * buf;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] __buf_val;\toffset:16;\tsize:4;\tsigned:0;\n\nprint fmt: ";
	static const struct { const char *print, *shown; } cases[] = {
		{ "\"buf: 0x%08lx (%s)\", ((unsigned long)(REC->buf)), __print_dynamic_array(__buf_val, 1)",
		  "buf: 0x00001234 ({0x68,0x69,0xa,0xff})" },
		{ "\"__print_dynamic_array( \\\" %s %s\", __print_dynamic_array( __buf_val , 2 ), __print_dynamic_array(__buf_val,4)",
		  "__print_dynamic_array( \" {0x6968,0xff0a} {0xff0a6968}" },
		{ "\"%s\", __print_dynamic_array(__buf_val)", " buf=0x1234 __buf_val=ARRAY[68, 69, 0a, ff]" },
		{ "\"%s\", __print_dynamic_array(__buf_val, 1 + 1)", "{0x6968,0xff0a}" },
		{ "\"%s\", __print_dynamic_array(other, 1)", "[FAILED TO PARSE] buf=0x1234 __buf_val=ARRAY[68, 69, 0a, ff]" },
		{ "\"%s\", __print_dynamic_array(__buf_val, 0)", " buf=0x1234 __buf_val=ARRAY[68, 69, 0a, ff]" },
		{ "\"%s\", __print_dynamic_array(__buf_val,", "[FAILED TO PARSE] buf=0x1234 __buf_val=ARRAY[68, 69, 0a, ff]" },
	};
	static const struct { u16 type; u8 pad[6]; u64 buf; u16 offset, len; u8 data[4]; } rec = {
		.type = 1, .buf = 0x1234, .offset = 20, .len = 4, .data = { 'h', 'i', '\n', 0xff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		printing_shows(format, cases[i].print, &rec, sizeof(rec), cases[i].shown);
}

static void relative_fields_have_lengths(void **state)
{
	static const char format[] = "name: x\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:__rel_loc char[] v;\toffset:4;\tsize:4;\tsigned:0;\n\nprint fmt: ";
	static const struct { const char *print, *shown; } cases[] = {
		{ "\"%d\", __get_rel_dynamic_array_len(v)", "4" }, { "\"%d\", 2 * __get_rel_dynamic_array_len(v)", "8" }, { "\"%s\", __get_rel_str(v)", "ab" },
		{ "\"%s\", __print_array(__get_rel_dynamic_array(v), __get_rel_dynamic_array_len(v), 1)", "{0x61,0x62,0x0,0x0}" },
		{ "\"%s\", __print_hex(__get_rel_dynamic_array(v), __get_rel_dynamic_array_len(v))", "61 62 00 00" },
		{ "\"%s\", __print_hex_str(__get_rel_dynamic_array(v), 5)", " v=ab" },
	};
	static const struct { u16 type; u8 pad[2]; u16 offset, len; u8 data[4]; } rec = { .type = 1, .len = 4, .data = "ab" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		printing_shows(format, cases[i].print, &rec, sizeof(rec), cases[i].shown);
}

static void lengths_of_plain_fields_are_not_asked_for(void **state)
{
	static const char format[] = "name: x\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:unsigned int v;\toffset:4;\tsize:4;\tsigned:0;\n\nprint fmt: ";
	static const char *const print[] = {
		"\"%d\", REC->v % __get_dynamic_array_len(v)", "\"%d\", REC->v / __get_dynamic_array_len(v)",
		"\"%s\", __print_hex(__get_dynamic_array(v), 1)",
	};
	static const struct { u16 type; u8 pad[2]; u32 v; u8 data[4]; } rec = { .type = 1, .v = UINT32_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(print); i++)
		printing_shows(format, print[i], &rec, sizeof(rec), " v=4294967295");
}

static void fields_without_a_size_end_with_the_record(void **state)
{
	static const char format[] = "name: x\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:char rest[0];\toffset:8;\tsize:0;\tsigned:1;\n\nprint fmt: \"rest=%s\", REC->rest\n";
	static const struct { u16 type; u8 pad[6]; char rest[4]; } rec = { .type = 1, .rest = "tail" };
	struct tp_formats *f = formats();
	char shown[64];

	assert_int_equal(tp_formats__add(f, "test", format, strlen(format)), 0);
	prints_as(f, &rec, sizeof(rec), "rest=tail");
	assert_int_equal(tp_formats__show(f, &rec, sizeof(rec), "", "rest", shown, sizeof(shown)), 0);
	assert_string_equal(shown, "tail");
	tp_formats__delete(f);
}

/* As the name of a task may be */
static void bytes_that_are_no_text_leave_later_ones_text(void **state)
{
	static const char format[] = "name: x\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:char comm[4];\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: ";
	static const struct record { u16 type; u8 pad[6]; char comm[4]; } odd = { .type = 1, .comm = "\033x" }, plain = { .type = 1, .comm = "abc" };
	struct tp_formats *f = formats();
	struct tp_value value;
	char shown[64];

	assert_int_equal(tp_formats__add(f, "test", format, strlen(format)), 0);
	assert_int_equal(tp_formats__value(f, &odd, sizeof(odd), "", "comm", &value), 0);
	assert_true(value.is_text);
	assert_int_equal(tp_formats__value(f, &plain, sizeof(plain), "", "comm", &value), 0);
	assert_true(value.is_text);
	assert_int_equal(tp_formats__show(f, &plain, sizeof(plain), "", "comm", shown, sizeof(shown)), 0);
	assert_string_equal(shown, "abc");
	tp_formats__set_raw(f);
	prints_as(f, &odd, sizeof(odd), " comm=ARRAY[1b, 78, 00, 00]");
	prints_as(f, &plain, sizeof(plain), " comm=abc");
	tp_formats__delete(f);
}

static void formats_do_not_nest_for_ever(void **state)
{
	static const struct { u16 type; u8 pad[6]; s32 a; } rec = { .type = 1, .a = 42 };
	static const struct { char prefix; int nr; bool taken; } cases[] = {
		{ '!', 60, true }, { '!', 180, false }, { '(', 60, true }, { '(', 180, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tp_formats *f = formats();
		char text[512], prefixes[201] = "", ends[201] = "";

		memset(prefixes, cases[i].prefix, cases[i].nr);
		if (cases[i].prefix == '(')
			memset(ends, ')', cases[i].nr);
		snprintf(text, sizeof(text), "\"a\", %sREC->a%s", prefixes, ends);
		assert_int_equal(add_printing(f, text), 0);
		prints_as(f, &rec, sizeof(rec), cases[i].taken ? "a" : "[FAILED TO PARSE] a=42");
		tp_formats__delete(f);
	}
}

static void formats_do_not_harm_others(void **state)
{
	static const char *const of_no_field[] = {
		"__print_flags(1, \"|\", { 1, \"x\" })",
		"__print_symbolic(1, { 1, \"x\" })",
		"__print_flags(1, \"|\", { 1, \"x\" }), __print_symbolic(1, { 1, \"x\" })",
	};
	static const struct { u16 type; u8 pad[6]; s32 a; } rec = { .type = 1, .a = 42 };

	for (size_t i = 0; i < ARRAY_SIZE(of_no_field); i++) {
		struct tp_formats *first = formats(), *second = formats();
		char text[128];

		snprintf(text, sizeof(text), "\"%%s\", %s", of_no_field[i]);
		assert_int_equal(add_printing(first, text), 0);
		assert_int_equal(add_printing(second, "\"a is %d\", REC->a"), 0);
		prints_as(second, &rec, sizeof(rec), "a is 42");
		tp_formats__delete(second);
		tp_formats__delete(first);
	}
}

static void widths_are_not_trusted(void **state)
{
	static const char format[] = "name: wide\nID: 400\n" COMMON
		"\tfield:int below;\toffset:8;\tsize:2633920967;\tsigned:1;\n"
		"\tfield:int beyond;\toffset:8;\tsize:1661046329;\tsigned:1;\n"
		"\tfield:int good;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%d\", REC->good\n";
	struct tp_formats *f = formats();

	assert_int_equal(tp_formats__add(f, "test", format, strlen(format)), 0);
	assert_int_equal(tp_formats__field_width(f, "test:wide", "below"), -1);
	assert_int_equal(tp_formats__field_width(f, "test:wide", "beyond"), -1);
	assert_int_equal(tp_formats__field_width(f, "test:wide", "good"), 10);
	tp_formats__delete(f);
}

static void formats_are_believed(void **state)
{
	static const struct { u16 type; u8 pad[6]; s32 a; } rec = { .type = 1, .a = 42 };
	struct tp_formats *f = formats();

	assert_int_equal(add_printing(f, "\"%d\", REC->a / 2"), 0);
	prints_as(f, &rec, sizeof(rec), "21");
	tp_formats__delete(f);
}

static bool have_tracefs(void)
{
	struct tracepoint *tp;
	struct errmsg err;
	int ret = tracepoint__new("sched", "sched_switch", &tp, &err);

	if (!ret)
		tracepoint__delete(tp);
	else if (geteuid() == 0)
		fail_msg("root cannot read tracefs: %s", err.text);
	return !ret;
}

static void kernel_tracepoints(void **state)
{
	struct tracepoint *tp;
	struct errmsg err;
	size_t size;
	char *page;

	if (!have_tracefs())
		skip();
	assert_int_equal(tracepoint__new("sched", "sched_switch", &tp, &err), 0);
	assert_string_equal(tracepoint__sys(tp), "sched");
	assert_true(tracepoint__id(tp) > 0);
	assert_non_null(strstr(tracepoint__format(tp, &size), "name: sched_switch"));
	assert_int_equal(size, strlen(tracepoint__format(tp, NULL)));
	tracepoint__delete(tp);
	assert_int_equal(tracepoint__new("sched", "nosuch", &tp, &err), -ENOENT);
	assert_int_equal(tracepoint__new("..", "sched", &tp, &err), -ENOENT);
	assert_int_equal(tracepoint__new("sched", "../sched/sched_switch", &tp, &err), -ENOENT);

	page = tracefs__read("events/header_page", &size);
	assert_non_null(page);
	assert_int_equal(size, strlen(page));
	free(page);
	assert_null(tracefs__read("events/nosuch", &size));
}

struct seen {
	unsigned int nr;
	char last[128];
	int stop_at;
};

static int see(void *data, const char *sys, const char *name)
{
	struct seen *seen = data;

	assert_string_equal(sys, "sched");
	assert_true(strcmp(name, seen->last) > 0);
	strcpy(seen->last, name);
	return ++seen->nr == (unsigned int)seen->stop_at ? -ECANCELED : 0;
}

static void globs(void **state)
{
	struct seen seen = { 0 }, stopped = { .stop_at = 2 };
	struct errmsg err;

	if (!have_tracefs())
		skip();
	assert_true(tracepoint__for_each("sche[d]", "sched_*", see, &seen, &err) > 3);
	assert_true(seen.nr > 3);
	assert_int_equal(tracepoint__for_each("sched", "*", see, &stopped, &err), -ECANCELED);
	assert_int_equal(stopped.nr, 2);
	assert_int_equal(tracepoint__for_each("sched", "nosuch*", see, &seen, &err), 0);
}

static void specs_of_tracepoints(void **state)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err;

	if (!have_tracefs()) {
		evlist__delete(evlist);
		skip();
	}
	assert_int_equal(evlist__parse(evlist, "sched:sched_switch:u,sched:sched_process_*,sched:sched_switch/name=x,period=9/",
				       NULL, &err), 0);
	assert_true(evlist->nr > 4);
	assert_string_equal(evlist->evsel[0]->name, "sched:sched_switch");
	assert_int_equal(evlist->evsel[0]->attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(evlist->evsel[0]->attr.config, tracepoint__id(evlist->evsel[0]->tp));
	assert_true(evlist->evsel[0]->attr.exclude_kernel);
	assert_memory_equal(evlist->evsel[1]->name, "sched:sched_process_", 20);
	assert_string_equal(evlist->evsel[evlist->nr - 1]->name, "x");
	assert_int_equal(evlist->evsel[evlist->nr - 1]->attr.sample_period, 9);
	evlist__delete(evlist);
}

static void unknown_tracepoints(void **state)
{
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{ "schd:sched_switch", "event: no tracepoint system 'schd'; did you mean 'sched'?\n  schd:sched_switch\n  ^^^^" },
		{ "sched:sched_swich", "event: system 'sched' has no tracepoint 'sched_swich'; did you mean 'sched_switch'?\n"
		  "  sched:sched_swich\n        ^^^^^^^^^^^" },
		{ "sched:nosuch*", "event: no tracepoint matches 'sched:nosuch*'\n  sched:nosuch*\n  ^^^^^^^^^^^^^" },
		{ "cylces:u", "event: unknown event 'cylces'; did you mean 'cycles'?\n  cylces:u\n  ^^^^^^" },
	};

	if (!have_tracefs())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = evlist__new();
		struct errmsg err;

		assert_int_equal(evlist__parse(evlist, cases[i].spec, NULL, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].text);
		evlist__delete(evlist);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_printed),
		cmocka_unit_test(names_go_by_id),
		cmocka_unit_test(printk_strings_are_known),
		cmocka_unit_test(malformed_printk_lines_are_left_out),
		cmocka_unit_test(records_are_not_trusted),
		cmocka_unit_test(wrong_formats_are_refused),
		cmocka_unit_test(formats_are_not_trusted),
		cmocka_unit_test(dynamic_arrays_are_printed),
		cmocka_unit_test(relative_fields_have_lengths),
		cmocka_unit_test(lengths_of_plain_fields_are_not_asked_for),
		cmocka_unit_test(fields_without_a_size_end_with_the_record),
		cmocka_unit_test(bytes_that_are_no_text_leave_later_ones_text),
		cmocka_unit_test(formats_do_not_nest_for_ever),
		cmocka_unit_test(formats_do_not_harm_others),
		cmocka_unit_test(widths_are_not_trusted),
		cmocka_unit_test(formats_are_believed),
		cmocka_unit_test(kernel_tracepoints),
		cmocka_unit_test(globs),
		cmocka_unit_test(specs_of_tracepoints),
		cmocka_unit_test(unknown_tracepoints),
	};

	return cmocka_run_group_tests_name("event/tracepoint", tests, NULL, NULL);
}
