// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ui/script/lines.h"

#define assert_no(token) assert_int_equal(token, 0)

static void keep(struct script_lines *l, u32 callers, u64 mask, const char *s)
{
	if (script_lines__keep(l, callers, mask, s, strlen(s)))
		return;
	assert_true(script_lines__is_full(l));
	script_lines__empty(l);
	assert_int_not_equal(script_lines__keep(l, callers, mask, s, strlen(s)), 0);
}

static void assert_is(const struct script_lines *l, u64 token, const char *s)
{
	struct kept_text kept;

	assert_int_not_equal(token, 0);
	kept = script_lines__text(l, token);
	assert_int_equal(kept.len, strlen(s));
	assert_memory_equal(kept.text, s, strlen(s));
}

static void assert_kept(struct script_lines *l, u32 callers, u64 mask, const char *s)
{
	assert_is(l, script_lines__find(l, callers, mask), s);
}

static u64 keep_frame(struct script_lines *l, const struct location *frame, const char *s)
{
	return script_lines__keep_frame(l, frame->number, 1, s, strlen(s));
}

static u64 find_frame(struct script_lines *l, u32 number, u64 mask)
{
	const struct frame_lines lines = script_lines__frames(l, mask);
	const u64 *token = frame_lines__at(&lines, number);

	return token && is_line(*token) ? *token : 0;
}

static void what_is_kept_is_found_for_its_callers_and_its_fields(void **state)
{
	struct script_lines *l = script_lines__new(), *other = script_lines__new();
	const u32 a = 1, b = 100000;

	assert_no(script_lines__find(l, 0, 1));
	assert_no(script_lines__find(l, a, 1));
	keep(l, a, 1, "a line\n");
	keep(l, b, 1, "another\none\n");
	assert_kept(l, a, 1, "a line\n");
	assert_kept(l, b, 1, "another\none\n");
	assert_no(script_lines__find(l, a, 2));
	assert_no(script_lines__find(other, a, 1));
	keep(l, a, 2, "more");
	assert_kept(l, a, 2, "more");
	assert_kept(l, b, 1, "another\none\n");
	script_lines__empty(l);
	assert_no(script_lines__find(l, a, 2));
	assert_no(script_lines__find(l, b, 1));
	script_lines__delete(l);
	script_lines__delete(other);
}

static void tokens_are_enough(void **state)
{
	static const struct location frame = { .number = 7 };
	struct script_lines *l = script_lines__new();
	u64 none = script_lines__keep(l, 0, 1, NULL, 0), some = script_lines__keep(l, 0, 1, "some\nlines\n", 11);
	u64 line = keep_frame(l, &frame, "a line\n");

	assert_is(l, none, "");
	assert_is(l, some, "some\nlines\n");
	assert_is(l, line, "a line\n");
	script_lines__delete(l);
}

/* There are events of many kinds: those that come too late are not kept, and take nothing from the others. */
static void there_may_be_more_masks_than_owners(void **state)
{
	struct script_lines *l = script_lines__new();
	const u32 nr = 100;

	for (u32 i = 0; i < nr; i++)
		keep(l, 1 + i, 1000 + i, "x");
	assert_kept(l, 1, 1000, "x");
	for (u32 i = 0; i < nr; i++) {
		for (u32 mask = 1000; mask < 1000 + nr; mask++)
			assert_true(mask == 1000 + i || !script_lines__find(l, 1 + i, mask));
	}
	script_lines__delete(l);
}

static void frames_are_found_by_their_numbers(void **state)
{
	static const struct location frame[] = { { .number = 1 }, { .number = 2 }, { .number = 77777 } }, unnumbered;
	struct script_lines *l = script_lines__new();
	char text[16];

	for (u32 i = 0; i < ARRAY_SIZE(frame); i++) {
		assert_no(find_frame(l, frame[i].number, 1));
		sprintf(text, "frame %u", i);
		assert_is(l, keep_frame(l, &frame[i], text), text);
	}
	for (u32 i = 0; i < ARRAY_SIZE(frame); i++) {
		sprintf(text, "frame %u", i);
		assert_is(l, find_frame(l, frame[i].number, 1), text);
		assert_no(find_frame(l, frame[i].number, 2));
	}
	assert_is(l, keep_frame(l, &unnumbered, "x"), "x");
	assert_no(find_frame(l, unnumbered.number, 1));
	script_lines__delete(l);
}

/* As frames with equal code share it, in lines with other addresses. */
static void the_end_of_a_line_is_kept_with_it(void **state)
{
	struct script_lines *l = script_lines__new();
	const struct location frame = { .number = 7 };
	u64 line = keep_frame(l, &frame, "address code\n");

	script_lines__note_code(l, 9, 1, end_of_line(line, strlen("address")));
	assert_is(l, script_lines__find_code(l, 9, 1), " code\n");
	assert_no(script_lines__find_code(l, 9, 2));
	assert_no(script_lines__find_code(l, 10, 1));
	assert_is(l, find_frame(l, 7, 1), "address code\n");
	script_lines__delete(l);
}

/* The ends of lines of equal code: numbers go on and on, and higher ones take over. */
static void ends_of_lines_are_found_by_their_code(void **state)
{
	struct script_lines *l = script_lines__new();
	const u32 low = 3, high = 1 << 20;

	assert_no(script_lines__find_code(l, low, 1));
	assert_is(l, script_lines__keep_code(l, low, 1, " a\n", 3), " a\n");
	assert_is(l, script_lines__find_code(l, low, 1), " a\n");
	assert_no(script_lines__find_code(l, low, 2));
	assert_no(script_lines__find_code(l, low + 1, 1));
	assert_is(l, script_lines__keep_code(l, high + low, 1, " b\n", 3), " b\n");
	assert_is(l, script_lines__find_code(l, high + low, 1), " b\n");
	assert_no(script_lines__find_code(l, low, 1));
	assert_is(l, script_lines__keep_code(l, low, 1, " a\n", 3), " a\n"); /* too late to be found */
	assert_no(script_lines__find_code(l, low, 1));
	assert_no(find_frame(l, low, 1));
	script_lines__delete(l);
}

/* Numbers go on and on: a frame is never taken for one whose place it has, and soon higher ones are those that are found. */
static void a_place_is_used_again(void **state)
{
	struct script_lines *l = script_lines__new();
	struct location frame = { .number = 5 };

	for (u32 i = 0; i < 16; i++, frame.number += 1 << 16) {
		assert_no(find_frame(l, frame.number, 1));
		keep_frame(l, &frame, "x");
		if (!script_lines__is_full(l))
			continue;
		assert_no(find_frame(l, frame.number, 1));
		script_lines__empty(l);
		keep_frame(l, &frame, "x");
		assert_is(l, find_frame(l, frame.number, 1), "x");
	}
	frame.number = 5;
	keep_frame(l, &frame, "x");
	assert_no(find_frame(l, frame.number, 1));
	assert_false(script_lines__is_full(l));
	script_lines__delete(l);
}

/* Many lists drive out no single lines, but many of those drive out all. */
static void lines_stay_while_there_is_room_for_them(void **state)
{
	struct script_lines *l = script_lines__new();
	struct location frame = { .number = 1 };
	static char text[500000];

	memset(text, 'x', sizeof(text) - 1);
	keep_frame(l, &frame, "a line");
	for (u32 i = 0; i < 200; i++) {
		if (script_lines__is_full(l))
			script_lines__empty(l);
		script_lines__keep(l, 0, 1, text, sizeof(text) - 1);
		assert_is(l, find_frame(l, frame.number, 1), "a line");
	}
	script_lines__empty(l);
	for (u32 i = 0; !script_lines__is_full(l); i++)
		keep_frame(l, &(struct location){ .number = 2 + i }, text);
	script_lines__empty(l);
	assert_no(find_frame(l, frame.number, 1));
	script_lines__delete(l);
}

/* Whatever is found is what was kept, and what is kept last is found. */
static void more_than_fits(void **state)
{
	struct script_lines *l = script_lines__new();
	const u32 nr = 1000;
	u32 found = 0;
	char s[40000];

	memset(s, 'x', sizeof(s) - 1);
	s[sizeof(s) - 1] = '\0';
	for (u32 i = 0; i < nr; i++) {
		sprintf(s, "%u", i);
		s[strlen(s)] = 'x';
		keep(l, 1 + i, 1, s);
		assert_kept(l, 1 + i, 1, s);
	}
	for (u32 i = 0; i < nr; i++) {
		u64 token = script_lines__find(l, 1 + i, 1);

		if (token) {
			assert_int_equal(strtoul(script_lines__text(l, token).text, NULL, 10), i);
			found++;
		}
	}
	assert_in_range(found, 1, nr - 1);
	script_lines__delete(l);
}

static void what_would_drive_out_the_others_is_not_kept(void **state)
{
	struct script_lines *l = script_lines__new();
	size_t len = 4 << 20;
	char *text = calloc(1, len);

	assert_non_null(text);
	assert_no(script_lines__keep(l, 0, 1, text, len));
	assert_false(script_lines__is_full(l));
	free(text);
	script_lines__delete(l);
}

static void fill(struct script_lines *l)
{
	static char text[100000];

	for (u32 i = 0; !script_lines__is_full(l); i++)
		script_lines__keep(l, 1 + i, 1, text, sizeof(text));
}

/* 6 MB have 62 such texts. */
static void callers_that_come_again_get_more_room(void **state)
{
	struct script_lines *l = script_lines__new();
	u64 first;

	assert_false(script_lines__widen(l, 1)); /* there is no need */
	fill(l);
	assert_false(script_lines__widen(l, 1000));
	assert_true(script_lines__is_full(l));
	assert_false(script_lines__widen(l, 4 * 64));
	script_lines__forget_callers(l);
	assert_false(script_lines__widen(l, 4));
	script_lines__empty(l);
	first = script_lines__keep(l, 200, 1, "first", 5);
	fill(l);
	assert_true(script_lines__widen(l, 4 * 63));
	assert_false(script_lines__is_full(l));
	assert_is(l, first, "first");
	fill(l);
	assert_false(script_lines__widen(l, 1)); /* there is no more */
	script_lines__empty(l);
	assert_false(script_lines__widen(l, 1));
	fill(l);
	assert_false(script_lines__widen(l, 1));
	script_lines__delete(l);
}

static void more_frames_get_no_more_room(void **state)
{
	struct script_lines *l = script_lines__new();

	script_lines__keep(l, 1, 1, "first", 5);
	for (u32 i = 0; !script_lines__is_full(l); i++)
		keep_frame(l, &(struct location){ .number = 1 + i * 100 }, "a line");
	assert_false(script_lines__widen(l, 1));
	fill(l);
	assert_false(script_lines__widen(l, 1));
	script_lines__delete(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_of_a_line_is_kept_with_it),
		cmocka_unit_test(what_is_kept_is_found_for_its_callers_and_its_fields),
		cmocka_unit_test(tokens_are_enough),
		cmocka_unit_test(there_may_be_more_masks_than_owners),
		cmocka_unit_test(frames_are_found_by_their_numbers),
		cmocka_unit_test(ends_of_lines_are_found_by_their_code),
		cmocka_unit_test(a_place_is_used_again),
		cmocka_unit_test(lines_stay_while_there_is_room_for_them),
		cmocka_unit_test(more_than_fits),
		cmocka_unit_test(what_would_drive_out_the_others_is_not_kept),
		cmocka_unit_test(callers_that_come_again_get_more_room),
		cmocka_unit_test(more_frames_get_no_more_room),
	};

	return cmocka_run_group_tests_name("ui/script/lines", tests, NULL, NULL);
}
