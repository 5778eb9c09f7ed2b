// SPDX-License-Identifier: GPL-2.0
#include "util/event/tp-field.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <traceevent/event-parse.h>

#include "util/event/tracepoint.h"

static const char format[] = "name: x\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int bits;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:const char * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:bool flag;\toffset:24;\tsize:1;\tsigned:0;\n"
	"\tfield:char letter;\toffset:25;\tsize:1;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:26;\tsize:16;\tsigned:0;\n"
	"\tfield:unsigned char mac[6];\toffset:42;\tsize:6;\tsigned:0;\n"
	"\tfield:u8 raw[8];\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[6];\toffset:56;\tsize:48;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:104;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc int[] numbers;\toffset:108;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:112;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 packed;\toffset:117;\tsize:8;\tsigned:0;\n"
	"\tfield:struct timespec when;\toffset:128;\tsize:16;\tsigned:0;\n"
	"\tfield:u32 behind;\toffset:70000;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->pid\n";

static void assert_is(const struct filter_field_desc *desc, enum filter_field_kind kind, u32 offset, u32 size, bool is_signed)
{
	assert_int_equal(desc->kind, kind);
	assert_int_equal(desc->offset, offset);
	assert_int_equal(desc->size, size);
	assert_int_equal(desc->is_signed, is_signed);
}

static void kinds(void **state)
{
	static const struct {
		const char *name;
		enum filter_field_kind kind;
		u32 offset, size;
		bool is_signed;
	} fields[] = {
		{ "common_pid", FILTER_FIELD_NUMBER, 4, 4, true }, { "pid", FILTER_FIELD_NUMBER, 8, 4, true },
		{ "bits", FILTER_FIELD_NUMBER, 12, 4, false },	   { "ptr", FILTER_FIELD_NUMBER, 16, 8, false },
		{ "flag", FILTER_FIELD_NUMBER, 24, 1, false },	   { "letter", FILTER_FIELD_NUMBER, 25, 1, true },
		{ "comm", FILTER_FIELD_CHARS, 26, 16, false },	   { "mac", FILTER_FIELD_CHARS, 42, 6, false },
		{ "raw", FILTER_FIELD_OTHER, 48, 8, false },	   { "args", FILTER_FIELD_OTHER, 56, 48, false },
		{ "path", FILTER_FIELD_DATA_LOC, 104, 4, false },  { "numbers", FILTER_FIELD_OTHER, 108, 4, false },
		{ "rel", FILTER_FIELD_REL_LOC, 112, 4, false },	   { "packed", FILTER_FIELD_OTHER, 117, 8, false },
		{ "when", FILTER_FIELD_OTHER, 128, 16, false },	   { "behind", FILTER_FIELD_OTHER, 0, 0, false },
	};
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;

	assert_int_equal(tep_parse_format(tep, &event, format, strlen(format), "test"), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(fields); i++) {
		struct filter_field_desc desc = tp_field__describe(tep_find_any_field(event, fields[i].name));

		assert_is(&desc, fields[i].kind, fields[i].offset, fields[i].size, fields[i].is_signed);
	}
	tep_free(tep);
}

static const char arguments[] = "name: y\nID: 2\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int dfd;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const clockid_t which_clock;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:off_t offset;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:int * upeer;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:" TP_FIELD_TIME_TYPE " lasted;\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:int __syscall_nr;\toffset:56;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->dfd\n";

static void arguments_of_32_bits(void **state)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;

	assert_int_equal(tep_parse_format(tep, &event, arguments, strlen(arguments), "test"), 0);
	assert_true(tp_field__describe(tep_find_any_field(event, "dfd")).is_narrow);
	assert_true(tp_field__describe(tep_find_any_field(event, "which_clock")).is_narrow);
	assert_false(tp_field__describe(tep_find_any_field(event, "offset")).is_narrow);
	assert_false(tp_field__describe(tep_find_any_field(event, "flags")).is_narrow);
	assert_false(tp_field__describe(tep_find_any_field(event, "upeer")).is_narrow);
	assert_false(tp_field__describe(tep_find_any_field(event, "__syscall_nr")).is_narrow);
	assert_true(tp_field__describe(tep_find_any_field(event, "lasted")).is_time);
	assert_false(tp_field__describe(tep_find_any_field(event, "offset")).is_time);
	tep_free(tep);
}

struct seen {
	char names[512];
	const char *stop_at;
};

static int see(void *arg, const char *name)
{
	struct seen *seen = arg;

	strcat(strcat(seen->names, name), " ");
	return seen->stop_at && !strcmp(seen->stop_at, name) ? 7 : 0;
}

static void of_the_kernel(void **state)
{
	struct seen seen = { .stop_at = NULL }, stopped = { .stop_at = "filename" };
	struct filter_field_desc desc;
	struct tracepoint *tp;
	struct errmsg err;
	int ret = tracepoint__new("sched", "sched_process_exec", &tp, &err);

	if (ret && geteuid() == 0)
		fail_msg("root cannot read tracefs: %s", err.text);
	if (ret)
		skip();
	assert_int_equal(tracepoint__find_field(tp, "filename", &desc), 0);
	assert_is(&desc, FILTER_FIELD_DATA_LOC, 8, 4, false);
	assert_int_equal(tracepoint__find_field(tp, "pid", &desc), 0);
	assert_is(&desc, FILTER_FIELD_NUMBER, 12, 4, true);
	assert_int_equal(tracepoint__find_field(tp, "common_pid", &desc), 0);
	assert_int_equal(desc.offset, 4);
	assert_int_equal(tracepoint__find_field(tp, "file", &desc), -ENOENT);
	assert_int_equal(tracepoint__for_each_field(tp, see, &seen), 0);
	assert_memory_equal(seen.names, "filename pid ", 13);
	assert_non_null(strstr(seen.names, "common_pid "));
	assert_int_equal(tracepoint__for_each_field(tp, see, &stopped), 7);
	assert_string_equal(stopped.names, "filename ");
	tracepoint__delete(tp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds), cmocka_unit_test(arguments_of_32_bits),
		cmocka_unit_test(of_the_kernel),
	};

	return cmocka_run_group_tests_name("event/tp-field", tests, NULL, NULL);
}
