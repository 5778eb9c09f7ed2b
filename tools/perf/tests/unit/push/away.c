// SPDX-License-Identifier: GPL-2.0
/* How long push waits for a receiver that takes nothing. This includes push.c, as hours are too long for a test. */
#include "util/push/push.c"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define SECOND 1000000000ULL

static struct push_target target = { .shown = "receiver" };

static void tell(bool good, const char *text)
{
}

static struct push away(void)
{
	return (struct push){ .opts = { .target = &target, .tell = tell },
			      .lock = PTHREAD_MUTEX_INITIALIZER };
}

/* 0.5 s and twice as long each time, up to 30 s, and up to a quarter more or less */
static void delays_grow(void **state)
{
	struct push p = away();
	u64 least[] = { 375, 750, 1500, 3000, 6000, 12000, 22500, 22500 };

	for (size_t i = 0; i < ARRAY_SIZE(least); i++) {
		u64 before = now(), delay;

		note_away(&p);
		delay = p.retry_at - now();
		assert_true(p.retry_at - before >= least[i] * NS_PER_MS);
		assert_true(delay <= least[i] * NS_PER_MS * 5 / 3 + 1);
	}
	note_answer(&p, false);
	assert_int_equal(p.retry_at, 0);
	assert_int_equal(p.delay_ms, 0);
}

/* Up to a quarter of an hour; more would be as good as for ever. */
static void receivers_may_ask_for_time(void **state)
{
	struct push p = away();
	u64 before = now();

	p.retry_after = 100;
	note_away(&p);
	assert_in_range(p.retry_at - before, 100 * SECOND, (now() - before) + 100 * SECOND);
	p.retry_after = LONG_MAX;
	before = now();
	note_away(&p);
	assert_in_range(p.retry_at - before, MAX_RETRY_AFTER * SECOND,
			(now() - before) + MAX_RETRY_AFTER * SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delays_grow),
		cmocka_unit_test(receivers_may_ask_for_time),
	};

	return cmocka_run_group_tests_name("push/away", tests, NULL, NULL);
}
