// SPDX-License-Identifier: GPL-2.0
/* Names of rows of perf kwork, among them those of softirqs that newer kernels may have. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "ui/kwork/rows.h"

static void softirqs(void **state)
{
	char buf[64];

	assert_string_equal(kwork_softirq_name(0), "HI");
	assert_string_equal(kwork_softirq_name(9), "RCU");
	assert_null(kwork_softirq_name(10));
	assert_string_equal(kwork_label(KWORK_SOFTIRQ, "RCU", 9, buf, sizeof(buf)), "(s)RCU:9");
	assert_string_equal(kwork_label(KWORK_SOFTIRQ, "", 10, buf, sizeof(buf)), "(s)10");
}

static void others(void **state)
{
	char buf[64];

	assert_string_equal(kwork_label(KWORK_IRQ, "virtio1-req.0", 36, buf, sizeof(buf)), "virtio1-req.0:36");
	assert_string_equal(kwork_label(KWORK_WORK, "blk_mq_run_work_fn", 0, buf, sizeof(buf)), "(w)blk_mq_run_work_fn");
	assert_string_equal(kwork_label(KWORK_TASK, "irq/36-virtio1", 77, buf, sizeof(buf)), "irq/36-virtio1:77");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softirqs),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
