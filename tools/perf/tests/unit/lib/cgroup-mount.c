// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/cgroup-mount.h"

/* On 64 bit kernels the id of a kernfs node is its inode number, too. */
static u64 id_of(const char *dir)
{
	struct stat st;

	assert_int_equal(stat(dir, &st), 0);
	return st.st_ino;
}

static void an_id_leads_to_its_path(void **state)
{
	char dir[PATH_MAX], own[PATH_MAX + 64], path[PATH_MAX], name[64];
	u64 id;

	if (geteuid() || cgroup__mount(NULL, dir, sizeof(dir)))
		skip();
	assert_int_equal(cgroup__path(id_of(dir), path, sizeof(path)), 0);
	assert_string_equal(path, "/");

	snprintf(name, sizeof(name), "/perf-unit-test.%d", getpid());
	snprintf(own, sizeof(own), "%s%s", dir, name);
	assert_int_equal(mkdir(own, 0755), 0);
	id = id_of(own);
	assert_int_equal(cgroup__path(id, path, sizeof(path)), 0);
	assert_string_equal(path, name);
	assert_int_equal(cgroup__path(id, path, 3), -ENAMETOOLONG);
	assert_int_equal(rmdir(own), 0);
	assert_true(cgroup__path(id, path, sizeof(path)) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_id_leads_to_its_path),
	};

	return cmocka_run_group_tests_name("lib/cgroup-mount", tests, NULL, NULL);
}
