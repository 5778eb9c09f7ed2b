// SPDX-License-Identifier: GPL-2.0
/* Names of rows of perf kwork, among them those of softirqs that newer kernels may have. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

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
	assert_string_equal(kwork_label(KWORK_TASKLET, "kbd_bh", 0, buf, sizeof(buf)), "(tasklet)kbd_bh");
	assert_string_equal(kwork_label(KWORK_TIMER, "process_timeout", 0, buf, sizeof(buf)), "(timer)process_timeout");
	assert_string_equal(kwork_label(KWORK_HRTIMER, "hrtimer_wakeup", 0, buf, sizeof(buf)), "(hrtimer)hrtimer_wakeup");
	assert_string_equal(kwork_label(KWORK_IPI, kwork_ipi_name(0xfd), 0xfd, buf, sizeof(buf)), "(ipi)reschedule:253");
	assert_null(kwork_ipi_name(0xf8));
	assert_string_equal(kwork_label(KWORK_IPI, "", 0xf8, buf, sizeof(buf)), "(ipi)248");
	assert_string_equal(kwork_label(KWORK_TASK, "irq/36-virtio1", 77, buf, sizeof(buf)), "irq/36-virtio1:77");
}

/* As the kernel writes them into a name of KWORK_NAME_LEN bytes */
static void functions(void **state)
{
	char text[KWORK_NAME_LEN], buf[KWORK_NAME_LEN];

	assert_string_equal(kwork_work_name("blk_mq_run_work_fn", buf, sizeof(buf)), "blk_mq_run_work_fn");
	assert_string_equal(kwork_work_name("resize_ctrl_func [virtio_gpu]", buf, sizeof(buf)), "resize_ctrl_func");
	assert_null(kwork_work_name("", buf, sizeof(buf)));
	memset(text, 'f', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_null(kwork_work_name(text, buf, sizeof(buf)));
	text[sizeof(text) - 4] = ' '; /* only the module is cut */
	text[sizeof(text) - 3] = '[';
	assert_int_equal(strlen(kwork_work_name(text, buf, sizeof(buf))), sizeof(text) - 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softirqs),
		cmocka_unit_test(others),
		cmocka_unit_test(functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
