// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/inherit-check.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/bpf/kernel-features.h"
#include "util/lib/threads.h"
#include "util/lib/types.h"

/* A dummy counts nothing, and takes no space in a group. It must have the clock of its leader. */
static int open_check_event(const struct perf_event_attr *like, pid_t tid, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.read_format = PERF_FORMAT_GROUP,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = like->use_clockid,
		.clockid = like->clockid,
	};

	return sys_perf_event_open(&attr, tid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/*
 * -ECHILD: when the kernel schedules child after parent, it lets them exchange their events. Then the leader no longer belongs to
 * this thread (EINVAL), or has ended with another one (ENODEV): so there is, or was, a child.
 */
static int join(const struct perf_event_attr *like, pid_t tid, int cpu, int leader)
{
	int fd;

	do
		fd = open_check_event(like, tid, cpu, leader);
	while (fd < 0 && errno == EINTR);
	if (fd >= 0)
		return fd;
	return errno == EINVAL || errno == ENODEV ? -ECHILD : -errno;
}

/* Only the result of read(2) matters, not the counts. */
static int ask(const struct perf_event_attr *like, pid_t tid, int cpu, int leader)
{
	u64 counts[2048]; /* the kernel limits a group's counts to 16 KiB */
	int fd = join(like, tid, cpu, leader), ret;

	if (fd < 0)
		return fd;
	ret = read(fd, counts, sizeof(counts)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int inherit_check__ask(const struct perf_event_attr *like, pid_t tid, int cpu, int leader, struct errmsg *err)
{
	int ret = ask(like, tid, cpu, leader);

	if (!ret || ret == -ECHILD || ret == -ESRCH)
		return ret;
	return errmsg__set(err, -ret, "cannot find out whether the filter works in the tasks that thread %d starts: %s", tid,
			   strerror(-ret));
}

bool inherit_check__is_refused(const struct perf_event_attr *like, pid_t tid, int cpu, int leader)
{
	int fd = join(like, tid, cpu, leader);

	if (fd >= 0)
		close(fd);
	return fd == -ECHILD;
}

struct probe_thread {
	pthread_barrier_t barrier;
};

static void *live_until_asked(void *arg)
{
	struct probe_thread *thread = arg;

	pthread_barrier_wait(&thread->barrier); /* the child has inherited */
	pthread_barrier_wait(&thread->barrier); /* the parent has asked the kernel */
	return NULL;
}

static int probe_with_thread(const struct perf_event_attr *attr, int fd)
{
	struct probe_thread thread;
	pthread_t id;
	int ret;

	pthread_barrier_init(&thread.barrier, NULL, 2);
	ret = threads__start(&id, live_until_asked, &thread);
	if (!ret) {
		pthread_barrier_wait(&thread.barrier);
		ret = ask(attr, 0, -1, fd);
		pthread_barrier_wait(&thread.barrier);
		pthread_join(id, NULL);
	}
	pthread_barrier_destroy(&thread.barrier);
	return ret == -ECHILD ? 1 : ret;
}

int inherit_check__probe(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = probe_with_thread(&attr, fd);
	close(fd);
	return ret;
}
