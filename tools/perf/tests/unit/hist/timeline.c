// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include "tests/unit/hist/fixture.h"
#include "util/hist/timeline.h"

static struct thread threads[] = {
	{ .pid = 1, .tid = 1, .comm = "one" },
	{ .pid = 1, .tid = 2, .comm = "two" },
};

static struct stack_trees *trees;

static struct timeline *new_timeline(void)
{
	trees = stack_trees__new(2);
	return timeline__new();
}

static void end(struct timeline *t)
{
	stack_trees__sort(trees);
	assert_int_equal(timeline__end(t, trees), 0);
}

static void delete(struct timeline *t)
{
	timeline__delete(t);
	stack_trees__delete(trees);
}

/* chain: the sampled function and its callers, in letters as of the fixture. */
static struct stack_node *add(struct timeline *t, u32 event, u32 thread, const char *chain, u64 time, u64 period)
{
	struct stack_node *node;
	struct location frame[16];
	struct callchain calls = { .frame = frame, .nr = strlen(chain) };

	for (u32 i = 0; i < calls.nr; i++)
		frame[i] = fixture_location(chain[i]);
	node = stack_tree__add(stack_trees__at(trees, event), threads[thread].comm, &calls, &frame[0], period, 1);
	assert_int_equal(timeline__add(t, event, &threads[thread], node, time, period, 1), 0);
	return node;
}

/* "time:period:functions, the outermost first" of each sample */
static void assert_row(const struct timeline *t, u32 row, const char *want)
{
	char text[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < t->row[row].nr; i++) {
		const struct timeline_sample *sample = &t->row[row].sample[i];
		char name[16] = "";

		for (u32 s = timeline__stack(t, sample); s != TIMELINE_NONE; s = t->stack[s].caller) {
			memmove(name + 1, name, strlen(name) + 1);
			name[0] = t->function[t->stack[s].function].name[0];
			assert_true(t->stack[s].caller == TIMELINE_NONE || t->stack[s].caller < s);
		}
		len += snprintf(text + len, sizeof(text) - len, "%llu:%llu:%s ", (unsigned long long)sample->time,
				(unsigned long long)sample->period, name);
	}
	assert_string_equal(text, want);
}

static void rows_are_of_threads_and_events(void **state)
{
	struct timeline *t = new_timeline();

	add(t, 0, 0, "ba", 10, 1);
	add(t, 0, 1, "ba", 11, 5);
	add(t, 1, 0, "ca", 12, 3);
	add(t, 0, 0, "ca", 13, 1);
	end(t);
	assert_int_equal(t->nr_rows, 3);
	assert_int_equal(t->first, 10);
	assert_int_equal(t->last, 13);
	/* the largest first */
	assert_int_equal(t->row[0].tid, 2);
	assert_row(t, 0, "11:5:ab ");
	assert_int_equal(t->row[1].event, 1);
	assert_row(t, 1, "12:3:ac ");
	assert_string_equal(t->row[2].comm, "one");
	assert_int_equal(t->row[2].total_period, 2);
	assert_row(t, 2, "10:1:ab 13:1:ac ");
	/* a, a-b and a-c are shared by all */
	assert_int_equal(t->nr_stacks, 3);
	assert_int_equal(t->nr_functions, 3);
	delete(t);
}

static void samples_are_put_in_the_order_of_time(void **state)
{
	struct timeline *t = new_timeline();

	add(t, 0, 0, "a", 30, 1);
	add(t, 0, 0, "b", 0, 2); /* unknown */
	add(t, 0, 0, "c", 20, 3);
	end(t);
	assert_row(t, 0, "0:2:b 20:3:c 30:1:a ");
	assert_int_equal(t->first, 20);
	delete(t);
}

static void states_are_innermost_frames(void **state)
{
	struct timeline *t = new_timeline();
	struct stack_node *node = add(t, 0, 0, "ba", 10, 1);

	node = stack_tree__add_state(stack_trees__at(trees, 0), node, "sleeping");
	assert_int_equal(timeline__add(t, 0, &threads[0], node, 20, 2, 1), 0);
	end(t);
	assert_row(t, 0, "10:1:ab 20:2:ab[ ");
	assert_int_equal(t->nr_stacks, 3);
	assert_int_equal(t->function[t->nr_functions - 1].kind, STACK_STATE);
	delete(t);
}

static void many_samples_and_threads_have_room(void **state)
{
	struct timeline *t = new_timeline();
	struct thread thread = { .pid = 1, .comm = "many" };
	struct location loc = fixture_location('a');

	for (u32 i = 0; i < 100000; i++) {
		thread.tid = i % 1000;
		assert_int_equal(timeline__add(t, 0, &thread, stack_tree__add(stack_trees__at(trees, 0), "many", NULL, &loc, 1, 1), i + 1, 1, 1), 0);
	}
	end(t);
	assert_int_equal(t->nr_rows, 1000);
	for (u32 i = 0; i < t->nr_rows; i++)
		assert_int_equal(t->row[i].nr, 100);
	assert_int_equal(t->nr_stacks, 1);
	delete(t);
}

static void nothing_was_added(void **state)
{
	struct timeline *t = new_timeline();

	end(t);
	assert_int_equal(t->nr_rows + t->nr_stacks + t->nr_functions, 0);
	delete(t);
	timeline__delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_of_threads_and_events),
		cmocka_unit_test(samples_are_put_in_the_order_of_time),
		cmocka_unit_test(states_are_innermost_frames),
		cmocka_unit_test(many_samples_and_threads_have_room),
		cmocka_unit_test(nothing_was_added),
	};

	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
