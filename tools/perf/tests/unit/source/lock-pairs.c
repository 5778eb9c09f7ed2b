// SPDX-License-Identifier: GPL-2.0
/* Pairs of hits, counted as the BPF programs count them: the waits, their lengths, and the hits that make no wait. */
#include "util/source/lock-pairs.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MUTEX_SPINS (LOCK_FLAG_MUTEX | LOCK_FLAG_SPIN)
#define MAX_WAITS 8

struct waits {
	u32 nr;
	struct tally_row row[MAX_WAITS];
	u64 first_frame[MAX_WAITS], place[MAX_WAITS];
	int ret; /* of the callback */
};

static int take(void *data, const struct tally_row *row, const u64 place[2])
{
	struct waits *w = data;

	assert_true(w->nr < MAX_WAITS);
	w->row[w->nr] = *row;
	w->first_frame[w->nr] = row->nr_kstack ? row->kstack[0] : 0;
	w->place[w->nr++] = place[1];
	return w->ret;
}

static const struct lock_opts all_locks = { .types = UINT64_MAX };

static struct lock_pairs *make(const struct lock_opts *locks, const struct filter_table *filter, struct waits *waits)
{
	const struct lock_pairs_opts opts = { .locks = locks, .filter = filter, .cb = take, .data = waits };
	struct lock_pairs *pairs = lock_pairs__new(&opts);

	*waits = (struct waits){ 0 };
	assert_non_null(pairs);
	return pairs;
}

static struct lock_hit hit_of(u32 tid, u64 lock, u64 time, u32 flags)
{
	return (struct lock_hit){ .time = time, .lock = lock, .pid = tid, .tid = tid, .flags = flags, .comm = "task" };
}

static void begin(struct lock_pairs *pairs, u32 tid, u64 lock, u64 time, u32 flags)
{
	const struct lock_hit hit = hit_of(tid, lock, time, flags);

	assert_int_equal(lock_pairs__begin(pairs, &hit), 0);
}

static void end(struct lock_pairs *pairs, u32 tid, u64 lock, u64 time)
{
	const struct lock_hit hit = hit_of(tid, lock, time, 0);

	assert_int_equal(lock_pairs__end(pairs, &hit), 0);
}

/* begins = ends + unended + lost + open, as for the programs */
static void check_sum(const struct lock_pairs *pairs)
{
	const struct lock_totals *t = lock_pairs__totals(pairs);

	assert_int_equal(t->begins, t->ends + t->unended + t->lost + t->open);
}

static void a_wait_has_what_was_known_when_it_began(void **state)
{
	const u64 frames[] = { 0x111, 0x222 };
	struct waits w;
	struct lock_pairs *pairs = make(&all_locks, NULL, &w);
	struct lock_hit hit = hit_of(7, 0x1000, 100, LOCK_FLAG_WRITE);

	hit.frame = frames;
	hit.nr_frames = 2;
	hit.cgroup = 5;
	hit.place[1] = 42;
	assert_int_equal(lock_pairs__begin(pairs, &hit), 0);
	assert_int_equal(w.nr, 0);
	end(pairs, 7, 0x1000, 350);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.row[0].period, 250);
	assert_int_equal(w.row[0].least, 250);
	assert_int_equal(w.row[0].greatest, 250);
	assert_int_equal(w.row[0].count, 1);
	assert_int_equal(w.row[0].last_time, 350);
	assert_int_equal(w.row[0].lock, 0x1000);
	assert_int_equal(w.row[0].lock_type, LOCK_FLAG_WRITE);
	assert_int_equal(w.row[0].tid, 7);
	assert_int_equal(w.row[0].cgroup, 5);
	assert_string_equal(w.row[0].comm, "task");
	assert_int_equal(w.row[0].nr_kstack, 2);
	assert_int_equal(w.first_frame[0], 0x111);
	assert_int_equal(w.place[0], 42);
	check_sum(pairs);
	lock_pairs__delete(pairs);
}

/* A spinlock that an interrupt takes while the task waits for another one, and a mutex inside of a wait for a rwsem */
static void waits_of_a_task_for_several_locks_are_kept_apart(void **state)
{
	struct waits w;
	struct lock_pairs *pairs = make(&all_locks, NULL, &w);

	begin(pairs, 7, 0x1000, 100, LOCK_FLAG_READ);
	begin(pairs, 7, 0x2000, 110, LOCK_FLAG_SPIN);
	begin(pairs, 8, 0x1000, 120, LOCK_FLAG_READ);
	end(pairs, 7, 0x2000, 130);
	end(pairs, 7, 0x1000, 200);
	end(pairs, 8, 0x1000, 320);
	assert_int_equal(w.nr, 3);
	assert_int_equal(w.row[0].period, 20);
	assert_int_equal(w.row[1].period, 100);
	assert_int_equal(w.row[2].period, 200);
	check_sum(pairs);
	lock_pairs__delete(pairs);
}

static void a_mutex_that_begins_again_is_one_wait(void **state)
{
	struct waits w;
	struct lock_pairs *pairs = make(&all_locks, NULL, &w);

	begin(pairs, 7, 0x1000, 100, MUTEX_SPINS);
	begin(pairs, 7, 0x1000, 150, LOCK_FLAG_MUTEX);
	begin(pairs, 7, 0x1000, 180, MUTEX_SPINS);
	end(pairs, 7, 0x1000, 300);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.row[0].period, 200);
	assert_int_equal(w.row[0].lock_type, LOCK_FLAG_MUTEX);
	assert_int_equal(lock_pairs__totals(pairs)->begins, 1);
	check_sum(pairs);
	lock_pairs__delete(pairs);
}

static void begins_without_end_are_told(void **state)
{
	struct waits w;
	struct lock_pairs *pairs = make(&all_locks, NULL, &w);

	begin(pairs, 7, 0x1000, 100, LOCK_FLAG_READ);
	begin(pairs, 7, 0x1000, 500, LOCK_FLAG_READ);
	end(pairs, 7, 0x1000, 510);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.row[0].period, 10); /* not 410, which nobody waited */
	assert_int_equal(lock_pairs__totals(pairs)->unended, 1);
	check_sum(pairs);
	lock_pairs__delete(pairs);
}

static void ends_without_begin_are_told(void **state)
{
	const struct lock_opts spinlocks = { .types = 1ULL << LOCK_FLAG_SPIN };
	struct waits w;
	struct lock_pairs *pairs = make(&all_locks, NULL, &w);

	end(pairs, 7, 0x1000, 100);
	assert_int_equal(w.nr, 0);
	assert_int_equal(lock_pairs__totals(pairs)->early, 1);
	lock_pairs__delete(pairs);
	/* Such an end may be of a wait that was not asked for. */
	pairs = make(&spinlocks, NULL, &w);
	begin(pairs, 7, 0x1000, 50, LOCK_FLAG_READ);
	end(pairs, 7, 0x1000, 100);
	assert_int_equal(w.nr, 0);
	assert_int_equal(lock_pairs__totals(pairs)->early, 0);
	lock_pairs__delete(pairs);
}

static void waits_that_go_on_have_their_time_so_far(void **state)
{
	struct waits w;
	struct lock_pairs *pairs = make(&all_locks, NULL, &w);

	begin(pairs, 7, 0x1000, 100, LOCK_FLAG_READ);
	assert_int_equal(lock_pairs__finish(pairs, 600), 0);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.row[0].period, 500);
	assert_int_equal(lock_pairs__totals(pairs)->open, 1);
	check_sum(pairs);
	lock_pairs__delete(pairs);
}

static void idle_tasks_of_two_cpus_wait_for_themselves(void **state)
{
	struct waits w;
	struct lock_pairs *pairs = make(&all_locks, NULL, &w);
	struct lock_hit hit = hit_of(0, 0x1000, 100, LOCK_FLAG_SPIN);

	assert_int_equal(lock_pairs__begin(pairs, &hit), 0);
	hit.cpu = 1;
	hit.time = 110;
	assert_int_equal(lock_pairs__begin(pairs, &hit), 0);
	hit.time = 120;
	assert_int_equal(lock_pairs__end(pairs, &hit), 0);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.row[0].period, 10);
	assert_int_equal(lock_pairs__totals(pairs)->unended, 0);
	lock_pairs__delete(pairs);
}

static void types_and_addresses_choose(void **state)
{
	const u64 address[] = { 0x2000 };
	const struct lock_opts one = { .types = 1ULL << LOCK_FLAG_READ, .addresses = address, .nr_addresses = 1 };
	struct waits w;
	struct lock_pairs *pairs = make(&one, NULL, &w);

	begin(pairs, 7, 0x1000, 100, LOCK_FLAG_READ);
	begin(pairs, 8, 0x2000, 100, LOCK_FLAG_WRITE);
	begin(pairs, 9, 0x2000, 100, LOCK_FLAG_READ);
	assert_int_equal(lock_pairs__finish(pairs, 200), 0);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.row[0].tid, 9);
	lock_pairs__delete(pairs);
}

static void filters_by_length_judge_at_the_end(void **state)
{
	struct filter_table table;
	struct errmsg err;
	struct waits w;
	struct lock_pairs *pairs;

	assert_int_equal(filter__compile("period > 100 && comm == task", &table, &err), 0);
	pairs = make(&all_locks, &table, &w);
	begin(pairs, 7, 0x1000, 100, LOCK_FLAG_READ);
	begin(pairs, 8, 0x1000, 100, LOCK_FLAG_READ);
	begin(pairs, 9, 0x1000, 100, LOCK_FLAG_READ);
	end(pairs, 7, 0x1000, 150);
	end(pairs, 8, 0x1000, 250);
	assert_int_equal(lock_pairs__finish(pairs, 900), 0);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.row[0].tid, 8);
	assert_int_equal(lock_pairs__totals(pairs)->unjudged, 1);
	check_sum(pairs);
	lock_pairs__delete(pairs);
}

static void other_filters_judge_at_the_begin(void **state)
{
	struct filter_table table;
	struct errmsg err;
	struct waits w;
	struct lock_pairs *pairs;

	assert_int_equal(filter__compile("tid == 8 || comm == other", &table, &err), 0);
	pairs = make(&all_locks, &table, &w);
	begin(pairs, 7, 0x1000, 100, LOCK_FLAG_READ);
	begin(pairs, 8, 0x1000, 100, LOCK_FLAG_READ);
	assert_int_equal(lock_pairs__finish(pairs, 900), 0);
	assert_int_equal(w.nr, 1);
	assert_int_equal(w.row[0].tid, 8);
	lock_pairs__delete(pairs);
}

static int check_filter(const char *text, struct errmsg *err)
{
	struct filter *filter;
	struct filter_table table;
	int ret;

	assert_int_equal(filter__parse(text, &filter, err), 0);
	assert_int_equal(filter__check(filter, NULL, err), 0);
	assert_int_equal(filter__lower(filter, &table, err), 0);
	ret = lock_pairs__check_filter(filter, &table, err);
	filter__delete(filter);
	return ret;
}

static void terms_that_no_file_has_are_refused(void **state)
{
	struct errmsg err = { "" };

	assert_int_equal(check_filter("tid == 1 && pid == 2 && cpu == 3 && comm ~ 'a*' && period > 5 && time < 9", &err), 0);
	assert_int_equal(check_filter("tid == 1 && uid == 0", &err), -EINVAL);
	assert_non_null(strstr(err.text, "'uid == 0'"));
	assert_int_equal(check_filter("every 100", &err), -EINVAL);
}

static void an_error_of_the_callback_ends_the_call(void **state)
{
	struct waits w;
	struct lock_pairs *pairs = make(&all_locks, NULL, &w);
	const struct lock_hit hit = hit_of(7, 0x1000, 200, 0);

	w.ret = -ENOMEM;
	begin(pairs, 7, 0x1000, 100, LOCK_FLAG_READ);
	assert_int_equal(lock_pairs__end(pairs, &hit), -ENOMEM);
	begin(pairs, 7, 0x1000, 300, LOCK_FLAG_READ);
	assert_int_equal(lock_pairs__finish(pairs, 400), -ENOMEM);
	lock_pairs__delete(pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_has_what_was_known_when_it_began),
		cmocka_unit_test(waits_of_a_task_for_several_locks_are_kept_apart),
		cmocka_unit_test(a_mutex_that_begins_again_is_one_wait),
		cmocka_unit_test(begins_without_end_are_told),
		cmocka_unit_test(ends_without_begin_are_told),
		cmocka_unit_test(waits_that_go_on_have_their_time_so_far),
		cmocka_unit_test(idle_tasks_of_two_cpus_wait_for_themselves),
		cmocka_unit_test(types_and_addresses_choose),
		cmocka_unit_test(filters_by_length_judge_at_the_end),
		cmocka_unit_test(other_filters_judge_at_the_begin),
		cmocka_unit_test(terms_that_no_file_has_are_refused),
		cmocka_unit_test(an_error_of_the_callback_ends_the_call),
	};

	return cmocka_run_group_tests_name("lock-pairs", tests, NULL, NULL);
}
