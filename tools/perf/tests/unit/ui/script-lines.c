// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ui/script-lines.h"

static void keep(struct script_lines *l, struct chain_note *note, u64 mask, const char *s)
{
	struct text text = {};

	text__str(&text, "before");
	text__str(&text, s);
	script_lines__keep(l, note, mask, &text, strlen("before"));
	text__exit(&text);
}

static void assert_kept(const struct script_lines *l, const struct chain_note *note, u64 mask, const char *s)
{
	struct text text = {};

	assert_true(script_lines__put(l, note, mask, &text));
	assert_int_equal(text.len, strlen(s));
	assert_memory_equal(text.buf, s, text.len);
	text__exit(&text);
}

static void what_is_kept_is_put_for_its_note_and_its_fields(void **state)
{
	struct script_lines *l = script_lines__new(), *other = script_lines__new();
	struct chain_note a = {}, b = {};
	struct text text = {};

	assert_false(script_lines__put(l, NULL, 1, &text));
	assert_false(script_lines__put(l, &a, 1, &text));
	keep(l, &a, 1, "a line\n");
	keep(l, &b, 1, "another\none\n");
	assert_kept(l, &a, 1, "a line\n");
	assert_kept(l, &b, 1, "another\none\n");
	assert_false(script_lines__put(l, &a, 2, &text));
	assert_false(script_lines__put(other, &a, 1, &text));
	keep(l, &a, 2, "more");
	assert_kept(l, &a, 2, "more");
	assert_int_equal(text.len, 0);
	script_lines__delete(l);
	script_lines__delete(other);
}

/* Whatever is found is what was kept, and what is kept last is found. */
static void more_than_fits(void **state)
{
	struct script_lines *l = script_lines__new();
	struct chain_note note[1000] = {};
	u32 found = 0;
	char s[40000];

	memset(s, 'x', sizeof(s) - 1);
	s[sizeof(s) - 1] = '\0';
	for (u32 i = 0; i < ARRAY_SIZE(note); i++) {
		sprintf(s, "%u", i);
		s[strlen(s)] = 'x';
		keep(l, &note[i], 1, s);
		assert_kept(l, &note[i], 1, s);
	}
	for (u32 i = 0; i < ARRAY_SIZE(note); i++) {
		struct text text = {};

		if (script_lines__put(l, &note[i], 1, &text)) {
			assert_int_equal(strtoul(text.buf, NULL, 10), i);
			found++;
		}
		text__exit(&text);
	}
	assert_in_range(found, 1, ARRAY_SIZE(note) - 1);
	script_lines__delete(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_kept_is_put_for_its_note_and_its_fields),
		cmocka_unit_test(more_than_fits),
	};

	return cmocka_run_group_tests_name("ui/script-lines", tests, NULL, NULL);
}
