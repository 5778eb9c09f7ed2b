// SPDX-License-Identifier: GPL-2.0
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

#include "util/source/snapshot-proc.h"

/* A directory that plays /proc */
static char root[] = "/tmp/perf-proc-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[512], *slash;
	FILE *fp;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	fp = fopen(full, "we");
	assert_non_null(fp);
	fputs(text, fp);
	fclose(fp);
}

static void put_task(u32 tid, const char *state, const char *call)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "%u/stat", tid);
	snprintf(text, sizeof(text), "%u (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 3 37", tid);
	put(path, text);
	snprintf(path, sizeof(path), "%u/status", tid);
	snprintf(text, sizeof(text), "Name:\ta) b\nState:\t%s\nTgid:\t40\nPid:\t%u\nNSpid:\t%u\t12\t7\nvoluntary_ctxt_switches:\t20\n"
				     "nonvoluntary_ctxt_switches:\t3\n", state, tid, tid);
	put(path, text);
	snprintf(path, sizeof(path), "%u/syscall", tid);
	put(path, call);
}

static int make_root(void **state)
{
	if (!mkdtemp(root))
		return -1;
	put_task(40, "S (sleeping)", "202 0x1000 0x80 0x2 0x0 0x0 0x5 0x7ffc00001000 0x7f0000002000\n");
	put_task(41, "D (disk sleep)", "-1 0x7ffc00003000 0x7f0000004000\n");
	put_task(42, "S (sleeping)", "running\n"); /* it was woken meanwhile */
	put_task(43, "Z (zombie)", "0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n");
	put_task(44, "S (sleeping)", "garbage");
	put("40/task/40/x", "");
	put("40/task/41/x", "");
	put("40/task/42/x", "");
	put("40/task/43/x", "");
	put("40/task/45/x", ""); /* ended between both */
	return 0;
}

static int remove_root(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static struct snapshot_proc *proc_of(const pid_t *tids, int nr)
{
	const struct sampler_target target = { .system_wide = !tids, .tids = tids, .nr_tids = nr };
	struct snapshot_proc *p = snapshot_proc__new(&target, root);

	assert_non_null(p);
	return p;
}

static void test_look(void **state)
{
	struct snapshot_proc *p = proc_of(NULL, 0);
	struct snapshot_task task;

	assert_int_equal(snapshot_proc__look(p, 40, &task), 0);
	assert_int_equal(task.pid, 40);
	assert_int_equal(task.tid, 40);
	assert_int_equal(task.inner_tid, 7);
	assert_int_equal(task.state, OFFCPU_SLEEPING);
	assert_int_equal(task.switches, 23);
	assert_int_equal(task.started, 4711);
	assert_int_equal(task.cpu, 3);
	assert_string_equal(task.comm, "a) b");
	assert_int_equal(task.call, 202);
	assert_int_equal(task.arg[0], 0x1000);
	assert_int_equal(task.arg[5], 5);
	assert_int_equal(task.has_regs, SNAPSHOT_PLACE_ONLY);
	assert_int_equal(task.regs[SNAPSHOT_SP], 0x7ffc00001000);
	assert_int_equal(task.regs[SNAPSHOT_IP], 0x7f0000002000);
	assert_int_equal(task.nr_kernel, 0);
	assert_int_equal(snapshot_proc__look(p, 41, &task), 0);
	assert_int_equal(task.state, OFFCPU_DISK);
	assert_int_equal(task.call, -1);
	assert_int_equal(task.regs[SNAPSHOT_SP], 0x7ffc00003000);
	assert_int_equal(snapshot_proc__look(p, 42, &task), 0);
	assert_int_equal(task.state, OFFCPU_RUNNING);
	assert_int_equal(task.has_regs, SNAPSHOT_NO_REGS);
	assert_int_equal(snapshot_proc__look(p, 43, &task), -ESRCH);
	assert_int_equal(snapshot_proc__look(p, 44, &task), 0);
	assert_int_equal(task.has_regs, SNAPSHOT_NO_REGS);
	assert_int_equal(snapshot_proc__look(p, 45, &task), -ESRCH);
	snapshot_proc__delete(p);
}

static int add(void *data, const struct snapshot_task *task)
{
	*(u64 *)data |= 1ULL << task->tid;
	return 0;
}

static void test_list(void **state)
{
	static const pid_t some[] = { 41, 43, 45 };
	struct snapshot_proc *p = proc_of(NULL, 0);
	u64 tids = 0;

	assert_int_equal(snapshot_proc__list(p, add, &tids), 0);
	assert_int_equal(tids, 7ULL << 40);
	snapshot_proc__delete(p);
	p = proc_of(some, 3);
	tids = 0;
	assert_int_equal(snapshot_proc__list(p, add, &tids), 0);
	assert_int_equal(tids, 1ULL << 41);
	snapshot_proc__delete(p);
	snapshot_proc__delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_look), cmocka_unit_test(test_list) };

	return cmocka_run_group_tests_name("source/snapshot-proc", tests, make_root, remove_root);
}
