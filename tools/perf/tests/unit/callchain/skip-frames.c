// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/callchain/skip-frames.h"

/* "schedule futex_wait": frames of the kernel with these functions, a name that begins with ":" in user space; "?" is unknown. */
static u32 leading(const char *names, u32 classes)
{
	struct location frame[16] = {};
	struct symbol sym[16] = {};
	struct callchain chain = { .frame = frame };
	char *text = strdup(names), *rest = NULL;
	u32 nr;

	for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		frame[chain.nr].cpumode = *name == ':' ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
		sym[chain.nr].name = name + (*name == ':');
		frame[chain.nr].sym = *name == '?' ? NULL : &sym[chain.nr];
		chain.nr++;
	}
	nr = skip_frames__leading(&chain, classes);
	free(text);
	return nr;
}

static void test_classes(void **state)
{
	static const char sleeping[] = "__schedule schedule schedule_timeout rwsem_down_read_slowpath down_read do_user_addr_fault :main";
	static const char traced[] = "bpf_prog_6deef7357e7b4530_f bpf_trace_run4 __traceiter_sched_switch __schedule schedule do_nanosleep";

	assert_int_equal(leading(sleeping, SKIP_SCHED), 3);
	assert_int_equal(leading(sleeping, SKIP_SCHED | SKIP_LOCK), 5);
	assert_int_equal(leading(sleeping, SKIP_LOCK | SKIP_BPF), 0);
	assert_int_equal(leading(sleeping, 0), 0);
	assert_int_equal(leading(traced, SKIP_BPF), 3);
	assert_int_equal(leading(traced, SKIP_BPF | SKIP_SCHED), 5);
	assert_int_equal(leading("_raw_spin_lock_irqsave try_to_wake_up", SKIP_LOCK), 1);
}

static void test_names(void **state)
{
	assert_int_equal(leading("__schedule.constprop.0 finish_task_switch.isra.0 x", SKIP_SCHED), 2);
	assert_int_equal(leading("schedule_work x", SKIP_SCHED), 0);
	assert_int_equal(leading("__scheduler x", SKIP_SCHED), 0);
	assert_int_equal(leading("sched x", SKIP_SCHED), 0);
	assert_int_equal(leading("uptime_proc_show x", SKIP_LOCK), 0);
}

/* Code of users may have any name, unknown code may be anything, and something must remain. */
static void test_what_stays(void **state)
{
	assert_int_equal(leading(":schedule schedule x", SKIP_SCHED), 0);
	assert_int_equal(leading("schedule :schedule :main", SKIP_SCHED), 1);
	assert_int_equal(leading("schedule ? schedule x", SKIP_SCHED), 1);
	assert_int_equal(leading("__schedule schedule", SKIP_SCHED), 1);
	assert_int_equal(leading("schedule", SKIP_SCHED), 0);
	assert_int_equal(leading("", SKIP_SCHED), 0);
}

static void test_bpf_program_without_name(void **state)
{
	struct dso dso = { .kind = DSO_BPF };
	struct location frame[2] = { { .dso = &dso, .cpumode = PERF_RECORD_MISC_KERNEL }, { .cpumode = PERF_RECORD_MISC_KERNEL } };
	const struct callchain chain = { .frame = frame, .nr = 2 };

	assert_int_equal(skip_frames__leading(&chain, SKIP_BPF), 1);
	assert_int_equal(skip_frames__leading(&chain, SKIP_SCHED | SKIP_LOCK), 0);
}

static void test_parse(void **state)
{
	static const char *const wrong[] = { "", "bpf,", ",bpf", "locks", "bp", "sched lock" };
	struct errmsg err;
	u32 classes;

	assert_int_equal(skip_frames__parse("bpf,sched,lock", &classes, &err), 0);
	assert_int_equal(classes, SKIP_BPF | SKIP_SCHED | SKIP_LOCK);
	assert_int_equal(skip_frames__parse("lock", &classes, &err), 0);
	assert_int_equal(classes, SKIP_LOCK);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(skip_frames__parse(wrong[i], &classes, &err), -EINVAL);
		assert_non_null(strstr(err.text, "sched or lock"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_what_stays),
		cmocka_unit_test(test_bpf_program_without_name),
		cmocka_unit_test(test_parse),
	};

	return cmocka_run_group_tests_name("callchain/skip-frames", tests, NULL, NULL);
}
