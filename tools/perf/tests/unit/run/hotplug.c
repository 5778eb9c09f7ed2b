// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "util/run/hotplug.h"

#define REST "\0ACTION=online\0DEVPATH=/devices/system/cpu/cpu3\0SUBSYSTEM=cpu\0SEQNUM=1"

static int cpu_of(const char *message, size_t size, bool *online)
{
	*online = false;
	return uevent__cpu(message, size, online);
}
#define CPU_OF(text, online) cpu_of(text, sizeof(text), online)

static void uevents_of_cpus_are_known(void **state)
{
	bool online;

	assert_int_equal(CPU_OF("online@/devices/system/cpu/cpu3" REST, &online), 3);
	assert_true(online);
	assert_int_equal(CPU_OF("offline@/devices/system/cpu/cpu127" REST, &online), 127);
	assert_false(online);
}

static void all_others_are_not(void **state)
{
	bool online;

	assert_int_equal(CPU_OF("online@/devices/system/memory/memory3" REST, &online), -1);
	assert_int_equal(CPU_OF("add@/devices/system/cpu/cpu3" REST, &online), -1);
	assert_int_equal(CPU_OF("online@/devices/system/cpu/cpu" REST, &online), -1);
	assert_int_equal(CPU_OF("online@/devices/system/cpu/cpu-1" REST, &online), -1);
	assert_int_equal(CPU_OF("online@/devices/system/cpu/cpu3/cache" REST, &online), -1);
	assert_int_equal(CPU_OF("online@/devices/system/cpu/cpu99999999999999999999" REST, &online), -1);
	assert_int_equal(CPU_OF("", &online), -1);
	assert_int_equal(cpu_of("online@/devices/system/cpu/cpu3", strlen("online@/devices/system/cpu/cpu3"), &online), -1);
	assert_int_equal(cpu_of("", 0, &online), -1);
}

static void nothing_has_changed_so_far(void **state)
{
	struct hotplug h = { .fd = -1 };
	int cpu;
	u64 ns;

	assert_int_equal(hotplug__init(&h), 0);
	if (h.fd < 0) {
		hotplug__exit(&h);
		skip();
	}
	assert_int_equal(hotplug__next(&h, &cpu, &ns), HOTPLUG_NONE);
	hotplug__exit(&h);
	assert_int_equal(h.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uevents_of_cpus_are_known),
		cmocka_unit_test(all_others_are_not),
		cmocka_unit_test(nothing_has_changed_so_far),
	};

	return cmocka_run_group_tests_name("run/hotplug", tests, NULL, NULL);
}
