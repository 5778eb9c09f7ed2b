// SPDX-License-Identifier: GPL-2.0
/* Formats of a file that would make much of little: their records are shown by their fields, and nothing takes long. */
#include "util/event/tp-text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "util/event/tracepoint.h"

#define HEAD \
	"name: x\nID: 7\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
#define FIELDS \
	"\tfield:int w;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield:int a;\toffset:12;\tsize:4;\tsigned:1;\n" \
	"\tfield:char text[8];\toffset:16;\tsize:8;\tsigned:1;\n" \
	"\tfield:void * fn;\toffset:24;\tsize:8;\tsigned:0;\n\n"

struct record {
	u16 type;
	u8 pad[6];
	s32 w, a;
	char text[8];
	u64 fn;
};

static const struct record example = { .type = 7, .w = 3, .a = 42, .text = "text", .fn = 0x1000 };

static struct tp_formats *add(const char *fields, const char *print)
{
	struct tp_formats *f = tp_formats__new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 8);
	char *text;
	int size = asprintf(&text, HEAD "%sprint fmt: %s\n", fields, print);

	assert_non_null(f);
	assert_int_equal(tp_formats__add(f, "test", text, size), 0);
	free(text);
	return f;
}

static const char *shown(struct tp_formats *f, const void *raw, u32 size)
{
	size_t len;
	const char *text = tp_formats__text(f, raw, size, 0, &len);

	assert_in_range(len, 0, TP_TEXT_FIXED + TP_TEXT_PER_BYTE * (u64)size);
	return text;
}

static void prints_as(struct tp_formats *f, const struct record *rec, const char *expected)
{
	assert_string_equal(shown(f, rec, sizeof(*rec)), expected);
}

static void shows(const char *print, s32 w, s32 a, const char *expected)
{
	struct tp_formats *f = add(FIELDS, print);
	struct record rec = example;

	rec.w = w;
	rec.a = a;
	prints_as(f, &rec, expected);
	tp_formats__delete(f);
}

/* Sixteen times the text. */
static char *sixteen(const char *part)
{
	char *text = calloc(16, strlen(part) + 1);

	for (int i = 0; i < 16; i++)
		strcat(text, part);
	return text;
}

#define NOT_UNDERSTOOD "[FAILED TO PARSE] w=3 a=42 text=text fn=0x1000"

static void widths_are_bounded(void **state)
{
	static const char *const wrong[] = {
		"\"%999999999d\", REC->a", "\"%.99999999d\", REC->a", "\"%0999999999x\", REC->a", "\"%-99999999s\", REC->text",
		"\"%10000s\", REC->text", "\"%d %4000d %5000d\", REC->a, REC->a, REC->a", "\"%s%9000s\", REC->text, REC->a ? REC->text : REC->text",
		"\"%4000s\", __print_flags(REC->a, \"|\", { 1, \"a\" }, { 2, \"b\" }, { 4, \"c\" })",
		"\"%9000s\", __print_symbolic(REC->a, { 1, \"a\" })", "\"%99999999lu\", REC->a", "\"%99999999999999999999999d\", REC->a",
		/* printf would take what is behind the text for characters of four bytes. */
		"\"%ls\", REC->text", "\"%Ls\", REC->text", "\"%zs\", REC->text", "\"%4ls\", REC->text",
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		shows(wrong[i], 3, 42, NOT_UNDERSTOOD);
	shows("\"%5d|%-5d|%05d|%.3d|%6s|%.2s|%.99999s\", REC->a, REC->a, REC->a, REC->a, REC->text, REC->text, REC->text", 3, 42,
	      "   42|42   |00042|042|  text|te|text");
	shows("\"%1$d\", REC->a", 3, 42, NOT_UNDERSTOOD);
	shows("\"%%%d%%\", REC->a", 3, 42, "%42%");
}

static void whole_texts_are_bounded(void **state)
{
	char *widths = sixteen("%1000d"), *args = sixteen(", REC->a"), *words = sixteen("0123456789abcdef"), *many = sixteen(words), *print;

	assert_int_not_equal(asprintf(&print, "\"%s\"%s", widths, args), -1);
	shows(print, 3, 42, " w=3 a=42 text=text fn=0x1000");
	free(print);
	assert_int_not_equal(asprintf(&print, "\"%s\"", many), -1);
	shows(print, 3, 42, many);
	free(print);
	free(words);
	words = sixteen(many);
	assert_int_not_equal(asprintf(&print, "\"%s\"", words), -1);
	shows(print, 3, 42, NOT_UNDERSTOOD);
	free(print);
	free(widths);
	free(args);
	free(words);
	free(many);
}

static void lengths_of_records_are_bounded(void **state)
{
	static const char number[] = "\"%*d\", REC->w, REC->a", precise[] = "\"%.*d\", REC->w, REC->a", text[] = "\"%.*s\", REC->w, REC->text";
	static const s32 wrong[] = { 99999999, 1025, -1, -5, INT32_MIN, INT32_MAX };

	shows(number, 4, 42, "  42");
	shows(precise, 4, 42, "0042");
	shows(text, 2, 42, "te");
	shows(text, 300, 42, "text");
	shows("\"%*s|%d\", REC->w, REC->text, REC->a", 6, 42, "  text|42");
	shows("\"%.*s\", (int)REC->w & 0xff, REC->text", 258, 42, "te");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		char fields[64];

		snprintf(fields, sizeof(fields), " w=%d a=99999999 text=text fn=0x1000", wrong[i]);
		shows(number, wrong[i], 99999999, fields);
		shows(precise, wrong[i], 99999999, fields);
		shows("\"%*s\", REC->w, REC->text", wrong[i], 99999999, fields);
		if (wrong[i] != 1025)
			shows(text, wrong[i], 99999999, fields);
	}
}

/* What libtraceevent makes of a cast, and that it does not divide by the field it shows. */
static void casts_and_divisors_are_seen(void **state)
{
	shows("\"%d\", 1 / (u8)REC->w", 256, 42, " w=256 a=42 text=text fn=0x1000");
	shows("\"%d\", 512 / (u16)REC->w", 256, 42, "2");
	shows("\"%*d\", 1 / REC->w, REC->a", 0, 42, " w=0 a=42 text=text fn=0x1000");
	shows("\"%*d\", (u8)REC->w - 1, REC->a", 256, 42, " w=256 a=42 text=text fn=0x1000");
	shows("\"%s\", __print_array(REC->text, REC->w, 0)", 24, 42, " w=24 a=42 text=text fn=0x1000");
}

static void values_are_bounded(void **state)
{
	struct record rec = example;
	struct tp_formats *f = add(FIELDS, "\"%*d %d\", 1 / REC->w, REC->a, REC->w");
	char text[64];

	rec.w = 0;
	assert_int_equal(tp_formats__show(f, &rec, sizeof(rec), "", "a", text, sizeof(text)), 0);
	assert_string_equal(text, "42");
	tp_formats__set_raw(f);
	prints_as(f, &rec, " w=0 a=42 text=text fn=0x1000");
	tp_formats__delete(f);
}

/* Each field's bytes are there, but all fields have the same ones. */
static void fields_are_bounded(void **state)
{
	struct tp_formats *f = tp_formats__new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 8);
	struct record rec = example;
	char *text;
	size_t size;

	for (int nr = 16; nr <= 1024; nr *= 64) {
		FILE *fp = open_memstream(&text, &size);

		assert_non_null(fp);
		fputs(HEAD, fp);
		for (int i = 0; i < nr; i++)
			fprintf(fp, "\tfield:char f%d[0];\toffset:8;\tsize:0;\tsigned:0;\n", i);
		fprintf(fp, "\nprint fmt: \"\"\n");
		fclose(fp);
		assert_int_equal(tp_formats__add(f, "test", text, size), nr == 16 ? 0 : -EINVAL);
		free(text);
	}
	shown(f, &rec, sizeof(rec));
	tp_formats__delete(f);
}

/* Its sums nest as deep as they are long. */
static void formats_are_bounded(void **state)
{
	size_t nr = 200000, size = 0;
	char *print = malloc(nr * 8 + 16);

	assert_non_null(print);
	size += sprintf(print, "\"%%d\", REC->a");
	for (size_t i = 0; i < nr; i++)
		size += sprintf(print + size, "+REC->a");
	shows(print, 3, 42, NOT_UNDERSTOOD);
	free(print);
}

/* libtraceevent finds either of two formats with one id. */
static void a_second_format_is_not_trusted_for_the_first(void **state)
{
	static const char *const prints[] = { "\"%d\", REC->a", "\"%*d\", REC->w, REC->a", "\"%.*d\", REC->w, REC->a" };
	struct record rec = example;

	rec.w = 99999999;
	for (size_t first = 0; first < ARRAY_SIZE(prints); first++) {
		struct tp_formats *f = add(FIELDS, prints[first]);

		for (size_t i = 0; i < ARRAY_SIZE(prints); i++) {
			char *text;
			int size = asprintf(&text, HEAD FIELDS "print fmt: %s\n", prints[i]);

			assert_int_equal(tp_formats__add(f, "test", text, size), 0);
			free(text);
		}
		shown(f, &rec, sizeof(rec));
		tp_formats__delete(f);
	}
}

static char *name_at_length(void *data, unsigned long long *addr, char **module)
{
	return data;
}

static void names_are_bounded(void **state)
{
	struct tp_formats *f = add(FIELDS, "\"%pf\", REC->fn");
	struct record rec = example;
	char name[TP_TEXT_NAME + 2] = "", line[TP_TEXT_NAME + 32];

	memset(name, 'n', TP_TEXT_NAME);
	assert_int_equal(tp_formats__set_resolver(f, name_at_length, name), 0);
	prints_as(f, &rec, name);
	name[TP_TEXT_NAME] = 'n';
	prints_as(f, &rec, "0x1000");
	tp_formats__delete(f);

	f = add(FIELDS, "\"%s\", REC->fn");
	snprintf(line, sizeof(line), "0x1000 : \"%s\"\n", name);
	assert_int_equal(tp_formats__add_printk_formats(f, line), 0);
	assert_int_equal(tp_formats__add_printk_formats(f, "0x2000 : \"short\"\n"), 0);
	prints_as(f, &rec, "1000");
	rec.fn = 0x2000;
	prints_as(f, &rec, "short");
	tp_formats__delete(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_are_bounded),
		cmocka_unit_test(whole_texts_are_bounded),
		cmocka_unit_test(lengths_of_records_are_bounded),
		cmocka_unit_test(casts_and_divisors_are_seen),
		cmocka_unit_test(values_are_bounded),
		cmocka_unit_test(fields_are_bounded),
		cmocka_unit_test(formats_are_bounded),
		cmocka_unit_test(a_second_format_is_not_trusted_for_the_first),
		cmocka_unit_test(names_are_bounded),
	};

	/* Texts of a gigabyte are not waited for. */
	setrlimit(RLIMIT_CPU, &(struct rlimit){ 60, 60 });
	return cmocka_run_group_tests_name("event/tp-text", tests, NULL, NULL);
}
