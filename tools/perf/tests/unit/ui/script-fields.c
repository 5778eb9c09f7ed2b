// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ui/script/fields.h"

static void parse(struct script_fields *f, const char *text)
{
	struct errmsg err;

	script_fields__init(f);
	assert_int_equal(script_fields__parse(f, text, &err), 0);
}

static void a_list_replaces_the_defaults(void **state)
{
	struct script_fields f;

	parse(&f, "comm,ip");
	for (int i = 0; i < SCRIPT_NR_TYPES; i++) {
		assert_int_equal(f.type[i].fields, SCRIPT_COMM | SCRIPT_IP);
		assert_int_equal(f.type[i].asked, SCRIPT_COMM | SCRIPT_IP);
	}
}

static void signs_change_the_defaults(void **state)
{
	struct script_fields before, f;

	script_fields__init(&before);
	parse(&f, "+addr,-time");
	assert_int_equal(f.type[SCRIPT_SW].fields, (before.type[SCRIPT_SW].fields | SCRIPT_ADDR) & ~SCRIPT_TIME);
	assert_int_equal(f.type[SCRIPT_SW].asked, SCRIPT_ADDR);
}

static void a_type_limits_the_list(void **state)
{
	struct script_fields before, f;

	script_fields__init(&before);
	parse(&f, "sw:comm");
	assert_int_equal(f.type[SCRIPT_SW].fields, SCRIPT_COMM);
	assert_int_equal(f.type[SCRIPT_HW].fields, before.type[SCRIPT_HW].fields);
	assert_false(f.type[SCRIPT_HW].given);
}

static void only_tracepoints_have_trace(void **state)
{
	struct script_fields f;

	parse(&f, "trace,comm");
	assert_int_equal(f.type[SCRIPT_TRACEPOINT].fields, SCRIPT_TRACE | SCRIPT_COMM);
	assert_int_equal(f.type[SCRIPT_HW].fields, SCRIPT_COMM);
}

static void symbols_are_needed_for_addresses_and_fields(void **state)
{
	struct script_fields f;

	script_fields__init(&f);
	assert_true(script_fields__need_symbols(&f));
	parse(&f, "comm,time");
	assert_false(script_fields__need_symbols(&f));
	parse(&f, "comm,ip");
	assert_true(script_fields__need_symbols(&f));
	parse(&f, "trace");
	assert_true(script_fields__need_symbols(&f));
	parse(&f, "sw:comm");
	assert_true(script_fields__need_symbols(&f));
}

static void a_type_may_have_no_fields_at_all(void **state)
{
	struct script_fields before, f;

	script_fields__init(&before);
	parse(&f, "trace:");
	assert_int_equal(f.type[SCRIPT_TRACEPOINT].fields, 0);
	assert_true(f.type[SCRIPT_TRACEPOINT].given);
	assert_int_equal(f.type[SCRIPT_SW].fields, before.type[SCRIPT_SW].fields);
}

static void a_type_may_change_alone(void **state)
{
	struct script_fields before, f;

	script_fields__init(&before);
	parse(&f, "sw:-cpu,-period");
	assert_int_equal(f.type[SCRIPT_SW].fields, before.type[SCRIPT_SW].fields & ~(SCRIPT_CPU | SCRIPT_PERIOD));
	assert_int_equal(f.type[SCRIPT_CACHE].fields, before.type[SCRIPT_CACHE].fields);
}

/* What was asked for all types has to be there, what was asked for one is shown where it is. */
static void only_lists_for_all_types_insist(void **state)
{
	struct script_fields f;

	parse(&f, "sw:comm,iregs");
	assert_int_equal(f.type[SCRIPT_SW].fields, SCRIPT_COMM | SCRIPT_IREGS);
	assert_int_equal(f.type[SCRIPT_SW].asked, 0);
}

static void wrong_lists_are_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{ "comm,foo", "'foo'; the fields are: comm, tid" },
		{ "comm,", "''" },
		{ "comm,,ip", "''" },
		{ "", "Cannot set fields to 'none'" },
		{ "sw:comm,trace", "'trace' not valid for software events." },
		{ "hw:bpf-output", "'bpf-output' not valid for hardware events." },
		{ "comm,brstackinsn", "Field 'brstackinsn' cannot be shown: " },
		{ "comm,+ip", "Cannot mix" },
		{ "+ip,comm", "Cannot mix" },
		{ "xx:comm", "Invalid event type" },
		{ ":comm", "Invalid event type" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct script_fields f;
		struct errmsg err;

		script_fields__init(&f);
		assert_int_equal(script_fields__parse(&f, wrong[i].text, &err), -EINVAL);
		if (!strstr(err.text, wrong[i].says))
			fail_msg("'%s' says: %s", wrong[i].text, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_replaces_the_defaults),
		cmocka_unit_test(signs_change_the_defaults),
		cmocka_unit_test(a_type_limits_the_list),
		cmocka_unit_test(only_tracepoints_have_trace),
		cmocka_unit_test(symbols_are_needed_for_addresses_and_fields),
		cmocka_unit_test(a_type_may_have_no_fields_at_all),
		cmocka_unit_test(a_type_may_change_alone),
		cmocka_unit_test(only_lists_for_all_types_insist),
		cmocka_unit_test(wrong_lists_are_refused),
	};

	return cmocka_run_group_tests_name("ui/script/fields", tests, NULL, NULL);
}
