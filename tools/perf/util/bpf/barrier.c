// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/barrier.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "util/bpf/token.h"
#include "util/lib/types.h"

/*
 * Changing a map of maps returns after all programs that were running have ended, since they may still use the old inner map
 * (kernel/bpf/syscall.c, maybe_wait_bpf_programs; Linux 4.20). No program uses this one.
 */
int bpf_barrier__init(struct bpf_barrier *b, int map_fd, struct errmsg *err)
{
	const struct bpf_token_map map = {
		.name = "perf_barrier",
		.type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
		.key_size = sizeof(u32),
		.value_size = sizeof(u32),
		.max_entries = 1,
		.inner_fd = map_fd,
	};
	int fd = bpf_token__create_map(&map);

	b->inner_fd = map_fd;
	b->outer_fd = fd;
	if (fd >= 0)
		return 0;
	if (fd == -EPERM && bpf_token__explain("Counting in BPF", err))
		return -EPERM;
	return errmsg__set(err, -fd, "cannot create the map of BPF maps that shows when programs have ended: %s", strerror(-fd));
}

/*
 * Programs run inside RCU read-side critical sections. membarrier(2) waits until those have ended (kernel/sched/membarrier.c calls
 * synchronize_rcu), unless some CPUs have no tick (nohz_full). It comes first: on a CPU inside bpf(2) for a map, even if the caller
 * was preempted there, the kernel skips programs of samples.
 */
int bpf_barrier__wait(const struct bpf_barrier *b)
{
	u32 zero = 0;

	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return 0;
	return bpf_map_update_elem(b->outer_fd, &zero, &b->inner_fd, BPF_ANY) ? -errno : 0;
}

void bpf_barrier__exit(struct bpf_barrier *b)
{
	if (b->outer_fd >= 0)
		close(b->outer_fd);
	*b = (struct bpf_barrier)BPF_BARRIER_NONE;
}
