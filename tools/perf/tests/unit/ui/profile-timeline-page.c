// SPDX-License-Identifier: GPL-2.0
/* The data of the page stay small, and complete, whatever is in the recording. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "tests/unit/hist/fixture.h"
#include "ui/profile/profile.h"

#define MAX_EVENTS 700

static struct stack_trees *trees;
static struct timeline *timeline;
static struct profile_event events[MAX_EVENTS];
static const struct profile_event *index_of[MAX_EVENTS];
static u32 nr_events;
static char page[] = "/tmp/perf-unit-page.XXXXXX";

static void start(const char *name, u32 nr)
{
	nr_events = nr;
	trees = stack_trees__new(nr);
	timeline = timeline__new();
	for (u32 i = 0; i < nr; i++) {
		events[i] = (struct profile_event){ .name = name, .stacks = stack_trees__at(trees, i) };
		index_of[i] = &events[i];
	}
}

static void add(u32 event, u32 tid, const char *chain, const char *state, u64 time, u64 period)
{
	const struct thread thread = { .pid = 1, .tid = tid, .comm = "task" };
	struct location frame[16];
	struct callchain calls = { .frame = frame, .nr = strlen(chain) };
	struct stack_node *node;

	for (u32 i = 0; i < calls.nr; i++)
		frame[i] = fixture_location(chain[i]);
	node = stack_tree__add(stack_trees__at(trees, event), thread.comm, &calls, &frame[0], state ? 0 : period, !state);
	if (state) {
		node = stack_tree__add_state(stack_trees__at(trees, event), node, state);
		stack_node__count(node, period, 1);
	}
	events[event].nr_samples++;
	events[event].total_period += period;
	assert_int_equal(timeline__add(timeline, event, &thread, node, time, period, 1), 0);
}

/* The text of the page, to be freed */
static char *written(size_t *size)
{
	const struct profile profile = { .event = events, .nr_events = nr_events, .timeline = timeline, .timeline_event = index_of, .page = page };
	struct errmsg err;
	char *text = NULL;
	FILE *fp = open_memstream(&text, size);

	stack_trees__sort(trees);
	assert_int_equal(timeline__end(timeline, trees), 0);
	assert_int_equal(profile__write_timeline(&profile, fp, &err), 0);
	fclose(fp);
	timeline__delete(timeline);
	stack_trees__delete(trees);
	return text;
}

/* The sum of all numbers in the arrays of this name; how many there are goes to nr. */
static u64 sum_of(const char *text, const char *name, u64 *nr)
{
	u64 sum = 0;

	*nr = 0;
	for (const char *at = text; (at = strstr(at, name));) {
		at += strlen(name);
		while (*at != ']') {
			char *end;

			sum += strtoull(at, &end, 10);
			++*nr;
			at = *end == ',' ? end + 1 : end;
		}
	}
	return sum;
}

static u64 number(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	assert_non_null(at);
	return strtoull(at + strlen(name), NULL, 10);
}

static void many_samples_of_many_threads(void **state)
{
	size_t size;
	u64 nr, nr_nodes;
	char *text, chain[6] = "";

	start("cycles", 1);
	srand(1);
	for (u32 i = 0; i < 400000; i++) {
		for (u32 k = 0; k < 5; k++)
			chain[k] = 'a' + rand() % 26;
		add(0, 1 + i % 3000, chain, NULL, 1000000000 + i * 10000ull, 1 + i % 5);
	}
	text = written(&size);
	assert_true(size < 16 << 20);
	assert_int_equal(sum_of(text, "\"weight\":[", &nr), events[0].total_period);
	assert_int_equal(sum_of(text, "\"nr\":[", &nr), 400000);
	assert_true(nr <= 300000);
	sum_of(text, "\"value\":[", &nr_nodes);
	assert_true(nr_nodes <= 50000 && nr_nodes > 26);
	assert_true(number(text, "\"hidden\":") > 400000);
	assert_non_null(strstr(text, "\"2500 other threads\""));
	free(text);
}

/* A stack that is cut keeps the color of its time. */
static void states_stay(void **state)
{
	size_t size;
	u64 nr;
	char *text, chain[6] = "";

	start("wall-clock", 1);
	srand(1);
	for (u32 i = 0; i < 100000; i++) {
		for (u32 k = 0; k < 5; k++)
			chain[k] = 'a' + rand() % 26;
		add(0, 1 + i % 30, chain, i % 3 ? "user" : "lock", 1000000000 + i * 10000ull, 1000);
	}
	text = written(&size);
	assert_true(size < 16 << 20);
	assert_int_equal(sum_of(text, "\"weight\":[", &nr), events[0].total_period);
	assert_true(nr <= 300000);
	assert_non_null(strstr(text, "\"[lock]\""));
	free(text);
}

static void many_events(void **state)
{
	u64 nr, nr_nodes, all = 0;
	char *text, chain[6] = "";
	size_t size;

	start("syscalls:sys_enter_x", MAX_EVENTS);
	srand(1);
	for (u32 i = 0; i < 400000; i++) {
		for (u32 k = 0; k < 5; k++)
			chain[k] = 'a' + rand() % 26;
		add(i % MAX_EVENTS, 1 + rand() % (i % MAX_EVENTS ? 5 : 3000), chain, i % 2 ? "user" : "lock", 1000000000 + i * 1000000ull, 1 + i % 5);
		all += 1 + i % 5;
	}
	text = written(&size);
	assert_true(size < 16 << 20);
	assert_int_equal(sum_of(text, "\"weight\":[", &nr), all);
	assert_true(nr <= 300000);
	assert_int_equal(sum_of(text, "\"nr\":[", &nr), 400000);
	sum_of(text, "\"value\":[", &nr_nodes);
	assert_true(nr_nodes <= 100000);
	free(text);
}

/* What another event counts in larger numbers takes no room. */
static void threads_of_each_event(void **state)
{
	size_t size;
	char *text;

	start("cycles", 2);
	for (u32 i = 0; i < 1000; i++) {
		add(0, 1 + i, "a", NULL, 1000000000 + i * 1000ull, 1000000);
		add(1, 1 + i, "a", NULL, 1000000000 + i * 1000ull, 1);
	}
	text = written(&size);
	assert_non_null(strstr(strstr(text, "\"500 other threads\"") + 1, "\"500 other threads\""));
	free(text);
}

static void nothing_has_a_time(void **state)
{
	size_t size;
	u64 nr;
	char *text;

	start("offcpu-time", 1);
	add(0, 1, "ab", NULL, 0, 7);
	text = written(&size);
	assert_int_equal(sum_of(text, "\"weight\":[", &nr), 0);
	assert_non_null(strstr(text, "\"threads\":[]"));
	assert_int_equal(sum_of(text, "\"value\":[", &nr), 21); /* of the command and both functions */
	free(text);
}

static int make_page(void **state)
{
	int fd = mkstemp(page);

	return fd < 0 || dprintf(fd, "<@profile@>") < 0 || close(fd);
}

static int remove_page(void **state)
{
	return unlink(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_samples_of_many_threads),
		cmocka_unit_test(states_stay),
		cmocka_unit_test(many_events),
		cmocka_unit_test(threads_of_each_event),
		cmocka_unit_test(nothing_has_a_time),
	};

	return cmocka_run_group_tests_name("timeline-page", tests, make_page, remove_page);
}
