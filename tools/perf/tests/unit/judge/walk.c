// SPDX-License-Identifier: GPL-2.0
/*
 * Walks from the current task, in the specialised program: what is kept of this thread's own samples, against what /proc and system calls
 * say of it. A walk that leads nowhere keeps nothing.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "util/bpf/kernel-features.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/kernel-walks.h"

static int find_walk(void *data, const char *text, size_t len, struct type_walk *walk, struct walk_error *error)
{
	return kernel_walks__find(NULL, text, len, walk, error);
}

static int walk_value(void *data, u32 type, const char *name, size_t len, s64 *value, char *why, size_t size)
{
	return kernel_walks__value(NULL, type, name, len, value, why, size);
}

static const struct filter_env env = { .find_walk = find_walk, .walk_value = walk_value };

static void compile(const char *text, struct filter_table *table)
{
	struct errmsg err = { "" };
	struct filter *f;

	if (filter__parse(text, &f, &err) || filter__check(f, &env, &err) || filter__lower(f, table, &err))
		fail_msg("%s", err.text);
	filter__delete(f);
}

#define HITS 10

/* Page faults of this thread are what the filter is asked about. */
static struct filter_counts judge(const char *text)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .size = sizeof(attr), .sample_period = 1, .disabled = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	};
	static struct filter_table table;
	struct errmsg err = { "" };
	struct filter_counts counts;
	struct bpf_filter *filter;
	int fd;

	compile(text, &table);
	if (bpf_filter__load(&table, 1, &filter, &err))
		fail_msg("%s: %s", text, err.text);
	fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(bpf_filter__attach(filter, fd, &err), 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < HITS; i++) { /* each touches a page for the first time */
		volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		page[0] = 1;
		munmap((void *)page, 4096);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(bpf_filter__counts(filter, 0, &counts, &err), 0);
	assert_true(counts.seen >= HITS);
	close(fd);
	bpf_filter__delete(filter);
	return counts;
}

static void assert_all(const char *text)
{
	const struct filter_counts counts = judge(text);

	if (counts.dropped || counts.valueless[0])
		fail_msg("%s: %llu of %llu dropped, %llu without a value", text, counts.dropped, counts.seen, counts.valueless[0]);
}

static void assert_none(const char *text, bool has_value)
{
	const struct filter_counts counts = judge(text);

	if (counts.dropped != counts.seen || counts.valueless[0] != (has_value ? 0 : counts.seen))
		fail_msg("%s: %llu of %llu dropped, %llu without a value", text, counts.dropped, counts.seen, counts.valueless[0]);
}

static void skip_unless_possible(void)
{
	struct walk_error error;
	struct type_walk walk;

	if (geteuid() || kernel_walks__find(NULL, "task->pid", 9, &walk, &error))
		skip();
}

static void numbers_are_those_of_this_thread(void **state)
{
	char text[256];

	skip_unless_possible();
	snprintf(text, sizeof(text), "task->pid == %d && current->tgid == %d", gettid(), getpid());
	assert_all(text);
	snprintf(text, sizeof(text), "task->pid != %d", gettid());
	assert_none(text, true);
	snprintf(text, sizeof(text), "task->real_parent->tgid == %d", getppid());
	assert_all(text);
	snprintf(text, sizeof(text), "task->group_leader->group_leader->group_leader->pid in {%d..%d}", getpid(), getpid());
	assert_all(text);
	snprintf(text, sizeof(text), "task->cred->uid == %u", getuid()); /* a structure of one member */
	assert_all(text);
	snprintf(text, sizeof(text), "task->static_prio == %d", 120 + getpriority(PRIO_PROCESS, 0));
	assert_all(text);
	assert_all("task->mm->total_vm > 100 && task->mm->mm_users.counter >= 1");
	assert_all("task->signal->oom_score_adj in {-1000..1000}");
	assert_all("((struct task_struct *)task->group_leader)->flags >= 0");
}

static void texts_are_those_of_this_thread(void **state)
{
	skip_unless_possible();
	prctl(PR_SET_NAME, "a-long-name");
	assert_all("task->comm == a-long-name");
	assert_all("task->comm ~ \"a-*-name\"");
	assert_all("task->comm ~ a-l*");
	assert_none("task->comm == a-long-nam", true);
	assert_none("task->comm !~ \"*long*\"", true);
	prctl(PR_SET_NAME, "short");
	assert_all("task->comm == short");
	assert_all("task->comm in {other, short}");
	assert_none("task->comm != short", true);
	assert_all("task->fs->root.dentry->d_name.name == /");
	assert_all("task->mm->exe_file->f_path.dentry->d_name.name == walk");
	assert_none("task->mm->exe_file->f_path.dentry->d_name.name ~ \"*wolk*\"", true);
}

/* Pointers to nothing, to user space, to memory that is not mapped, and numbers that are no addresses. */
static void bad_pointers_are_no_value(void **state)
{
	skip_unless_possible();
	assert_none("task->signal->tty->index == 0", false);
	assert_none("task->signal->tty->index != 0", false);
	assert_none("((struct task_struct *)task->mm->start_code)->pid == 0", false);
	assert_none("((struct task_struct *)task->mm->start_stack)->pid != 0", false);
	assert_none("((struct task_struct *)task->start_time)->comm ~ \"*\"", false);
	assert_none("((struct task_struct *)((struct task_struct *)task->mm->total_vm)->parent)->pid == 0", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_this_thread),
		cmocka_unit_test(texts_are_those_of_this_thread),
		cmocka_unit_test(bad_pointers_are_no_value),
	};

	setsid(); /* no terminal */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
