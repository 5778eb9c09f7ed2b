// SPDX-License-Identifier: GPL-2.0
/* Cells of time: each ns of a span and each sample lies in exactly one, however they are cut. */
#include <errno.h>
#include <stdio.h>
#include "tests/unit/hist/fixture.h"
#include "ui/profile/time-cells.h"

static struct stack_trees *trees;
static struct timeline *timeline;
static struct profile_event events[2];
static const struct profile_event *const index_of[] = { &events[0], &events[1] };
static struct profile profile;

static void start(const char *first, const char *second)
{
	trees = stack_trees__new(2);
	timeline = timeline__new();
	events[0] = (struct profile_event){ .name = first };
	events[1] = (struct profile_event){ .name = second };
	profile = (struct profile){ .event = events, .nr_events = 2, .timeline = timeline, .timeline_event = index_of };
}

static void add(u32 event, u32 tid, char function, u64 time, u64 period)
{
	const struct thread thread = { .pid = 1, .tid = tid, .comm = "task" };
	struct location loc = fixture_location(function);
	struct stack_node *node = stack_tree__add(stack_trees__at(trees, event), thread.comm, NULL, &loc, period, 1);

	assert_int_equal(timeline__add(timeline, event, &thread, node, time, period, 1), 0);
}

static void end(void)
{
	stack_trees__sort(trees);
	assert_int_equal(timeline__end(timeline, trees), 0);
}

static void finish(struct time_cells *c)
{
	time_cells__exit(c);
	timeline__delete(timeline);
	stack_trees__delete(trees);
}

static u32 function_of(void *data, const struct stack_node *node)
{
	return node->name[0];
}

static struct time_cells_opts opts(u64 cell)
{
	return (struct time_cells_opts){ .cell = cell, .max = 1000, .event = TIME_CELLS_REST, .nr_rows = 100, .place = function_of };
}

/* "row:cell+len:function:weight:nr" of each point */
static void assert_points(const struct time_cells *c, const char *want)
{
	char text[1024] = "";
	size_t len = 0;

	for (u32 i = 0; i < c->nr_points; i++)
		len += snprintf(text + len, sizeof(text) - len, "%u:%u+%u:%c:%llu:%llu ", c->point[i].row, c->point[i].cell, c->point[i].len,
				(char)c->point[i].place, (unsigned long long)c->point[i].weight, (unsigned long long)c->point[i].nr);
	assert_string_equal(text, want);
}

static void samples_of_a_cell_are_one(void **state)
{
	struct time_cells c = {};
	struct time_cells_opts o = opts(10);

	start("cycles", "");
	add(0, 1, 'a', 100, 7);
	add(0, 1, 'a', 109, 7);
	add(0, 1, 'b', 109, 7);
	add(0, 1, 'a', 110, 7);
	add(0, 2, 'a', 130, 1);
	end();
	assert_true(time_cells__measure(&c, &profile));
	assert_int_equal(c.first, 100);
	assert_int_equal(c.end, 130);
	assert_int_equal(time_cells__fill(&c, &profile, &o), 0);
	assert_int_equal(c.nr_cells, 4);
	assert_points(&c, "0:0+0:a:14:2 0:0+0:b:7:1 0:1+0:a:7:1 1:3+0:a:1:1 ");
	o.max = 3;
	assert_int_equal(time_cells__fill(&c, &profile, &o), -E2BIG);
	o.max = 1000;
	o.cell = 100;
	assert_int_equal(time_cells__fill(&c, &profile, &o), 0);
	assert_points(&c, "0:0+0:a:21:3 0:0+0:b:7:1 1:0+0:a:1:1 ");
	o.one_row = true;
	assert_int_equal(time_cells__fill(&c, &profile, &o), 0);
	assert_points(&c, "0:0+0:a:22:4 0:0+0:b:7:1 ");
	o.one_row = false;
	o.nr_rows = 1;
	assert_int_equal(time_cells__fill(&c, &profile, &o), 0);
	assert_int_equal(c.point[c.nr_points - 1].row, TIME_CELLS_OTHERS);
	finish(&c);
}

static void spans_cover_cells(void **state)
{
	struct time_cells c = {};
	const struct time_cells_opts o = opts(10);

	start("offcpu-time", "wall-clock:u");
	add(0, 1, 'a', 165, 62); /* from 103 on */
	add(0, 1, 'b', 120, 20); /* two whole cells */
	add(0, 1, 'c', 108, 8);	 /* in one */
	add(0, 1, 'd', 0, 5);	 /* unknown */
	add(1, 1, 'e', 112, 4);	 /* two parts */
	end();
	assert_true(time_cells__measure(&c, &profile));
	assert_int_equal(c.first, 100);
	assert_int_equal(time_cells__fill(&c, &profile, &o), 0);
	assert_points(&c, "0:0+0:a:7:0 0:0+0:b:10:0 0:0+0:c:8:1 0:1+0:b:10:1 0:1+4:a:50:0 0:6+0:a:5:1 1:0+0:e:2:0 1:1+0:e:2:1 ");
	assert_int_equal(c.nr_timeless, 1);
	assert_int_equal(c.timeless, 5);
	finish(&c);
}

/* What was recorded is there, whatever the cells. */
static void nothing_is_lost(void **state)
{
	struct time_cells c = {};
	u64 all = 0;

	start("wall-clock", "");
	srand(1);
	for (u32 i = 0; i < 500; i++) {
		u64 period = 1 + rand() % 100000, time = 200000 + rand() % 1000000;

		add(0, 1 + i % 3, 'a' + rand() % 3, time, period);
		all += period;
	}
	end();
	assert_true(time_cells__measure(&c, &profile));
	for (u64 cell = 1; cell < 2000000; cell = 3 * cell + 1) {
		struct time_cells_opts o = opts(cell);
		u64 sum = 0, in_cells = 0, nr = 0;

		o.max = UINT32_MAX;
		assert_int_equal(time_cells__fill(&c, &profile, &o), 0);
		for (u32 i = 0; i < c.nr_points; i++) {
			sum += c.point[i].weight;
			nr += c.point[i].nr;
			assert_true(c.point[i].cell + c.point[i].len < c.nr_cells);
			for (u32 k = 0; k <= c.point[i].len; k++)
				in_cells += time_point__in_cell(&c.point[i], k);
		}
		assert_int_equal(sum, all);
		assert_int_equal(in_cells, all);
		assert_int_equal(nr, 500);
	}
	finish(&c);
}

static void columns_fit(void **state)
{
	struct time_cells c = { .first = 1000 };

	c.end = c.first + 30000000000ull;
	assert_int_equal(time_cells__column(&c, 0, 600), 1000000000);
	assert_int_equal(time_cells__column(&c, 0, 20), 10000000000);
	assert_int_equal(time_cells__column(&c, 100000000, 600), 100000000);
	assert_int_equal(time_cells__column(&c, 1, 600), 100000000);
	c.end = c.first + 400000000;
	assert_int_equal(time_cells__column(&c, 0, 600), 10000000);
	c.end = UINT64_MAX;
	assert_true(c.end / time_cells__column(&c, 0, 600) <= 600);
	assert_true(c.end / time_cells__column(&c, UINT64_MAX, 2) <= 2);
	assert_int_equal(time_cells__wider(UINT64_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_a_cell_are_one),
		cmocka_unit_test(spans_cover_cells),
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(columns_fit),
	};

	return cmocka_run_group_tests_name("time-cells", tests, NULL, NULL);
}
