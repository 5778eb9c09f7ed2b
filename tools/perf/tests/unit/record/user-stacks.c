// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include "util/lib/types.h"
#include "util/record/user-stacks.h"

struct sample {
	struct perf_event_header header;
	u64 nr, chain[8];
};

static struct evsel one, other, side;
static struct evsel *events[] = { &one, &other, &side };
static struct evlist evlist = { .evsel = events, .nr = 1 };

static int set_up(void **state)
{
	const struct perf_event_attr attr = { .size = sizeof(attr), .sample_type = PERF_SAMPLE_CALLCHAIN };

	one = other = (struct evsel){ .attr = attr };
	side = (struct evsel){ .side_band = true };
	evlist.nr = 1;
	return 0;
}

static void look(struct user_stacks *u, unsigned int times, u64 nr, const u64 *chain)
{
	struct sample sample = { .header = { .type = PERF_RECORD_SAMPLE }, .nr = nr };

	memcpy(sample.chain, chain, nr * sizeof(u64));
	sample.header.size = sizeof(sample.header) + sizeof(u64) * (1 + nr);
	while (times--)
		user_stacks__look(u, (const union perf_record *)&sample);
}
#define LOOK(u, times, ...) look(u, times, sizeof((u64[]){ __VA_ARGS__ }) / sizeof(u64), (const u64[]){ __VA_ARGS__ })

static void test_cut(void **state)
{
	struct user_stacks u;

	user_stacks__init(&u, &evlist);
	LOOK(&u, 8, PERF_CONTEXT_USER, 1);
	assert_int_equal(user_stacks__percent_cut(&u), 0); /* too few */
	LOOK(&u, 232, PERF_CONTEXT_USER, 1);
	assert_int_equal(user_stacks__percent_cut(&u), 100);
	LOOK(&u, 240, PERF_CONTEXT_KERNEL, 7, 8, PERF_CONTEXT_USER, 1, 2);
	assert_int_equal(user_stacks__percent_cut(&u), 50);
	LOOK(&u, 240, PERF_CONTEXT_KERNEL, 7, 8); /* no user stack: of a kernel thread */
	assert_int_equal(user_stacks__percent_cut(&u), 50);
}

static void test_short(void **state)
{
	const struct sample sample = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample.header) + 16 }, .nr = 3 };
	struct user_stacks u;

	user_stacks__init(&u, &evlist);
	user_stacks__look(&u, (const union perf_record *)&sample); /* its chain goes beyond its end */
	assert_int_equal(u.nr_stacks, 0);
}

static void assert_not_looked_at(void)
{
	struct user_stacks u;

	user_stacks__init(&u, &evlist);
	LOOK(&u, 1000, PERF_CONTEXT_USER, 1);
	assert_int_equal(u.nr_stacks, 0);
	set_up(NULL);
}

static void test_left_out(void **state)
{
	one.attr.sample_type = PERF_SAMPLE_IP;
	assert_not_looked_at();
	one.attr.exclude_callchain_user = 1;
	assert_not_looked_at();
	one.attr.sample_max_stack = 2; /* the user wants no more */
	assert_not_looked_at();
	one.attr.sample_type |= PERF_SAMPLE_STACK_USER; /* and no size of a copy */
	assert_not_looked_at();
	evlist.nr = 2;
	other.attr.sample_type |= PERF_SAMPLE_TIME;
	assert_not_looked_at();
}

static void test_several_events(void **state)
{
	struct user_stacks u;

	evlist.nr = 3;
	user_stacks__init(&u, &evlist);
	LOOK(&u, 1000, PERF_CONTEXT_USER, 1);
	assert_int_equal(user_stacks__percent_cut(&u), 100);
}

struct copy_sample {
	struct perf_event_header header;
	u64 abi, sp_and_ip[2], room, stack[32], dyn_size;
};

/* Stack copies of 256 bytes: how many words the kernel copied, and the values of two words. */
static unsigned int percent_of_copies(u64 words, unsigned int at, const u64 *pair)
{
	struct copy_sample sample = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) }, .abi = PERF_SAMPLE_REGS_ABI_64,
				      .sp_and_ip = { 0x7000, 0x400000 }, .room = 256, .dyn_size = words * 8 };
	struct user_stacks u;

	one.attr.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	one.attr.sample_regs_user = 3 << 7; /* of x86-64 */
	one.attr.sample_stack_user = 256;
	one.attr.exclude_callchain_user = 1;
	memset(sample.stack, 0x55, sizeof(sample.stack));
	if (pair)
		memcpy(&sample.stack[at], pair, 3 * sizeof(u64));
	user_stacks__init(&u, &evlist);
	assert_int_equal(user_stacks__copied_bytes(&u), 256);
	for (int i = 0; i < 240; i++)
		user_stacks__look(&u, (const union perf_record *)&sample);
	assert_int_equal(u.nr_stacks, words ? 30 : 0);
	return user_stacks__percent_cut(&u);
}

static void test_copies(void **state)
{
	const u64 auxiliary[] = { AT_PAGESZ, getauxval(AT_PAGESZ), AT_CLKTCK }, other_size[] = { AT_PAGESZ, 123, AT_CLKTCK };
	const u64 control_block[] = { 0x7000 + 8 * 9, 1, 0x7000 + 8 * 9 };

	assert_int_equal(percent_of_copies(32, 0, NULL), 100);
	assert_int_equal(percent_of_copies(31, 0, NULL), 0);
	assert_int_equal(percent_of_copies(0, 0, NULL), 0); /* a kernel thread */
	assert_int_equal(percent_of_copies(32, 29, auxiliary), 0);
	assert_int_equal(percent_of_copies(32, 29, other_size), 100);
	assert_int_equal(percent_of_copies(32, 9, control_block), 0);
	assert_int_equal(percent_of_copies(32, 10, control_block), 100); /* pointers to elsewhere */
}

static void test_copies_of_several_sizes(void **state)
{
	struct user_stacks u;

	one.attr.sample_type = PERF_SAMPLE_STACK_USER;
	one.attr.sample_stack_user = 256;
	other.attr = one.attr;
	other.attr.sample_stack_user = 512;
	evlist.nr = 2;
	user_stacks__init(&u, &evlist);
	assert_int_equal(user_stacks__copied_bytes(&u), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_cut, set_up),
		cmocka_unit_test_setup(test_short, set_up),
		cmocka_unit_test_setup(test_left_out, set_up),
		cmocka_unit_test_setup(test_several_events, set_up),
		cmocka_unit_test_setup(test_copies, set_up),
		cmocka_unit_test_setup(test_copies_of_several_sizes, set_up),
	};

	return cmocka_run_group_tests_name("record/user-stacks", tests, NULL, NULL);
}
