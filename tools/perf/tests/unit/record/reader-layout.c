// SPDX-License-Identifier: GPL-2.0
/* Layouts for a machine of 8 CPUs, 2 packages and nodes, cores of 2 CPUs, whose topology is in a scratch directory. */
#include "util/record/reader-layout.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *topology;

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[300], command[400];
	FILE *f;

	snprintf(command, sizeof(command), "mkdir -p %s/%s", topology, dir);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/%s/%s", topology, dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

/* CPUs 0 and 4, 1 and 5, ... are a core; 0, 2, 4, 6 a package and a node. Node 2 has memory only. */
static int make_topology(void **state)
{
	assert_true(asprintf(&topology, "%s/layout-XXXXXX", getenv("TMPDIR") ?: "/tmp") > 0 && mkdtemp(topology));
	for (int cpu = 0; cpu < 8; cpu++) {
		char dir[60], list[20];

		snprintf(dir, sizeof(dir), "cpu/cpu%d/topology", cpu);
		snprintf(list, sizeof(list), "%d,%d", cpu % 4, cpu % 4 + 4);
		write_file(dir, cpu == 1 ? "thread_siblings_list" : "core_cpus_list", list); /* one is an old kernel's */
		write_file(dir, "package_cpus_list", cpu % 2 ? "1,3,5,7" : "0,2,4,6");
	}
	write_file("node", "has_cpu", "0-1");
	write_file("node/node0", "cpulist", "0,2,4,6");
	write_file("node/node1", "cpulist", "1,3,5,7");
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int remove_topology(void **state)
{
	int ret = nftw(topology, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	free(topology);
	return ret;
}

static void print_map(FILE *fp, const struct cpumap *map)
{
	for (int i = 0; i < map->nr; i++)
		fprintf(fp, "%s%d", i ? "," : "", map->cpu[i]);
}

/* Lays out recorded CPUs, and compares: "READ/RUN READ/RUN ...", or the beginning of a message. */
static void assert_layout(const char *spec, const char *recorded, int expected_ret, const char *expected)
{
	struct errmsg err = {};
	struct cpumap *cpus = cpumap__parse(recorded, &err);
	struct reader_layout *layout = NULL;
	char text[400] = "";
	FILE *fp = fmemopen(text, sizeof(text), "w");
	int ret;

	assert_non_null(cpus);
	ret = reader_layout__new(spec, cpus, topology, &layout, &err);
	assert_int_equal(ret, expected_ret);
	for (unsigned int i = 0; layout && i < layout->nr; i++) {
		fputs(i ? " " : "", fp);
		print_map(fp, layout->read[i]);
		fputs("/", fp);
		print_map(fp, layout->run[i]);
	}
	fclose(fp);
	if (ret)
		assert_non_null(strstr(err.text, expected));
	else
		assert_string_equal(text, expected);
	reader_layout__delete(layout);
	free(cpus);
}

static void words_follow_the_topology(void **state)
{
	assert_layout("", "0-2", 0, "0/0 1/1 2/2");
	assert_layout("cpu", "0,7", 0, "0/0 7/7");
	assert_layout("core", "0-7", 0, "0,4/0,4 1,5/1,5 2,6/2,6 3,7/3,7");
	assert_layout("package", "0-7", 0, "0,2,4,6/0,2,4,6 1,3,5,7/1,3,5,7");
	assert_layout("numa", "0-7", 0, "0,2,4,6/0,2,4,6 1,3,5,7/1,3,5,7");
}

static void only_recorded_cpus_count(void **state)
{
	assert_layout("core", "0,5,6", 0, "0/0 5/5 6/6");
	assert_layout("package", "1,3-4", 0, "1,3/1,3 4/4");
	assert_layout("0-3/0-3:4-7,1000/99,4", "2-5", 0, "2,3/2,3 4,5/4");
}

static void lists_are_taken_as_they_are(void **state)
{
	assert_layout("0,2-4/2-4:1,5-7/5-7", "0-7", 0, "0,2,3,4/2,3,4 1,5,6,7/5,6,7");
	assert_layout("0/7", "0-7", 0, "0/7");
}

static void wrong_layouts_are_refused(void **state)
{
	static const char *const wrong[] = { "cpus", "0", "0-1:2", ":", "0/0:", "0/", "/0", "0//1", "0/1/2", "x/0", "0/1x", "3-1/0" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_layout(wrong[i], "0-7", -EINVAL, "--threads");
	assert_layout("0-1/0:1-2/1", "0-7", -EINVAL, "1-2/1 has a CPU that an earlier list of its kind has, too");
	assert_layout("0/0-1:1/1", "0-7", -EINVAL, "1/1 has a CPU");
	assert_layout("0/0:9/1", "0-7", -EINVAL, "9/1 has a list without any CPU that is recorded");
	assert_layout("0/9", "0-7", -EINVAL, "0/9 has a list");
}

static void a_topology_that_is_not_there_is_an_error(void **state)
{
	assert_layout("core", "0-8", -ENOENT, "cpu/cpu8/topology/thread_siblings_list");
	assert_layout("package", "8", -ENOENT, "cpu/cpu8/topology/core_siblings_list");
	assert_layout("numa", "8", -ENODEV, "has CPU 8");
}

static void names_are_listed(void **state)
{
	assert_string_equal(reader_layout__name(0), "cpu");
	assert_string_equal(reader_layout__name(3), "numa");
	assert_null(reader_layout__name(4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_follow_the_topology),
		cmocka_unit_test(only_recorded_cpus_count),
		cmocka_unit_test(lists_are_taken_as_they_are),
		cmocka_unit_test(wrong_layouts_are_refused),
		cmocka_unit_test(a_topology_that_is_not_there_is_an_error),
		cmocka_unit_test(names_are_listed),
	};

	return cmocka_run_group_tests_name("record/reader-layout", tests, make_topology, remove_topology);
}
