// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-added.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/event/tracepoint.h"

#define COMMON \
	"name: door\nID: 77\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char own[] = COMMON
	"\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] text;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"number=%d \\\"\" \"text=%s\", REC->number, __get_str(text)\n";

static const struct tp_added_field fields[] = {
	{ "dev_name", 16, 8, .is_text = true },
	{ "len", 24, 2, .is_signed = true },
	{ "sk", 32, 8, .is_address = true },
};
static const struct tp_added added = { fields, 3, 32 };

static void own_fields_move_and_new_ones_are_printed(void **state)
{
	size_t size;
	char *format = tp_added__format(own, strlen(own), &added, &size);

	assert_non_null(format);
	assert_int_equal(size, strlen(format));
	assert_string_equal(format, COMMON
		"\tfield:int number;\toffset:40;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] text;\toffset:44;\tsize:4;\tsigned:1;\n"
		"\tfield:u32 no_value;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:char dev_name[8];\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:s16 len;\toffset:24;\tsize:2;\tsigned:1;\n"
		"\tfield:u64 sk;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\nprint fmt: \"number=%d \\\"\" \"text=%s dev_name=%s len=%hd%s sk=0x%llx%s\", REC->number, __get_str(text)"
		", REC->no_value & 1 ? \"(no value)\" : REC->dev_name, REC->len, REC->no_value & 2 ? \" (no value)\" : \"\""
		", REC->sk, REC->no_value & 4 ? \" (no value)\" : \"\"\n");
	free(format);
}

struct record {
	u16 type;
	u8 flags, preempt_count;
	s32 pid;
	u32 no_value, pad;
	char dev_name[8];
	int16_t len, more[3];
	u64 sk;
	s32 number;
	u32 text;
	char bytes[4];
};

static const char *text_of(struct tp_formats *f, const struct record *record)
{
	size_t len;

	return tp_formats__text(f, record, sizeof(*record), 0, &len);
}

static void records_are_printed_with_what_there_is(void **state)
{
	struct record record = { .type = 77, .dev_name = "lo", .len = -3, .sk = 0x1234, .number = 5, .bytes = "abc",
				 .text = offsetof(struct record, bytes) | 4 << 16 };
	struct tp_formats *f = tp_formats__new(false, 8);
	size_t size;
	char *format = tp_added__format(own, strlen(own), &added, &size);

	assert_non_null(format);
	assert_int_equal(tp_formats__add(f, "test", format, size), 0);
	assert_string_equal(text_of(f, &record), "number=5 \"text=abc dev_name=lo len=-3 sk=0x1234");
	record = (struct record){ .type = 77, .no_value = 7 };
	assert_string_equal(text_of(f, &record), "number=0 \"text= dev_name=(no value) len=0 (no value) sk=0x0 (no value)");
	free(format);
	tp_formats__delete(f);
}

static void other_forms_are_refused(void **state)
{
	static const char *const wrong[] = {
		"", COMMON, COMMON "\nprint fmt: REC->number\n", COMMON "\nprint fmt: \"without an end\\\"",
		COMMON "\tfield:int number;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
		COMMON "\tfield:int number;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
		"name: x\nformat:\n\tfield:u8 common_lazy;\toffset:8;\tsize:1;\tsigned:0;\n\nprint fmt: \"\"\n",
	};
	size_t size;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		errno = 0;
		assert_null(tp_added__format(wrong[i], strlen(wrong[i]), &added, &size));
		assert_int_equal(errno, EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_fields_move_and_new_ones_are_printed),
		cmocka_unit_test(records_are_printed_with_what_there_is),
		cmocka_unit_test(other_forms_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
