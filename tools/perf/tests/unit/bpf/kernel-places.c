// SPDX-License-Identifier: GPL-2.0
/* Names of locks by the running kernel's types: those of structures that every kernel has. */
#include "util/bpf/kernel-places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "util/bpf/kernel-btf.h"

static char buf[128];

static const char *name_at(const char *type, u32 offset)
{
	return kernel_places__in_struct(type, offset, buf, sizeof(buf)) ? buf : "none";
}

static u32 offset_of(const char *type, const char *path)
{
	u32 offset;

	assert_true(kernel_btf__member(type, path, &offset));
	return offset;
}

static void locks_of_structures_have_names(void **state)
{
	assert_string_equal(name_at("mm_struct", offset_of("mm_struct", "mmap_lock")), "mmap_lock");
	assert_string_equal(name_at("sighand_struct", offset_of("sighand_struct", "siglock")), "siglock");
	assert_string_equal(name_at("task_struct", offset_of("task_struct", "pi_lock")), "pi_lock");
}

static void locks_within_members_have_a_path(void **state)
{
	assert_string_equal(name_at("signal_struct", offset_of("signal_struct", "wait_chldexit.lock")), "wait_chldexit.lock");
	assert_string_equal(name_at("mm_struct", offset_of("mm_struct", "mmap_lock.wait_lock")), "mmap_lock.wait_lock");
}

static void what_is_no_lock_has_no_name(void **state)
{
	assert_string_equal(name_at("task_struct", offset_of("task_struct", "comm")), "none");
	assert_string_equal(name_at("mm_struct", offset_of("mm_struct", "mmap_lock") + 1), "none");
	assert_string_equal(name_at("mm_struct", UINT32_MAX), "none");
	assert_string_equal(name_at("no_such_struct", 0), "none");
}

static void a_name_that_does_not_fit_is_none(void **state)
{
	const u32 offset = offset_of("mm_struct", "mmap_lock");

	assert_true(kernel_places__in_struct("mm_struct", offset, buf, sizeof("mmap_lock")));
	assert_false(kernel_places__in_struct("mm_struct", offset, buf, sizeof("mmap_lock") - 1));
}

static void per_cpu_variables_have_names(void **state)
{
	u32 variable, lock;

	if (!kernel_places__percpu_offset("runqueues", NULL, NULL, &variable)) {
		skip();
		return;
	}
	assert_true(kernel_places__percpu_offset("runqueues", "rq", "__lock", &lock));
	assert_int_equal(lock - variable, offset_of("rq", "__lock"));
	assert_true(kernel_places__in_percpu(lock, buf, sizeof(buf)));
	assert_string_equal(buf, "runqueues.__lock");
	assert_false(kernel_places__in_percpu(lock + 1, buf, sizeof(buf)));
	assert_false(kernel_places__in_percpu(UINT32_MAX, buf, sizeof(buf)));
	assert_false(kernel_places__percpu_offset("no_such_variable", NULL, NULL, &variable));
}

/* Timers have an array of bases for each CPU. */
static void elements_of_arrays_have_numbers(void **state)
{
	u32 start;

	if (!kernel_places__percpu_offset("timer_bases", NULL, NULL, &start)) {
		skip();
		return;
	}
	assert_true(kernel_places__in_percpu(start + kernel_places__size("timer_base") + offset_of("timer_base", "lock"), buf, sizeof(buf)));
	assert_string_equal(buf, "timer_bases[1].lock");
}

static void types_and_variables_are_known(void **state)
{
	assert_true(kernel_places__has("mm_struct.mmap_lock", strlen("mm_struct")));
	assert_false(kernel_places__has("no_such_type", strlen("no_such_type")));
	assert_true(kernel_places__size("mm_struct") > kernel_places__size("fs_struct"));
	assert_int_equal(kernel_places__size("no_such_type"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_of_structures_have_names),
		cmocka_unit_test(locks_within_members_have_a_path),
		cmocka_unit_test(what_is_no_lock_has_no_name),
		cmocka_unit_test(a_name_that_does_not_fit_is_none),
		cmocka_unit_test(per_cpu_variables_have_names),
		cmocka_unit_test(elements_of_arrays_have_numbers),
		cmocka_unit_test(types_and_variables_are_known),
	};

	if (!kernel_btf__exists()) {
		print_message("1..0 # SKIP the kernel has no BTF\n");
		return 0;
	}
	return cmocka_run_group_tests_name("bpf/kernel-places", tests, NULL, NULL);
}
