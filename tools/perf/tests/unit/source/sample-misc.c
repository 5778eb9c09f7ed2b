// SPDX-License-Identifier: GPL-2.0
/* Where a sample is, as BPF programs tell by its address and registers. No machine without a PMU of its own has such samples. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "util/bpf_skel/sample-encode.h"

#define IN_KERNEL 0xffffffff81000000ULL
#define IN_USER 0x401000ULL
#define FLAGS 0x246ULL

static void test_host(void **state)
{
	(void)state;
	assert_int_equal(sample_misc(IN_USER, IN_USER, FLAGS, false), PERF_RECORD_MISC_USER);
	assert_int_equal(sample_misc(IN_KERNEL, IN_KERNEL, FLAGS, true), PERF_RECORD_MISC_KERNEL);
	assert_int_equal(sample_misc(0, IN_KERNEL, FLAGS, true), PERF_RECORD_MISC_KERNEL); /* a sample without an address */
	assert_int_equal(sample_misc(IN_USER + 0x10000, IN_USER, FLAGS, false), PERF_RECORD_MISC_USER); /* a code segment that does not begin at 0 */
	assert_false(sample_misc__is_guest(PERF_RECORD_MISC_USER));
	assert_false(sample_misc__is_guest(PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_EXACT_IP));
}

static void test_guest(void **state)
{
	(void)state;
	assert_int_equal(sample_misc(IN_USER, IN_KERNEL, FLAGS, true), PERF_RECORD_MISC_GUEST_USER);
	assert_int_equal(sample_misc(IN_KERNEL + 0x10, IN_KERNEL, FLAGS, true), PERF_RECORD_MISC_GUEST_KERNEL);
	assert_true(sample_misc__is_guest(PERF_RECORD_MISC_GUEST_USER));
	assert_true(sample_misc__is_guest(PERF_RECORD_MISC_GUEST_KERNEL | PERF_RECORD_MISC_EXACT_IP));
}

static void test_exact(void **state)
{
	(void)state;
	assert_int_equal(sample_misc(IN_USER, IN_USER, FLAGS | SAMPLE_REGS_EXACT, false), PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
	assert_int_equal(sample_misc(IN_KERNEL, IN_KERNEL, FLAGS | SAMPLE_REGS_EXACT, true), PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_EXACT_IP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_guest),
		cmocka_unit_test(test_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
