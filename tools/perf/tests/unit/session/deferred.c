// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/session/deferred.h"

/* A sample's record needs no more here than its callchain. */
struct chain_record {
	struct perf_event_header header;
	u64 word[8];
};

static struct chain_record record;

struct answer {
	struct record_callchain_deferred record;
	u64 ips[3];
};

#define ANSWER(c, first)                                                                                                   \
	{ .record = { .header = { PERF_RECORD_CALLCHAIN_DEFERRED_, 0, sizeof(struct answer) }, .cookie = (c), .nr = 3 },   \
	  .ips = { (first), 0x1000, 0x2000 } }

static char seen[512];

static void see_word(const char *sep, u64 word)
{
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s%llx", sep, (unsigned long long)word);
}

/* "place:" and the words behind the kernel's marker, or "-" where nothing was put together */
static int see(const struct deferred_sample *sample, void *data)
{
	const struct chain_record *r = (const struct chain_record *)sample->record;

	see_word(" ", sample->file_offset);
	assert_true(r->word[0] == (u64)PERF_CONTEXT_KERNEL);
	if (!sample->callchain)
		strcat(seen, "-");
	for (u64 i = 1; sample->callchain && i < sample->nr; i++)
		see_word(",", sample->callchain[i] == (u64)PERF_CONTEXT_USER ? 0 : sample->callchain[i]);
	return data ? *(int *)data : 0;
}

/* Of task tid: a kernel's frame, and behind it the marker and the cookie. place is only a name. */
static void add(struct deferred *d, u32 tid, u64 cookie, u64 place)
{
	const struct perf_sample sample = { .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN, .tid = tid,
					    .callchain = record.word, .nr_callchain = 4 };

	record = (struct chain_record){ .header = { PERF_RECORD_SAMPLE, 0, sizeof(record) },
					.word = { PERF_CONTEXT_KERNEL, 0xffff0000 + place, PERF_CONTEXT_USER_DEFERRED_, cookie } };
	assert_true(deferred__is_awaited(&sample));
	assert_int_equal(deferred__add(d, &sample, (const union perf_record *)&record, place, see, NULL), 0);
	memset(&record, 0xff, sizeof(record)); /* it is a copy that is kept */
}

static struct deferred *begin(void)
{
	struct deferred *d = deferred__new();

	assert_non_null(d);
	seen[0] = 0;
	return d;
}

static void samples_of_one_stay_in_the_kernel_share_a_stack(void **state)
{
	const struct answer a = ANSWER(7, PERF_CONTEXT_USER), without_marker = ANSWER(8, 0x500);
	struct deferred *d = begin();

	add(d, 1, 7, 1);
	add(d, 2, 7, 2); /* cookies are of a CPU and a moment, and so is the task */
	add(d, 1, 7, 3);
	assert_int_equal(deferred__deliver(d, 1, &a.record, see, NULL), 0);
	assert_string_equal(seen, " 1,ffff0001,0,1000,2000 3,ffff0003,0,1000,2000");
	seen[0] = 0;
	add(d, 2, 8, 4);
	assert_int_equal(deferred__deliver(d, 2, &without_marker.record, see, NULL), 0);
	assert_string_equal(seen, " 2- 4,ffff0004,0,500,1000,2000");
	seen[0] = 0;
	assert_int_equal(deferred__deliver(d, 2, &without_marker.record, see, NULL), 0);
	assert_int_equal(deferred__flush(d, see, NULL), 0);
	assert_string_equal(seen, "");
	deferred__delete(d);
}

/* A task may be interrupted once more after its record was made, before it leaves the kernel. */
static void samples_behind_their_record_have_its_stack(void **state)
{
	const struct answer a = ANSWER(7, PERF_CONTEXT_USER), next = ANSWER(9, 0x500);
	struct deferred *d = begin();

	add(d, 1, 7, 1);
	assert_int_equal(deferred__deliver(d, 1, &a.record, see, NULL), 0);
	seen[0] = 0;
	add(d, 1, 7, 2);
	add(d, 1, 7, 3);
	assert_string_equal(seen, " 2,ffff0002,0,1000,2000 3,ffff0003,0,1000,2000");
	seen[0] = 0;
	add(d, 1, 9, 4);
	assert_string_equal(seen, "");
	assert_int_equal(deferred__deliver(d, 1, &next.record, see, NULL), 0);
	assert_string_equal(seen, " 4,ffff0004,0,500,1000,2000");
	assert_int_equal(deferred__flush(d, see, NULL), 0);
	deferred__delete(d);
}

static void a_record_is_for_its_task_and_until_the_next(void **state)
{
	const struct answer a = ANSWER(7, PERF_CONTEXT_USER), next = ANSWER(8, PERF_CONTEXT_USER);
	struct deferred *d = begin();

	assert_int_equal(deferred__deliver(d, 1, &a.record, see, NULL), 0); /* its samples were lost, or come later */
	add(d, 2, 7, 1);
	add(d, 1, 8, 2);
	assert_string_equal(seen, "");
	assert_int_equal(deferred__deliver(d, 1, &next.record, see, NULL), 0);
	assert_string_equal(seen, " 2,ffff0002,0,1000,2000");
	seen[0] = 0;
	add(d, 1, 7, 3); /* an old cookie that has come round */
	assert_string_equal(seen, "");
	assert_int_equal(deferred__deliver(d, 1, &next.record, see, NULL), 0);
	assert_int_equal(deferred__flush(d, see, NULL), 0);
	assert_string_equal(seen, " 3- 1-");
	deferred__delete(d);
}

static void what_never_comes_is_not_waited_for_at_the_end(void **state)
{
	const struct answer a = ANSWER(7, PERF_CONTEXT_USER);
	struct deferred *d = begin();

	add(d, 1, 7, 1);
	add(d, 2, 8, 2);
	add(d, 3, 7, 3);
	add(d, 2, 9, 4);
	assert_int_equal(deferred__deliver(d, 3, &a.record, see, NULL), 0);
	seen[0] = 0;
	assert_int_equal(deferred__flush(d, see, NULL), 0);
	assert_string_equal(seen, " 1- 2- 4-");
	deferred__delete(d);
}

static void errors_end_the_delivery(void **state)
{
	const struct answer a = ANSWER(7, PERF_CONTEXT_USER);
	struct deferred *d = begin();
	int error = -5;

	add(d, 1, 7, 1);
	add(d, 1, 7, 2);
	add(d, 4, 7, 3);
	assert_int_equal(deferred__deliver(d, 1, &a.record, see, &error), -5);
	assert_int_equal(deferred__flush(d, see, &error), -5);
	assert_string_equal(seen, " 1,ffff0001,0,1000,2000 2-");
	deferred__delete(d);
}

static void other_chains_are_whole(void **state)
{
	static const u64 word[] = { PERF_CONTEXT_USER_DEFERRED_, 7, PERF_CONTEXT_KERNEL, 1 };
	struct perf_sample sample = { .sample_type = PERF_SAMPLE_TID, .callchain = word, .nr_callchain = 4 };

	assert_false(deferred__is_awaited(&sample));
	sample.nr_callchain = 1;
	assert_false(deferred__is_awaited(&sample));
	sample.nr_callchain = 0;
	assert_false(deferred__is_awaited(&sample));
	sample.nr_callchain = 2;
	assert_true(deferred__is_awaited(&sample));
	sample.sample_type = 0; /* it cannot be told whose record to wait for */
	assert_false(deferred__is_awaited(&sample));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_one_stay_in_the_kernel_share_a_stack),
		cmocka_unit_test(samples_behind_their_record_have_its_stack),
		cmocka_unit_test(a_record_is_for_its_task_and_until_the_next),
		cmocka_unit_test(what_never_comes_is_not_waited_for_at_the_end),
		cmocka_unit_test(errors_end_the_delivery),
		cmocka_unit_test(other_chains_are_whole),
	};

	return cmocka_run_group_tests_name("deferred", tests, NULL, NULL);
}
