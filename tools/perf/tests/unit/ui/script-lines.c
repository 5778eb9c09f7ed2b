// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ui/script-lines.h"

/* A line, and the list of it alone. */
static bool try_keep(struct script_lines *l, struct chain_note *note, u64 mask, const char *s)
{
	const struct kept_lines *line = script_lines__keep(l, s, strlen(s));

	return line && script_lines__keep_list(l, note, mask, &line, 1);
}

static void keep(struct script_lines *l, struct chain_note *note, u64 mask, const char *s)
{
	if (try_keep(l, note, mask, s))
		return;
	assert_true(script_lines__is_full(l));
	script_lines__empty(l);
	assert_true(try_keep(l, note, mask, s));
}

static void assert_line(const struct kept_lines *lines, u32 i, const char *s)
{
	assert_int_equal(lines->line[i].len, strlen(s));
	assert_memory_equal(kept_lines__text(lines, i), s, strlen(s));
}

static void assert_is(const struct kept_lines *line, const char *s)
{
	assert_non_null(line);
	assert_int_equal(line->nr, 1);
	assert_line(line, 0, s);
}

static void assert_kept(struct script_lines *l, const struct chain_note *note, u64 mask, const char *s)
{
	assert_is(script_lines__find_list(l, note, mask), s);
}

static void what_is_kept_is_found_for_its_note_and_its_fields(void **state)
{
	struct script_lines *l = script_lines__new(), *other = script_lines__new();
	struct chain_note a = {}, b = {};

	assert_null(script_lines__find_list(l, NULL, 1));
	assert_null(script_lines__find_list(l, &a, 1));
	keep(l, &a, 1, "a line\n");
	keep(l, &b, 1, "another\none\n");
	assert_kept(l, &a, 1, "a line\n");
	assert_kept(l, &b, 1, "another\none\n");
	assert_null(script_lines__find_list(l, &a, 2));
	assert_null(script_lines__find_list(other, &a, 1));
	keep(l, &a, 2, "more");
	assert_kept(l, &a, 2, "more");
	assert_kept(l, &b, 1, "another\none\n");
	script_lines__empty(l);
	assert_null(script_lines__find_list(l, &a, 2));
	assert_null(script_lines__find_list(l, &b, 1));
	script_lines__delete(l);
	script_lines__delete(other);
}

/* The same lines may be in many lists. */
static void lists_have_their_lines_in_order(void **state)
{
	static const char *const text[] = { "the first\n", "", "a third one that is longer than what is copied at once\n" };
	struct script_lines *l = script_lines__new();
	const struct kept_lines *line[6], *list;
	struct chain_note note = {};

	for (u32 i = 0; i < ARRAY_SIZE(line); i++)
		line[i] = i < ARRAY_SIZE(text) ? script_lines__keep(l, text[i], strlen(text[i])) : line[i % ARRAY_SIZE(text)];
	list = script_lines__keep_list(l, &note, 1, line, ARRAY_SIZE(line));
	assert_non_null(list);
	assert_ptr_equal(list, script_lines__find_list(l, &note, 1));
	assert_int_equal(list->nr, ARRAY_SIZE(line));
	for (u32 i = 0; i < ARRAY_SIZE(line); i++)
		assert_line(list, i, text[i % ARRAY_SIZE(text)]);
	script_lines__delete(l);
}

/* There are events of many kinds: those that come too late are not kept, and take nothing from the others. */
static void there_may_be_more_masks_than_owners(void **state)
{
	struct script_lines *l = script_lines__new();
	struct chain_note note[100] = {};

	for (u32 i = 0; i < ARRAY_SIZE(note); i++)
		keep(l, &note[i], 1000 + i, "x");
	assert_kept(l, &note[0], 1000, "x");
	for (u32 i = 0; i < ARRAY_SIZE(note); i++) {
		for (u32 mask = 1000; mask < 1000 + ARRAY_SIZE(note); mask++)
			assert_true(mask == 1000 + i || !script_lines__find_list(l, &note[i], mask));
	}
	script_lines__delete(l);
}

static void frames_are_found_by_their_numbers(void **state)
{
	static const struct location frame[] = { { .number = 1 }, { .number = 2 }, { .number = 77777 } }, unnumbered;
	struct script_lines *l = script_lines__new();
	char text[16];

	for (u32 i = 0; i < ARRAY_SIZE(frame); i++) {
		assert_null(script_lines__find_frame(l, &frame[i], 1));
		sprintf(text, "frame %u", i);
		script_lines__note_frame(l, &frame[i], 1, script_lines__keep(l, text, strlen(text)));
	}
	for (u32 i = 0; i < ARRAY_SIZE(frame); i++) {
		sprintf(text, "frame %u", i);
		assert_is(script_lines__find_frame(l, &frame[i], 1), text);
		assert_null(script_lines__find_frame(l, &frame[i], 2));
	}
	script_lines__note_frame(l, &unnumbered, 1, script_lines__keep(l, text, strlen(text)));
	assert_null(script_lines__find_frame(l, &unnumbered, 1));
	script_lines__empty(l);
	assert_null(script_lines__find_frame(l, &frame[0], 1));
	script_lines__delete(l);
}

/* Numbers go on and on: a frame is never taken for one whose place it has, and soon higher ones are those that are found. */
static void a_place_is_used_again(void **state)
{
	struct script_lines *l = script_lines__new();
	const struct kept_lines *line = script_lines__keep(l, "x", 1);
	struct location frame = { .number = 5 };

	for (u32 i = 0; i < 16; i++, frame.number += 1 << 16) {
		assert_null(script_lines__find_frame(l, &frame, 1));
		script_lines__note_frame(l, &frame, 1, line);
		if (!script_lines__is_full(l))
			continue;
		assert_null(script_lines__find_frame(l, &frame, 1));
		script_lines__empty(l);
		line = script_lines__keep(l, "x", 1);
		script_lines__note_frame(l, &frame, 1, line);
		assert_is(script_lines__find_frame(l, &frame, 1), "x");
	}
	frame.number = 5;
	script_lines__note_frame(l, &frame, 1, line);
	assert_null(script_lines__find_frame(l, &frame, 1));
	assert_false(script_lines__is_full(l));
	script_lines__delete(l);
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
		const struct kept_lines *list = script_lines__find_list(l, &note[i], 1);

		if (list) {
			assert_int_equal(strtoul(kept_lines__text(list, 0), NULL, 10), i);
			found++;
		}
	}
	assert_in_range(found, 1, ARRAY_SIZE(note) - 1);
	script_lines__delete(l);
}

static void what_would_drive_out_the_others_is_not_kept(void **state)
{
	struct script_lines *l = script_lines__new();
	size_t len = 4 << 20;
	char *text = calloc(1, len);

	assert_non_null(text);
	assert_null(script_lines__keep(l, text, len));
	assert_false(script_lines__is_full(l));
	free(text);
	script_lines__delete(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_kept_is_found_for_its_note_and_its_fields),
		cmocka_unit_test(lists_have_their_lines_in_order),
		cmocka_unit_test(there_may_be_more_masks_than_owners),
		cmocka_unit_test(frames_are_found_by_their_numbers),
		cmocka_unit_test(a_place_is_used_again),
		cmocka_unit_test(more_than_fits),
		cmocka_unit_test(what_would_drive_out_the_others_is_not_kept),
	};

	return cmocka_run_group_tests_name("ui/script-lines", tests, NULL, NULL);
}
