// SPDX-License-Identifier: GPL-2.0
#include "util/run/loop.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* What was called, a letter each */
static char calls[64];

struct letter {
	struct run_handler h;
	char name;
	unsigned int ends_at; /* the call that ends the loop; 0: none does */
	unsigned int nr;
	int ret;
};

static int note_call(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct letter *l = data;
	size_t len = strlen(calls);

	if (len < sizeof(calls) - 1)
		calls[len] = l->name;
	if (++l->nr == l->ends_at)
		run_loop__end(loop);
	return l->ret;
}

static int set_up(void **state)
{
	memset(calls, 0, sizeof(calls));
	*state = run_loop__new(0);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	run_loop__delete(*state);
	return 0;
}

static void handlers_are_called_in_their_order(void **state)
{
	struct letter a = { .name = 'a' }, b = { .name = 'b', .ends_at = 2 }, c = { .name = 'c' }, d = { .name = 'd' };

	run_loop__add_pass(*state, &a.h, note_call, &a);
	run_loop__add_timer(*state, &b.h, 1, 1, note_call, &b); /* due since long */
	run_loop__add_pass(*state, &c.h, note_call, &c);
	run_loop__add_pass(*state, &d.h, note_call, &d);
	d.h.unless_over = true;
	assert_int_equal(run_loop__run(*state, NULL), 0);
	assert_true(run_loop__is_over(*state));
	/* Between passes that were made before the next ms came there may be more of them, without b. */
	assert_memory_equal(calls, "abcd", 4);
	assert_string_equal(calls + strlen(calls) - 3, "abc");
	assert_int_equal(a.nr, c.nr);
	assert_int_equal(a.nr, d.nr + 1);
}

static void a_loop_that_was_ended_makes_no_pass(void **state)
{
	struct letter a = { .name = 'a' };

	run_loop__add_pass(*state, &a.h, note_call, &a);
	run_loop__end(*state);
	assert_int_equal(run_loop__run(*state, NULL), 0);
	assert_string_equal(calls, "");
}

static void a_failure_ends_it_at_once(void **state)
{
	struct letter a = { .name = 'a' }, b = { .name = 'b', .ret = -EIO }, c = { .name = 'c' };

	run_loop__add_timer(*state, &a.h, 1, 0, note_call, &a);
	run_loop__add_pass(*state, &b.h, note_call, &b);
	run_loop__add_pass(*state, &c.h, note_call, &c);
	assert_int_equal(run_loop__run(*state, NULL), -EIO);
	assert_string_equal(calls, "ab");
}

static int read_byte(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct letter *l = data;
	char c;

	assert_true(l->h.ready);
	if (read(l->h.fd, &c, 1) == 1)
		return note_call(loop, data, err);
	l->h.fd = -1; /* the other end is closed */
	run_loop__end(loop);
	return 0;
}

static void a_descriptor_is_waited_for(void **state)
{
	struct letter quiet = { .name = 'q' }, none = { .name = 'n' }, a = { .name = 'a' };
	int fd[2], quiet_fd[2];

	assert_int_equal(pipe(fd) | pipe(quiet_fd), 0);
	run_loop__add_fd(*state, &none.h, -1, note_call, &none);
	run_loop__add_fd(*state, &quiet.h, quiet_fd[0], note_call, &quiet);
	run_loop__add_fd(*state, &a.h, fd[0], read_byte, &a);
	assert_int_equal(write(fd[1], "xyz", 3), 3);
	close(fd[1]);
	assert_int_equal(run_loop__run(*state, NULL), 0);
	assert_string_equal(calls, "aaa");
	close(fd[0]);
	close(quiet_fd[0]);
	close(quiet_fd[1]);
}

static void a_time_is_not_early(void **state)
{
	struct letter a = { .name = 'a', .ends_at = 1 };
	const u64 due = run_loop__now() + 20;

	run_loop__add_timer(*state, &a.h, due, 0, note_call, &a);
	assert_int_equal(run_loop__run(*state, NULL), 0);
	assert_true(run_loop__now() >= due);
	assert_string_equal(calls, "a");
	assert_int_equal(a.h.due, 0); /* once */
}

/* Of 100 times that were missed there is one call, and the next one is in step with those. */
static void missed_times_are_left_out(void **state)
{
	const u64 now = run_loop__now(), first = now > 100000 ? now - 100000 : 1;
	struct letter a = { .name = 'a', .ends_at = 1 };

	run_loop__add_timer(*state, &a.h, first, 1000, note_call, &a);
	assert_int_equal(run_loop__run(*state, NULL), 0);
	assert_int_equal(a.nr, 1);
	assert_int_equal((a.h.due - first) % 1000, 0);
	assert_true(a.h.due > now && a.h.due <= run_loop__now() + 1000);
}

static int move_on(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct letter *l = data;

	assert_int_equal(l->h.due, 0);
	l->h.due = run_loop__now() + 1;
	return note_call(loop, data, err);
}

static void a_handler_sets_its_next_time(void **state)
{
	struct letter a = { .name = 'a', .ends_at = 3 };

	run_loop__add_timer(*state, &a.h, 1, 0, move_on, &a);
	assert_int_equal(run_loop__run(*state, NULL), 0);
	assert_string_equal(calls, "aaa");
}

static void a_pass_is_made_so_often(void **state)
{
	struct run_loop *loop = run_loop__new(5);
	struct letter a = { .name = 'a', .ends_at = 3 };

	run_loop__add_pass(loop, &a.h, note_call, &a); /* nothing else would wake it */
	assert_int_equal(run_loop__run(loop, NULL), 0);
	assert_string_equal(calls, "aaa");
	run_loop__delete(loop);
}

static struct letter late = { .name = 'l', .ends_at = 1 };

static int add_late(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct letter *l = data;

	if (!l->nr)
		run_loop__add_pass(loop, &late.h, note_call, &late);
	return note_call(loop, data, err);
}

static void one_is_added_during_a_pass(void **state)
{
	struct letter a = { .name = 'a' }, b = { .name = 'b' };

	run_loop__add_timer(*state, &a.h, 1, 0, add_late, &a);
	run_loop__add_pass(*state, &b.h, note_call, &b);
	assert_int_equal(run_loop__run(*state, NULL), 0);
	assert_string_equal(calls, "abl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(handlers_are_called_in_their_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_loop_that_was_ended_makes_no_pass, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_failure_ends_it_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_descriptor_is_waited_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_time_is_not_early, set_up, tear_down),
		cmocka_unit_test_setup_teardown(missed_times_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_handler_sets_its_next_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_pass_is_made_so_often, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_is_added_during_a_pass, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("run/loop", tests, NULL, NULL);
}
