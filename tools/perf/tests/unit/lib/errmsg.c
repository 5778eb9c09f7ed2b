// SPDX-License-Identifier: GPL-2.0
#include "util/lib/errmsg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void set_formats_and_returns_negative_errno(void **state)
{
	struct errmsg err;

	assert_int_equal(errmsg__set(&err, ENOENT, "no user \"%s\"", "nix"), -ENOENT);
	assert_string_equal(err.text, "no user \"nix\"");
}

static void set_without_errmsg_still_returns(void **state)
{
	assert_int_equal(errmsg__set(NULL, EPERM, "unseen"), -EPERM);
	errmsg__prefix(NULL, "unseen");
}

static void long_text_is_cut_and_terminated(void **state)
{
	char text[3000];
	struct errmsg err;

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	errmsg__set(&err, EINVAL, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	errmsg__prefix(&err, "place");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_memory_equal(err.text, "place: xxx", 10);
}

static void prefix_goes_before(void **state)
{
	struct errmsg err;

	errmsg__set(&err, EINVAL, "bad value");
	errmsg__prefix(&err, "event %d", 2);
	assert_string_equal(err.text, "event 2: bad value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_formats_and_returns_negative_errno),
		cmocka_unit_test(set_without_errmsg_still_returns),
		cmocka_unit_test(long_text_is_cut_and_terminated),
		cmocka_unit_test(prefix_goes_before),
	};

	return cmocka_run_group_tests_name("lib/errmsg", tests, NULL, NULL);
}
