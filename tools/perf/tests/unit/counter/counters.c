// SPDX-License-Identifier: GPL-2.0
/* Events on this thread: software events have known counts everywhere. */
#include "util/counter/counters.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "util/counter/cells.h"

struct fixture {
	struct evlist *evlist;
	struct counters *counters;
};

static struct fixture open_on(const char *spec, pid_t tid)
{
	const struct counters_target target = { .tids = &tid, .nr_tids = 1 };
	struct fixture f = { .evlist = evlist__new() };
	struct errmsg err;

	assert_int_equal(evlist__parse(f.evlist, spec, NULL, &err), 0);
	f.counters = counters__new(f.evlist);
	assert_non_null(f.counters);
	assert_int_equal(counters__open(f.counters, &target, NULL, NULL, &err), 0);
	return f;
}

static void discard(struct fixture *f)
{
	counters__delete(f->counters);
	evlist__delete(f->evlist);
}

#define NR_PAGES 100
static void touch_pages(void)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, NR_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, NR_PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < NR_PAGES; i++)
		((volatile char *)memory)[i * page] = 1;
	munmap(memory, NR_PAGES * page);
}

static u64 value_of(const struct fixture *f, unsigned int event, enum counter_span span)
{
	struct counter_value value;

	assert_true(counters__value(f->counters, event, 0, span, &value));
	return value.value;
}

static void counts_only_while_enabled(void **state)
{
	struct fixture f = open_on("page-faults:u,dummy:u", getpid());
	u64 first;

	touch_pages();
	assert_int_equal(counters__read(f.counters, NULL), 0);
	assert_int_equal(value_of(&f, 0, COUNTER_TOTAL), 0);
	assert_false(counters__was_on(f.counters, 0, COUNTER_TOTAL));
	assert_int_equal(counters__enable(f.counters, true, NULL), 0);
	touch_pages();
	assert_int_equal(counters__enable(f.counters, false, NULL), 0);
	touch_pages();
	assert_int_equal(counters__read(f.counters, NULL), 0);
	first = value_of(&f, 0, COUNTER_TOTAL);
	assert_in_range(first, NR_PAGES, NR_PAGES + 20);
	assert_int_equal(value_of(&f, 1, COUNTER_TOTAL), 0);
	assert_true(counters__was_on(f.counters, 0, COUNTER_DELTA));
	assert_int_equal(counters__read(f.counters, NULL), 0);
	assert_int_equal(value_of(&f, 0, COUNTER_DELTA), 0);
	assert_int_equal(value_of(&f, 0, COUNTER_TOTAL), first);
	assert_false(counters__was_on(f.counters, 0, COUNTER_DELTA));
	assert_true(counters__was_on(f.counters, 0, COUNTER_TOTAL));
	discard(&f);
}

static void one_event_is_switched_alone(void **state)
{
	struct fixture f = open_on("page-faults:u,minor-faults:u", getpid());

	assert_int_equal(counters__enable_event(f.counters, 1, true, NULL), 0);
	touch_pages();
	assert_int_equal(counters__enable(f.counters, false, NULL), 0);
	assert_int_equal(counters__read(f.counters, NULL), 0);
	assert_int_equal(value_of(&f, 0, COUNTER_TOTAL), 0);
	assert_true(value_of(&f, 1, COUNTER_TOTAL) >= NR_PAGES);
	discard(&f);
}

/* A raw event of a PMU that does not exist */
static void times_count_only_while_enabled(void **state)
{
	struct fixture f = open_on("duration_time,page-faults", gettid());
	struct errmsg err;
	u64 first;

	assert_true(counters__is_supported(f.counters, 0));
	touch_pages();
	assert_int_equal(counters__read(f.counters, &err), 0);
	assert_int_equal(value_of(&f, 0, COUNTER_TOTAL), 0);
	assert_int_equal(counters__enable(f.counters, true, &err), 0);
	touch_pages();
	assert_int_equal(counters__read(f.counters, &err), 0);
	first = value_of(&f, 0, COUNTER_TOTAL);
	assert_true(first > 0);
	assert_int_equal(counters__enable(f.counters, false, &err), 0);
	assert_int_equal(counters__read(f.counters, &err), 0);
	assert_true(value_of(&f, 0, COUNTER_TOTAL) >= first);
	first = value_of(&f, 0, COUNTER_TOTAL);
	assert_int_equal(counters__read(f.counters, &err), 0);
	assert_int_equal(value_of(&f, 0, COUNTER_TOTAL), first);
	assert_int_equal(value_of(&f, 0, COUNTER_DELTA), 0);
	discard(&f);
}

static void a_command_that_has_ended_has_its_usage(void **state)
{
	const struct counters_target target = { .tids = &(pid_t){ gettid() }, .nr_tids = 1, .on_exec = true };
	const struct rusage usage = { .ru_utime = { 3, 5 }, .ru_stime = { 0, 7 } };
	struct fixture f = { .evlist = evlist__new() };
	struct errmsg err;

	assert_int_equal(evlist__parse(f.evlist, "user_time,system_time", NULL, &err), 0);
	f.counters = counters__new(f.evlist);
	assert_int_equal(counters__open(f.counters, &target, NULL, NULL, &err), 0);
	counters__exec(f.counters);
	counters__set_usage(f.counters, &usage);
	assert_int_equal(counters__enable(f.counters, false, &err), 0);
	assert_int_equal(counters__read(f.counters, &err), 0);
	assert_int_equal(value_of(&f, 0, COUNTER_TOTAL), 3000005000);
	assert_int_equal(value_of(&f, 1, COUNTER_TOTAL), 7000);
	discard(&f);
}

static void what_the_kernel_lacks_is_not_supported(void **state)
{
	const pid_t tid = getpid();
	const struct counters_target target = { .tids = &tid, .nr_tids = 1 };
	struct fixture f = { .evlist = evlist__new() };
	struct counter_groups groups = { .nr = 1, .of_place = (unsigned int[]){ 0 } };
	struct counter_cells cells;
	struct errmsg err;

	assert_int_equal(evlist__parse(f.evlist, "{dummy:u,dummy:u},{dummy:u,dummy:u}:W", NULL, &err), 0);
	f.evlist->evsel[0]->attr.type = f.evlist->evsel[3]->attr.type = INT32_MAX;
	f.counters = counters__new(f.evlist);
	assert_int_equal(counters__open(f.counters, &target, NULL, NULL, &err), 0);
	assert_false(counters__is_supported(f.counters, 0));
	assert_false(counters__is_supported(f.counters, 1)); /* it needs its leader */
	assert_non_null(strstr(counters__why_not(f.counters, 1), "in the group of dummy"));
	assert_true(counters__is_supported(f.counters, 2));
	assert_false(counters__is_supported(f.counters, 3));
	assert_null(f.evlist->evsel[3]->leader); /* the group was weak */
	assert_int_equal(counters__enable(f.counters, true, NULL), 0);
	assert_int_equal(counters__read(f.counters, NULL), 0);
	assert_int_equal(counter_cells__init(&cells, f.evlist, &groups), 0);
	counter_cells__add(&cells, f.counters, COUNTER_TOTAL, true);
	assert_int_equal(cells.cell[0].state, COUNTER_NOT_SUPPORTED);
	assert_int_equal(cells.cell[2].state, COUNTER_COUNTED);
	assert_true(counter_cell__percent(&cells.cell[0]) == 0);
	assert_true(counter_cell__percent(&cells.cell[2]) == 100);
	counter_cells__exit(&cells);
	discard(&f);
}

static void ended_threads_are_skipped(void **state)
{
	struct fixture f = open_on("page-faults:u", INT32_MAX);
	struct counter_value value;

	assert_int_equal(counters__enable(f.counters, true, NULL), 0);
	assert_int_equal(counters__read(f.counters, NULL), 0);
	assert_false(counters__value(f.counters, 0, 0, COUNTER_TOTAL, &value));
	discard(&f);
}

/* Of a CPU that is online, too, counts go on from where they were. */
static void counts_go_on_where_a_cpu_is_opened_again(void **state)
{
	const struct counters_target target = { .system_wide = true };
	struct fixture f = { .evlist = evlist__new() };
	struct errmsg err;
	u64 before, page_faults;
	cpu_set_t here;

	if (geteuid())
		skip();
	CPU_ZERO(&here);
	CPU_SET(0, &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);
	assert_int_equal(evlist__parse(f.evlist, "{page-faults:u,dummy},page-faults:u", NULL, &err), 0);
	f.counters = counters__new(f.evlist);
	assert_int_equal(counters__open(f.counters, &target, NULL, NULL, &err), 0);
	assert_int_equal(counters__enable(f.counters, true, &err), 0);
	touch_pages();
	assert_int_equal(counters__read(f.counters, &err), 0);
	before = value_of(&f, 0, COUNTER_TOTAL);
	assert_true(before >= NR_PAGES);

	for (int i = 0; i < 3; i++)
		assert_int_equal(counters__reopen_cpu(f.counters, 0, &err), 1);
	assert_int_equal(counters__reopen_cpu(f.counters, 100000, &err), 0);
	touch_pages();
	assert_int_equal(counters__read(f.counters, &err), 0);
	for (int i = 0; i < 3; i += 2) {
		page_faults = value_of(&f, i, COUNTER_TOTAL);
		assert_true(page_faults >= before + NR_PAGES);
		assert_true(value_of(&f, i, COUNTER_DELTA) < page_faults);
	}
	discard(&f);
}

static void events_of_tasks_stay_open(void **state)
{
	struct fixture f = open_on("page-faults:u", getpid());

	assert_int_equal(counters__reopen_cpu(f.counters, 0, NULL), 0);
	discard(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_only_while_enabled),
		cmocka_unit_test(one_event_is_switched_alone),
		cmocka_unit_test(times_count_only_while_enabled),
		cmocka_unit_test(a_command_that_has_ended_has_its_usage),
		cmocka_unit_test(what_the_kernel_lacks_is_not_supported),
		cmocka_unit_test(ended_threads_are_skipped),
		cmocka_unit_test(counts_go_on_where_a_cpu_is_opened_again),
		cmocka_unit_test(events_of_tasks_stay_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
