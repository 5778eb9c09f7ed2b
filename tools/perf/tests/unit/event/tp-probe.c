// SPDX-License-Identifier: GPL-2.0
/* Arguments of probes: how their types print, and texts that the kernel could not read. Also names in print formats whose values others know. */
#include "util/event/tracepoint.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define HEAD "name: w\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"

struct record { /* in the order in which the kernel packs a probe's arguments */
	u16 type, pad[3];
	u64 probe_ip, big;
	u8 c, x8;
	u16 bad[2];
	u64 arr[2];
	u8 ca[2];
	u16 texts[4];
	s32 neg;
	char text[4];
} __attribute__((packed));

#define FIELD(declaration, member, sign) \
	fprintf(fp, "\tfield:%s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", declaration, offsetof(struct record, member), sizeof(((struct record *)0)->member), sign)

static char *make_format(void)
{
	size_t size;
	char *text;
	FILE *fp = open_memstream(&text, &size);

	fputs(HEAD, fp);
	FIELD("unsigned long __probe_ip", probe_ip, 0);
	FIELD("u64 big", big, 0);
	FIELD("u8 c", c, 0);
	FIELD("u8 x8", x8, 0);
	FIELD("__data_loc char[] bad", bad, 1);
	FIELD("u64 arr[]", arr, 0);
	FIELD("u8 ca[]", ca, 0);
	FIELD("__data_loc char[][2] texts", texts, 1);
	FIELD("s32 neg", neg, 1);
	fputs("\nprint fmt: \"(%lx) big=%Lu c='%c' x8=0x%x bad=\\\"%s\\\" arr={%Lu,%Lu} ca={'%c','%c'} texts={\\\"%s\\\",\\\"%s\\\"} neg=%d\", "
	      "REC->__probe_ip, REC->big, REC->c, REC->x8, __get_str(bad), REC->arr[0], REC->arr[1], REC->ca[0], REC->ca[1], "
	      "__get_str(texts[0]), __get_str(texts[1]), REC->neg\n", fp);
	fclose(fp);
	return text;
}

static const struct record record = {
	.type = 1, .probe_ip = 0x1000, .big = 1ULL << 63, .c = 'A', .x8 = 0x41, .bad = { sizeof(struct record), 0 }, .arr = { ~2ULL, 4 },
	.ca = { 'x', 'y' }, .texts = { offsetof(struct record, text), 3, offsetof(struct record, text), 3 }, .neg = -5, .text = "ok",
};

static struct tp_formats *formats_of(const char *format)
{
	struct tp_formats *f = tp_formats__new(false, 8);

	assert_non_null(f);
	assert_int_equal(tp_formats__add(f, "probes", format, strlen(format)), 0);
	return f;
}

struct found {
	const struct tp_formats *f;
	const char *name;
	struct tp_field field, element[2];
};

static int take(void *arg, const struct tp_field *field)
{
	struct found *found = arg;

	if (strcmp(field->name, found->name))
		return 0;
	found->field = *field;
	for (u32 i = 0; i < field->nr_elements && i < 2; i++)
		tp_formats__element(found->f, field, i, &found->element[i]);
	return 1;
}

static struct found find(const struct tp_formats *f, const struct record *r, const char *name)
{
	struct found found = { .f = f, .name = name };

	assert_int_equal(tp_formats__for_each_value(f, r, sizeof(*r), take, &found), 1);
	return found;
}

static void types_say_how_numbers_print(void **state)
{
	char *format = make_format();
	struct tp_formats *f = formats_of(format);

	assert_int_equal(find(f, &record, "big").field.conversion, 'u');
	assert_int_equal(find(f, &record, "c").field.conversion, 'c');
	assert_int_equal(find(f, &record, "x8").field.conversion, 'x');
	assert_int_equal(find(f, &record, "neg").field.conversion, 'd');
	assert_int_equal(find(f, &record, "arr").element[0].conversion, 'u');
	assert_int_equal(find(f, &record, "arr").element[0].number, ~2ULL);
	assert_int_equal(find(f, &record, "ca").element[1].conversion, 'c');
	assert_int_equal(find(f, &record, "ca").element[1].number, 'y');
	tp_formats__delete(f);
	free(format);
}

static void texts_may_be_unreadable(void **state)
{
	char *format = make_format();
	struct tp_formats *f = formats_of(format);
	struct record r = record;
	struct found texts;
	size_t len;

	assert_true(find(f, &r, "bad").field.is_fault);
	texts = find(f, &r, "texts");
	assert_int_equal(texts.field.nr_elements, 2);
	assert_false(texts.element[0].is_fault);
	assert_memory_equal(texts.element[1].bytes, "ok", 3);
	assert_string_equal(tp_formats__text(f, &r, sizeof(r), 0, &len), "(1000) big=9223372036854775808 c='A' x8=0x41 bad=(fault) "
			    "arr={18446744073709551613,4} ca={'x','y'} texts={\"ok\",\"ok\"} neg=-5");
	/* The pointers could not be read: the kernel says so for the first one, and leaves what was there for the others. */
	r.texts[1] = 0;
	r.texts[2] = 60000;
	r.texts[3] = 1000;
	texts = find(f, &r, "texts");
	assert_true(texts.element[0].is_fault);
	assert_true(texts.element[1].is_fault);
	assert_string_equal(tp_formats__text(f, &r, sizeof(r), 0, &len), "(1000) big=9223372036854775808 c='A' x8=0x41 bad=(fault) "
			    "arr={18446744073709551613,4} ca={'x','y'} texts={(fault),(fault)} neg=-5");
	tp_formats__delete(f);
	free(format);
}

/* --- names of the kernel --- */

static bool constant(void *data, const char *name, u64 *value)
{
	*value = !strcmp(name, "ENUM_REL") ? 1 : 1 << 4;
	return !strcmp(name, "ENUM_REL") || !strcmp(name, "ENUM_BIT");
}

static void check_names(bool known, const char *expected)
{
	static const char format[] = HEAD "\tfield:u32 a;\toffset:4;\tsize:4;\tsigned:0;\n\nprint fmt: \"mode=%s state=%s\", "
		"__print_symbolic(REC->a, { ENUM_REL, \"REL\" }, { ENUM_OTHER, \"OTHER\" }), "
		"__print_flags(REC->a, \"|\", { 1 << ENUM_REL, \"TWO\" }, { ENUM_BIT, \"BIT\" })\n";
	const u32 one[2] = { 1, 1 }, both[2] = { 1, 0x12 };
	struct tp_formats *f = tp_formats__new(false, 8);
	size_t len;

	assert_non_null(f);
	if (known)
		tp_formats__set_constants(f, constant, NULL);
	assert_int_equal(tp_formats__add(f, "test", format, strlen(format)), 0);
	assert_string_equal(tp_formats__text(f, one, sizeof(one), 0, &len), known ? "mode=REL state=0x1" : "mode=0x1 state=0x1");
	assert_string_equal(tp_formats__text(f, both, sizeof(both), 0, &len), expected);
	tp_formats__delete(f);
}

static void names_have_values_that_others_know(void **state)
{
	check_names(true, "mode=0x12 state=TWO|BIT");
	check_names(false, "mode=0x12 state=0x12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_say_how_numbers_print),
		cmocka_unit_test(texts_may_be_unreadable),
		cmocka_unit_test(names_have_values_that_others_know),
	};

	return cmocka_run_group_tests_name("tp-probe", tests, NULL, NULL);
}
