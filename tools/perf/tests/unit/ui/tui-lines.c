// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/hist/fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ui/tui/lines.h"

static const struct thread one = { .pid = 1, .tid = 1, .comm = "one" };

/* Two entries, "a" with two callers and "b" with one chain of three frames, callees first. */
static struct browser_lines *setup_lines(struct hists *hists, double min_percent)
{
	fixture_init(hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, "sym", NULL);
	fixture_add(hists, &one, "apx", 60);
	fixture_add(hists, &one, "aqy", 20);
	fixture_add(hists, &one, "bcd", 19);
	fixture_add(hists, &one, "e", 1);
	assert_int_equal(hists__sort(hists), 0);
	return browser_lines__new(hists, min_percent);
}

/* Each line with its mark, blanks closed up. */
static void assert_lines(const struct browser_lines *lines, const char *want)
{
	char got[1024] = "", text[256];
	size_t len = 0;

	for (u32 i = 0; i < browser_lines__nr(lines); i++) {
		const struct browser_line *line = browser_lines__at(lines, i);
		char *word, *rest;

		len += snprintf(got + len, sizeof(got) - len, "%s%c", i ? "\n" : "",
				line->frame || !line->can_open ? '.' : line->is_open ? '-' : '+');
		browser_lines__text(lines, i, text, sizeof(text));
		for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			len += snprintf(got + len, sizeof(got) - len, " %s", word);
	}
	assert_string_equal(got, want);
}

static void entries_are_closed_at_first(void **state)
{
	struct browser_lines *lines;
	struct hists hists;

	lines = setup_lines(&hists, 0);
	assert_lines(lines, "+ 80.00% [.] a\n+ 19.00% [.] b\n+ 1.00% [.] e");
	assert_int_equal(browser_lines__percent(lines, 1), 19);
	browser_lines__delete(lines);
	hists__exit(&hists);
}

static void what_is_below_the_limit_is_left_out(void **state)
{
	struct browser_lines *lines;
	struct hists hists;

	lines = setup_lines(&hists, 5);
	assert_lines(lines, "+ 80.00% [.] a\n+ 19.00% [.] b");
	browser_lines__delete(lines);
	hists__exit(&hists);
}

static void a_line_opens_and_closes(void **state)
{
	struct browser_lines *lines;
	struct hists hists;

	lines = setup_lines(&hists, 5);
	assert_int_equal(browser_lines__toggle(lines, 0), 0);
	assert_lines(lines, "- 80.00% [.] a\n+ 80.00% a\n+ 19.00% [.] b");
	assert_int_equal(browser_lines__toggle(lines, 1), 0); /* the branches of the callchain */
	assert_lines(lines, "- 80.00% [.] a\n- 80.00% a\n. 60.00% p\n. x\n. 20.00% q\n. y\n+ 19.00% [.] b");
	assert_true(browser_lines__percent(lines, 3) < 0);
	assert_int_equal(browser_lines__toggle(lines, 2), 0); /* nothing is below it */
	assert_int_equal(browser_lines__nr(lines), 7);
	assert_int_equal(browser_lines__toggle(lines, 0), 0);
	assert_lines(lines, "+ 80.00% [.] a\n+ 19.00% [.] b");
	browser_lines__delete(lines);
	hists__exit(&hists);
}

static void all_of_an_entry_opens_and_all_closes(void **state)
{
	struct browser_lines *lines;
	struct hists hists;

	lines = setup_lines(&hists, 5);
	assert_int_equal(browser_lines__open_entry(lines, 0), 0);
	assert_lines(lines, "- 80.00% [.] a\n- 80.00% a\n. 60.00% p\n. x\n. 20.00% q\n. y\n+ 19.00% [.] b");
	assert_int_equal(browser_lines__find(lines, hists.entry[1]), 6);
	assert_int_equal(browser_lines__close_all(lines), 0);
	assert_lines(lines, "+ 80.00% [.] a\n+ 19.00% [.] b");
	browser_lines__delete(lines);
	hists__exit(&hists);
}

static void all_entries_that_are_shown_open(void **state)
{
	struct browser_lines *lines;
	struct hists hists;

	lines = setup_lines(&hists, 0);
	assert_int_equal(browser_lines__filter(lines, "] b"), 0);
	assert_int_equal(browser_lines__open_all(lines), 0);
	assert_lines(lines, "- 19.00% [.] b\n. 19.00% b\n. c\n. d");
	assert_int_equal(browser_lines__nr_entries(lines), 1);
	assert_int_equal(browser_lines__filter(lines, ""), 0);
	assert_int_equal(browser_lines__nr(lines), 6); /* a and e stayed as they were */
	assert_int_equal(browser_lines__nr_entries(lines), 3);
	assert_int_equal(browser_lines__open_all(lines), 0);
	assert_int_equal(browser_lines__mark(lines, 0), '-');
	assert_int_equal(browser_lines__nr_entries(lines), 3);
	browser_lines__delete(lines);
	hists__exit(&hists);
}

static void zooms_leave_what_is_alike(void **state)
{
	static const struct thread two = { .pid = 2, .tid = 2, .comm = "two" };
	struct browser_lines *lines;
	struct hists hists;
	char text[256];

	fixture_init(&hists, (struct hist_opts){}, "comm,dso,sym", NULL);
	fixture_add(&hists, &one, "a", 40);
	fixture_add(&hists, &one, "B", 30);
	fixture_add(&hists, &two, "c", 20);
	fixture_add(&hists, &two, "D", 10);
	assert_int_equal(hists__sort(&hists), 0);
	lines = browser_lines__new(&hists, 0);
	assert_int_equal(browser_lines__unzoom(lines), -ENOENT);
	assert_int_equal(browser_lines__zoom(lines, BROWSER_ZOOM_DSO, 1), 0);
	assert_lines(lines, ". 30.00% one [kernel.kallsyms] [k] B\n. 10.00% two [kernel.kallsyms] [k] D");
	assert_string_equal(browser_lines__zoom_text(lines, text, sizeof(text)), ", dso: [kernel.kallsyms]");
	assert_int_equal(browser_lines__zoom(lines, BROWSER_ZOOM_THREAD, 1), 0);
	assert_lines(lines, ". 10.00% two [kernel.kallsyms] [k] D");
	assert_string_equal(browser_lines__zoom_text(lines, text, sizeof(text)), ", dso: [kernel.kallsyms], comm: two");
	assert_int_equal(browser_lines__zoom(lines, BROWSER_ZOOM_DSO, 0), 0); /* it ends, the other one stays */
	assert_lines(lines, ". 20.00% two x [.] c\n. 10.00% two [kernel.kallsyms] [k] D");
	assert_int_equal(browser_lines__unzoom(lines), 0);
	assert_int_equal(browser_lines__nr(lines), 4);
	assert_string_equal(browser_lines__zoom_text(lines, text, sizeof(text)), "");
	browser_lines__delete(lines);
	hists__exit(&hists);
}

static void no_zoom_without_a_key(void **state)
{
	struct browser_lines *lines;
	struct hists hists;

	lines = setup_lines(&hists, 0); /* of symbols alone */
	assert_int_equal(browser_lines__zoom(lines, BROWSER_ZOOM_THREAD, 0), -ENOENT);
	assert_int_equal(browser_lines__zoom(lines, BROWSER_ZOOM_DSO, 0), -ENOENT);
	assert_int_equal(browser_lines__nr(lines), 3);
	browser_lines__delete(lines);
	hists__exit(&hists);
}

static void text_chooses_entries(void **state)
{
	struct browser_lines *lines;
	struct hists hists;

	lines = setup_lines(&hists, 0);
	assert_int_equal(browser_lines__filter(lines, "] B"), 0); /* in either case */
	assert_lines(lines, "+ 19.00% [.] b");
	assert_int_equal(browser_lines__filter(lines, "nothing"), 0);
	assert_int_equal(browser_lines__nr(lines), 0);
	assert_int_equal(browser_lines__find(lines, hists.entry[0]), 0);
	assert_int_equal(browser_lines__filter(lines, ""), 0);
	assert_int_equal(browser_lines__nr(lines), 3);
	browser_lines__delete(lines);
	hists__exit(&hists);
}

static void later_lines_are_open_where_they_were(void **state)
{
	struct browser_lines *lines, *later;
	struct hists hists, more;
	u32 row = 4; /* of q */

	lines = setup_lines(&hists, 5);
	assert_int_equal(browser_lines__open_entry(lines, 0), 0);
	assert_lines(lines, "- 80.00% [.] a\n- 80.00% a\n. 60.00% p\n. x\n. 20.00% q\n. y\n+ 19.00% [.] b");
	fixture_init(&more, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, "sym", NULL);
	fixture_add(&more, &one, "apx", 10);
	fixture_add(&more, &one, "aqy", 30);
	fixture_add(&more, &one, "bcd", 60);
	assert_int_equal(hists__sort(&more), 0);
	later = browser_lines__follow(lines, &more, &row);
	assert_lines(later, "+ 60.00% [.] b\n- 40.00% [.] a\n- 40.00% a\n. 30.00% q\n. y\n. 10.00% p\n. x");
	assert_int_equal(row, 3);
	browser_lines__delete(later);
	row = 6; /* of b */
	later = browser_lines__follow(lines, &more, &row);
	assert_int_equal(row, 0);
	browser_lines__delete(later);
	browser_lines__delete(lines);
	hists__exit(&more);
	hists__exit(&hists);
}

static void a_row_stays_open_when_its_process_gets_another_name(void **state)
{
	static const struct thread renamed = { .pid = 1, .tid = 1, .comm = "other" };
	struct browser_lines *lines, *later;
	struct hists hists, more;
	u32 row = 0;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, "pid", NULL);
	fixture_add(&hists, &one, "ab", 60);
	assert_int_equal(hists__sort(&hists), 0);
	lines = browser_lines__new(&hists, 0);
	assert_int_equal(browser_lines__open_entry(lines, 0), 0);
	fixture_init(&more, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, "pid", NULL);
	fixture_add(&more, &renamed, "ab", 20);
	assert_int_equal(hists__sort(&more), 0);
	later = browser_lines__follow(lines, &more, &row);
	assert_lines(later, "- 100.00% 1:other\n. 100.00% a\n. b");
	browser_lines__delete(later);
	browser_lines__delete(lines);
	hists__exit(&more);
	hists__exit(&hists);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_closed_at_first),
		cmocka_unit_test(what_is_below_the_limit_is_left_out),
		cmocka_unit_test(a_line_opens_and_closes),
		cmocka_unit_test(all_of_an_entry_opens_and_all_closes),
		cmocka_unit_test(all_entries_that_are_shown_open),
		cmocka_unit_test(zooms_leave_what_is_alike),
		cmocka_unit_test(no_zoom_without_a_key),
		cmocka_unit_test(text_chooses_entries),
		cmocka_unit_test(later_lines_are_open_where_they_were),
		cmocka_unit_test(a_row_stays_open_when_its_process_gets_another_name),
	};

	return cmocka_run_group_tests_name("browser-lines", tests, NULL, NULL);
}
