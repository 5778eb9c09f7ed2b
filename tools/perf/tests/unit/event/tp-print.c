// SPDX-License-Identifier: GPL-2.0
/* Print formats, and what the kernel makes of them: C's types, the macros of include/trace/stages, and the forms of %p. */
#include "util/event/tracepoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct record {
	u16 type;
	u8 flags, preempt;
	s32 pid;
	int8_t s8;
	u8 u8;
	int16_t s16;
	u16 u16;
	char c, odd;
	s32 s32;
	u32 u32;
	s64 s64;
	u64 u64;
	u8 uuid[16];
	u8 mac[6];
	u16 halves[3];
	s32 ints[2];
	struct sockaddr_in6 six; /* 28 bytes */
	struct sockaddr_in four;
	u32 pad;
	u64 mask[2];
	u16 mask_offset, mask_len;
	u16 rel_offset, rel_len;
	u16 text_offset, text_len;
	u16 strings[4];
	char text[12];
};

#define FIELD(declaration, member, sign) \
	fprintf(fp, "\tfield:%s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", declaration, offsetof(struct record, member), sizeof(((struct record *)0)->member), sign)

static void add_fields(FILE *fp)
{
	fputs("name: x\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n", fp);
	FIELD("s8 s8", s8, 1);
	FIELD("u8 u8", u8, 0);
	FIELD("s16 s16", s16, 1);
	FIELD("u16 u16", u16, 0);
	FIELD("char c", c, 1);
	FIELD("char odd", odd, 1);
	FIELD("s32 s32", s32, 1);
	FIELD("u32 u32", u32, 0);
	FIELD("s64 s64", s64, 1);
	FIELD("u64 u64", u64, 0);
	FIELD("__u8 uuid[16]", uuid, 0);
	FIELD("u8 mac[6]", mac, 0);
	FIELD("u16 halves[]", halves, 0); /* as probes have arrays */
	FIELD("s32 ints[2]", ints, 1);
	FIELD("__u8 six[28]", six, 0);
	FIELD("__u8 four[16]", four, 0);
	FIELD("unsigned long mask[2]", mask, 0);
	fprintf(fp, "\tfield:__data_loc cpumask_t cpus;\toffset:%zu;\tsize:4;\tsigned:0;\n", offsetof(struct record, mask_offset));
	fprintf(fp, "\tfield:__rel_loc u8[] rel;\toffset:%zu;\tsize:4;\tsigned:0;\n", offsetof(struct record, rel_offset));
	fprintf(fp, "\tfield:__data_loc char[] text;\toffset:%zu;\tsize:4;\tsigned:1;\n", offsetof(struct record, text_offset));
	FIELD("__data_loc char[][2] strings", strings, 1);
}

static struct record example(void)
{
	const u16 text = offsetof(struct record, text), mask = offsetof(struct record, mask);
	struct record rec = {
		.type = 1, .s8 = -1, .u8 = 255, .s16 = -2, .u16 = 65534, .c = 'k', .odd = '\001', .s32 = -3, .u32 = 4294967293, .s64 = -4, .u64 = -5,
		.uuid = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }, .mac = { 0xde, 0xad, 0, 1, 2, 3 }, .halves = { 1, 2, 0xfffe }, .ints = { -7, 8 },
		.six = { .sin6_family = AF_INET6, .sin6_port = htons(443), .sin6_addr.s6_addr = { [0] = 0x20, 1, [15] = 1 } },
		.four = { .sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(0x7f000001) },
		.mask = { 0x8000000f, 0x3 }, .mask_offset = mask, .mask_len = 16, .text_offset = text, .text_len = 6,
		.strings = { text, 6, text + 6, 4 }, .text = "hello\0you",
	};

	rec.rel_offset = text - offsetof(struct record, text_offset); /* from the end of its own 4 bytes */
	rec.rel_len = 3;
	return rec;
}

static void shows(const char *print, const char *shown)
{
	struct tp_formats *f = tp_formats__new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 8);
	const struct record rec = example();
	char *text = NULL;
	size_t size, len;
	FILE *fp = open_memstream(&text, &size);

	assert_non_null(fp);
	add_fields(fp);
	fprintf(fp, "\nprint fmt: %s\n", print);
	fclose(fp);
	assert_int_equal(tp_formats__add(f, "test", text, size), 0);
	assert_string_equal(tp_formats__text(f, &rec, sizeof(rec), 0, &len), shown);
	tp_formats__delete(f);
	free(text);
}

struct row {
	const char *print, *shown;
};

static void show_all(const struct row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		shows(rows[i].print, rows[i].shown);
}

static void numbers_have_signs_and_sizes(void **state)
{
	static const struct row rows[] = {
		{ "\"%d %d %d %lld\", REC->s8, REC->s16, REC->s32, REC->s64", "-1 -2 -3 -4" },
		{ "\"%u %u %u %llu\", REC->u8, REC->u16, REC->u32, REC->u64", "255 65534 4294967293 18446744073709551611" },
		{ "\"%x %hx %hhx %lx\", REC->s8, REC->s16, REC->s8, REC->s64", "ffffffff fffe ff fffffffffffffffc" },
		{ "\"%Lu %Ld 0x%Lx\", REC->u64, REC->s64, REC->u64", "18446744073709551611 -4 0xfffffffffffffffb" },
		{ "\"%d %u %d\", (u8)REC->s8, (unsigned int)REC->s16, (signed char)REC->u8", "255 4294967294 -1" },
		{ "\"%lu %ld %d\", (unsigned long)REC->s32, (long)REC->u32, (short)REC->u16", "18446744073709551613 4294967293 -2" },
		{ "\"%d %d %d\", REC->s8 < 0, REC->s32 < 1U, REC->s64 < 1", "1 0 1" },
		{ "\"%d %d %d\", REC->s32 / 2, REC->s32 % 2, REC->s32 >> 1", "-1 -1 -2" },
		{ "\"%u %u\", REC->u32 / 2, REC->u32 >> 1", "2147483646 2147483646" },
		{ "\"%d %d\", 10 - 3 - 2, 2 + 3 * 4 << 1", "5 28" },
		{ "\"%d %d %d\", REC->u8 & 15 == 15, !REC->s8, ~REC->s8", "1 0 0" },
		{ "\"%d %s %d\", REC->u8 ? 1 : 0 ? 2 : 3, REC->s8 > 0 ? \"plus\" : \"minus\", REC->s8 && REC->s16 || 0", "1 minus 1" },
		{ "\"%d,%d\", ((unsigned int) ((REC->u32) >> 20)), ((unsigned int) ((REC->u32) & ((1U << 20) - 1)))", "4095,1048573" },
		{ "\"%+d|%5d|%-5d|%05d|% d|%#x|%#o|%3c|\", 1, REC->s8, REC->s8, REC->s8, 1, 255, 8, REC->c", "+1|   -1|-1   |-0001| 1|0xff|010|  k|" },
		{ "\"%#x %#06x|%-#5x|%#o\", 0, 0, 0, 0", "0x0 0x0000|0x0  |0" },
		{ "\"%zu %zd %lu\", sizeof(u64), sizeof(int), sizeof(void *)", "8 4 8" },
		{ "\"%d\", ({ int a = (REC->s32); int b = (128); ((a) < (b) ? (a) : (b)); })", "-3" },
		{ "\"%llu.%09u\", __print_ns_to_secs(5000000007ULL), __print_ns_without_secs(5000000007ULL)", "5.000000007" },
		{ "\"0x%lx\", __builtin_expect(!!((unsigned long)(void *)(REC->u64) >= (unsigned long)-4095), 0) ? 0 : REC->u64", "0x0" },
	};

	show_all(rows, ARRAY_SIZE(rows));
}

static void characters_and_texts(void **state)
{
	static const struct row rows[] = {
		{ "\"[%c%c%c]\", REC->c, REC->u8 ? 'F' : ' ', REC->s8 > 0 ? 'S' : ' '", "[kF ]" },
		{ "\"'%c' %d\", REC->odd, REC->s8", "'?' -1" },
		{ "\"%s %s %.2s|%7s|%-7s|\", __get_str(text), \"a\" \"b\", __get_str(text), __get_str(text), __get_str(text)", "hello ab he|  hello|hello  |" },
		{ "\"%s%s\", __get_str(text), __get_str(text)[0] ? \" \" : \"none\"", "hello " },
		{ "\"%s|%s\", __get_str(strings[0]), __get_str(strings[1])", "hello|you" },
		{ "\"a\\tb\\\"c\\\\n 100%% %d\\n\", 1", "a?b\"c\\n 100% 1" },
	};

	show_all(rows, ARRAY_SIZE(rows));
}

static void arrays_have_elements(void **state)
{
	static const struct row rows[] = {
		{ "\"{%u,%u,%u}\", REC->halves[0], REC->halves[1], REC->halves[2]", "{1,2,65534}" },
		{ "\"{%d,%d}\", REC->ints[0], REC->ints[1]", "{-7,8}" },
		{ "\"%s\", __print_array(REC->halves, 3, 2)", "{0x1,0x2,0xfffe}" },
		{ "\"%s\", __print_array(REC->mask, 2, sizeof(u64))", "{0x8000000f,0x3}" },
		{ "\"%s %s\", __print_hex(REC->mac, 6), __print_hex_str(REC->mac, sizeof(u16))", "de ad 00 01 02 03 dead" },
		{ "\"%s\", __print_array(__get_rel_dynamic_array(rel), __get_rel_dynamic_array_len(rel), 1)", "{0x68,0x65,0x6c}" },
		{ "\"%s %d\", __print_dynamic_array(text, 1), __get_dynamic_array_len(text)", "{0x68,0x65,0x6c,0x6c,0x6f,0x0} 6" },
		{ "\"%x\", *(u16 *)REC->halves", "1" },
		{ "\"%d\", ((s32 *)REC->ints)[1]", "8" },
		{ "\"%d\", ((s32 *)__get_dynamic_array(cpus))[0]", "-2147483633" },
	};

	show_all(rows, ARRAY_SIZE(rows));
}

static void flags_and_symbols(void **state)
{
	static const struct row rows[] = {
		{ "\"%s\", __print_flags(REC->u8, \"|\", { 1, \"A\" }, { 2, \"B\" }, { 12, \"CD\" })", "A|B|CD|0xf0" },
		{ "\"%s|%s\", __print_flags(0, \"|\", { 1, \"A\" }), __print_flags(6, \"\", { 1, \"A\" }, { (1UL << 1), \"B\" }, { (1 << 2), \"C\" })", "|BC" },
		{ "\"%s\", __print_flags(REC->u8 & 7, \"|\", { 3, \"AB\" }, { 1, \"A\" }, { 4, \"C\" })", "AB|C" },
		{ "\"%s\", __print_flags(REC->s8, \"|\", { 1, \"A\" })", "A|0xfffffffffffffffe" },
		{ "\"%s %s\", __print_symbolic(REC->s8, { 0, \"none\" }, { -1, \"minus\" }), __print_symbolic(REC->u8, { -1, \"minus\" })", "minus 0xff" },
		{ "\"%s\", __print_symbolic(REC->s16, { UNKNOWN_TO_US, \"x\" }, { 1, \"one\" })", "0xfffffffffffffffe" },
		{ "\"%8s|%-6s|\", __print_symbolic(1, { 1, \"one\" }), __print_symbolic(1, { 1, \"one\" })", "     one|one   |" },
		{ "\"%s\", __print_flags(REC->u8, \"|\", { ( unsigned long)(( gfp_t)((((1UL))) << (3))), \"A\" }, { 0, ((void *)0) } )", "A|0xf7" },
		{ "\"%s\", REC->u8 ? __print_flags(REC->u8, \"|\", { 255, \"all\" }) : \"none\"", "all" },
	};

	show_all(rows, ARRAY_SIZE(rows));
}

/* By jiffies: the rest of the line is right. */
static void names_of_the_kernel_are_unknown(void **state)
{
	static const struct row rows[] = {
		{ "\"age=%lu of %d\", (jiffies - REC->u64) / 1000, REC->s8", "age=? of -1" },
		{ "\"%s %d\", REC->s8 == UNKNOWN ? \"y\" : \"n\", REC->s8", "? -1" },
	};

	show_all(rows, ARRAY_SIZE(rows));
}

static void pointers_have_forms(void **state)
{
	static const struct row rows[] = {
		{ "\"%pM %pMF %pm %pMR\", REC->mac, REC->mac, REC->mac, REC->mac", "de:ad:00:01:02:03 de-ad-00-01-02-03 dead00010203 03:02:01:00:ad:de" },
		{ "\"%pU %pUl\", REC->uuid, REC->uuid", "00010203-0405-0607-0809-0a0b0c0d0e0f 03020100-0504-0706-0809-0a0b0c0d0e0f" },
		{ "\"%pUB\", REC->uuid", "00010203-0405-0607-0809-0A0B0C0D0E0F" },
		{ "\"%pI4 %pi4\", REC->mac, REC->mac", "222.173.0.1 222.173.000.001" },
		{ "\"%pI6 %pi6\", REC->uuid, REC->uuid", "0001:0203:0405:0607:0809:0a0b:0c0d:0e0f 000102030405060708090a0b0c0d0e0f" },
		{ "\"%pISpc %pISpc %pIS\", REC->six, REC->four, REC->four", "[2001::1]:443 127.0.0.1:80 127.0.0.1" },
		{ "\"%pISpc.\", (struct sockaddr *)REC->four", "127.0.0.1:80." },
		{ "\"%*ph|%*phC|%*phD|%*phN|%3ph\", 6, REC->mac, 3, REC->mac, 3, REC->mac, 3, REC->mac, REC->mac", "de ad 00 01 02 03|de:ad:00|de-ad-00|dead00|de ad 00" },
		{ "\"%*pb %*pbl\", 66, REC->mask, 128, REC->mask", "3,00000000,8000000f 0-3,31,64-65" },
		{ "\"%s\", __get_cpumask(cpus)", "00000000,00000003,00000000,8000000f" },
		{ "\"%s\", __get_bitmask(cpus)", "00000000,00000003,00000000,8000000f" },
		{ "\"%p %p %pS\", (void *)REC->u64, (void *)0, (void *)0", "0xfffffffffffffffb (nil) 0x0" },
		{ "\"page=%p\", (((struct page *)vmemmap_base) + (REC->u8))", "page=0xff" },
	};

	show_all(rows, ARRAY_SIZE(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_signs_and_sizes),
		cmocka_unit_test(characters_and_texts),
		cmocka_unit_test(arrays_have_elements),
		cmocka_unit_test(flags_and_symbols),
		cmocka_unit_test(names_of_the_kernel_are_unknown),
		cmocka_unit_test(pointers_have_forms),
	};

	return cmocka_run_group_tests_name("event/tp-print", tests, NULL, NULL);
}
