// SPDX-License-Identifier: GPL-2.0
/* Four CPUs in a made-up sysfs: two sockets, of which the first has two cores and a shared L2, and the second one core with two threads. */
#include "util/counter/groups.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "util/perfdata/features.h"

static char sys[] = "/tmp/counter-groups.XXXXXX";

static void put(int cpu, const char *path, const char *text)
{
	char name[256], *slash;
	FILE *fp;

	snprintf(name, sizeof(name), "%s/cpu/cpu%d/%s", sys, cpu, path);
	for (slash = name + strlen(sys) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(name, 0755);
		*slash = '/';
	}
	fp = fopen(name, "w");
	assert_non_null(fp);
	fprintf(fp, "%s\n", text);
	fclose(fp);
}

static int make_sys(void **state)
{
	static const struct { const char *socket, *core, *l2, *node; } cpus[] = {
		{ "0", "0", "0", "node0/x" }, { "0", "1", "0", "node0/x" }, { "1", "0", "4", "node3/x" }, { "1", "0", "4", "node3/x" },
	};

	assert_non_null(mkdtemp(sys));
	for (int i = 0; i < 4; i++) {
		put(i, "topology/physical_package_id", cpus[i].socket);
		put(i, "topology/core_id", cpus[i].core);
		put(i, "topology/die_id", "0");
		put(i, "topology/cluster_id", "-1");
		put(i, "cache/index0/level", "1");
		put(i, "cache/index0/id", cpus[i].core);
		put(i, "cache/index1/level", "2");
		put(i, "cache/index1/id", cpus[i].l2);
		put(i, cpus[i].node, "");
	}
	return 0;
}

static int remove_sys(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", sys);
	return system(command);
}

static void check(enum counter_by by, unsigned int level, const char *names, const unsigned int of[4])
{
	const struct counter_place places[] = { { .tid = -1, .cpu = 0 }, { .tid = -1, .cpu = 1 }, { .tid = -1, .cpu = 2 }, { .tid = -1, .cpu = 3 } };
	struct counter_groups g;
	char got[256] = "";

	assert_int_equal(counter_groups__init(&g, by, level, places, 4, &(struct counter_machine){ .sys = sys }, NULL), 0);
	for (unsigned int i = 0; i < g.nr; i++)
		sprintf(got + strlen(got), "%s ", g.group[i].name);
	assert_string_equal(got, names);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(g.of_place[i], of[i]);
	counter_groups__exit(&g);
}

static void cpus_are_grouped_by_topology(void **state)
{
	static const unsigned int one[4], each[] = { 0, 1, 2, 3 }, sockets[] = { 0, 0, 1, 1 }, cores[] = { 0, 1, 2, 2 };

	check(COUNTER_BY_NONE, 0, " ", one);
	check(COUNTER_BY_CPU, 0, "CPU0 CPU1 CPU2 CPU3 ", each);
	check(COUNTER_BY_CORE, 0, "S0-D0-C0 S0-D0-C1 S1-D0-C0 ", cores);
	check(COUNTER_BY_SOCKET, 0, "S0 S1 ", sockets);
	check(COUNTER_BY_DIE, 0, "S0-D0 S1-D0 ", sockets);
	check(COUNTER_BY_NODE, 0, "N0 N3 ", sockets);
	check(COUNTER_BY_CLUSTER, 0, "S0-D0-CLS65535 S1-D0-CLS65535 ", sockets);
	check(COUNTER_BY_CACHE, 0, "S0-D0-L2-ID0 S1-D0-L2-ID4 ", sockets);
	check(COUNTER_BY_CACHE, 1, "S0-D0-L1-ID0 S0-D0-L1-ID1 S1-D0-L1-ID0 ", cores);
}

static void a_missing_level_is_an_error(void **state)
{
	const struct counter_place place = { .tid = -1, .cpu = 0 };
	struct counter_groups g;
	struct errmsg err;

	assert_int_equal(counter_groups__init(&g, COUNTER_BY_CACHE, 4, &place, 1, &(struct counter_machine){ .sys = sys }, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no cache of level 4"));
}

/* Of another machine: what its file has, and nothing of this one */
static void a_file_has_its_own_topology(void **state)
{
	static const enum counter_by by[] = { COUNTER_BY_CORE, COUNTER_BY_DIE, COUNTER_BY_NODE, COUNTER_BY_CACHE, COUNTER_BY_CLUSTER };
	static const char *const names[] = { "S3-D2-C9", "S3-D2", "N4", "S3-D2-L3-ID0", "S3-D2-CLS65535" };
	const struct counter_place places[] = { { .tid = -1, .cpu = 1 }, { .tid = -1, .cpu = 7 } };
	struct perfdata_features f = { 0 };
	const struct counter_machine machine = { .recorded = &f };
	struct counter_groups g;
	struct errmsg err;

	f.nr_cpu_topology = 2;
	f.cpu_topology = calloc(2, sizeof(*f.cpu_topology));
	f.cpu_topology[1].socket_id = 3;
	f.cpu_topology[1].die_id = 2;
	f.cpu_topology[1].core_id = 9;
	f.numa = &(struct perfdata_numa_node){ .number = 4, .cpus = "0-1" };
	f.cache = &(struct perfdata_cache){ .level = 3, .cpus = "0-1" };
	f.nr_numa = f.nr_cache = 1;
	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		assert_int_equal(counter_groups__init(&g, by[i], 0, places, 1, &machine, NULL), 0);
		assert_string_equal(g.group[0].name, names[i]);
		counter_groups__exit(&g);
	}
	assert_int_equal(counter_groups__init(&g, COUNTER_BY_CORE, 0, places, 2, &machine, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no topology of CPU 7"));
	free(f.cpu_topology);
}

static void threads_are_named(void **state)
{
	const struct counter_place place = { .tid = getpid(), .cpu = -1 };
	struct counter_groups g;
	char want[64];

	assert_int_equal(counter_groups__init(&g, COUNTER_BY_THREAD, 0, &place, 1, &(struct counter_machine){ .sys = sys }, NULL), 0);
	snprintf(want, sizeof(want), "groups-%d", getpid());
	assert_string_equal(g.group[0].name, want);
	counter_groups__exit(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_grouped_by_topology),
		cmocka_unit_test(a_missing_level_is_an_error),
		cmocka_unit_test(a_file_has_its_own_topology),
		cmocka_unit_test(threads_are_named),
	};
	return cmocka_run_group_tests(tests, make_sys, remove_sys);
}
