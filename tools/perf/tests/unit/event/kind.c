// SPDX-License-Identifier: GPL-2.0
#include "util/event/kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "util/event/evsel.h"

static void words_of_e_name_kinds(void **state)
{
	assert_ptr_equal(event_kind__of_word("off-cpu"), &off_cpu_kind);
	assert_ptr_equal(event_kind__of_word("offcpu-time"), &off_cpu_kind);
	assert_ptr_equal(event_kind__of_word("wall-clock"), &wall_kind);
	/* Clocks are the kernel's events, and other kinds are those of commands. */
	assert_null(event_kind__of_word("cpu-clock"));
	assert_null(event_kind__of_word("lock:contention"));
	assert_null(event_kind__of_word("kwork"));
}

static void names_in_recordings_may_have_modifiers(void **state)
{
	assert_ptr_equal(event_kind__of_name("cpu-clock"), &cpu_clock_kind);
	assert_ptr_equal(event_kind__of_name("task-clock:u"), &task_clock_kind);
	assert_ptr_equal(event_kind__of_name("offcpu-time"), &off_cpu_kind);
	assert_ptr_equal(event_kind__of_name("wall-clock:u"), &wall_kind);
	assert_ptr_equal(event_kind__of_name("lock:contention"), &contention_kind);
}

static void tracepoints_are_of_no_kind(void **state)
{
	assert_null(event_kind__of_name("lock:contention_begin"));
	assert_null(event_kind__of_name("sched:sched_switch"));
	assert_null(event_kind__of_name("syscalls:sys_enter_read"));
	assert_null(event_kind__of_name("cycles"));
	assert_null(event_kind__of_name(""));
}

static void periods_are_times_or_counts(void **state)
{
	assert_non_null(event_kind__of_name("cpu-clock")->unit);
	assert_non_null(contention_kind.unit);
	assert_non_null(sched_kind.unit);
	assert_non_null(kwork_kind.unit);
	assert_null(trace_kind.unit);
	assert_null(calls_kind.unit);
}

static void options_reach_the_events_of_their_kind(void **state)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err;
	int opts = 0;

	assert_int_equal(evlist__add_kind(evlist, &off_cpu_kind, NULL, NULL, &err), 0);
	assert_int_equal(evlist__add_kind(evlist, &calls_kind, "vfs_read", NULL, &err), 0);
	evlist__set_kind_opts(evlist, &off_cpu_kind, &opts);
	assert_string_equal(evlist->evsel[0]->name, "offcpu-time");
	assert_string_equal(evlist->evsel[1]->name, "vfs_read");
	assert_ptr_equal(evlist->evsel[0]->kind_opts, &opts);
	assert_null(evlist->evsel[1]->kind_opts);
	assert_true(evsel__has_own_contents(evlist->evsel[0]));
	assert_true(evsel__has_spans(evlist->evsel[0]));
	assert_false(evsel__has_own_contents(evlist->evsel[1]));
	assert_false(evsel__has_spans(evlist->evsel[1]));
	evlist__delete(evlist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_e_name_kinds),
		cmocka_unit_test(names_in_recordings_may_have_modifiers),
		cmocka_unit_test(tracepoints_are_of_no_kind),
		cmocka_unit_test(periods_are_times_or_counts),
		cmocka_unit_test(options_reach_the_events_of_their_kind),
	};

	return cmocka_run_group_tests_name("event/kind", tests, NULL, NULL);
}
