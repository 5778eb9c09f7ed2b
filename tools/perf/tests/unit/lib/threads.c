// SPDX-License-Identifier: GPL-2.0
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/lib/threads.h"

static void only_cpus_that_may_be_used_count(void **state)
{
	cpu_set_t before, one;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(threads__nr_cpus(), CPU_COUNT(&before));
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(threads__nr_cpus(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void *get_blocked(void *set)
{
	pthread_sigmask(SIG_BLOCK, NULL, set);
	return set;
}

static void signals_stay_with_who_started_it(void **state)
{
	sigset_t before, blocked, after;
	pthread_t thread;
	void *ret;

	pthread_sigmask(SIG_BLOCK, NULL, &before);
	assert_int_equal(threads__start(&thread, get_blocked, &blocked), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_ptr_equal(ret, &blocked);
	assert_true(sigismember(&blocked, SIGINT));
	assert_true(sigismember(&blocked, SIGTERM));
	assert_false(sigismember(&blocked, SIGPIPE));
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_cpus_that_may_be_used_count),
		cmocka_unit_test(signals_stay_with_who_started_it),
	};

	return cmocka_run_group_tests_name("lib/threads", tests, NULL, NULL);
}
