/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* A wait for a lock that has not ended: the value in the map lock_waits. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_LOCK_WAIT_H
#define PERF_BPF_LOCK_WAIT_H

#include "tally.h"

struct lock_wait {
	__u64 begin; /* CLOCK_MONOTONIC */
	__u32 nr_frames;
	__u32 user_frames; /* 1: the frames are the user's, not the kernel's */
	struct tally_key key;
	struct lock_name lock;
	__u64 frame[LOCK_MAX_FRAMES];
};

/* A thread that has waited for a futex since before perf watched, unless it has run after its stack was read */
struct lock_seed {
	__u64 switches, started; /* as in struct snapshot_task */
	struct lock_wait wait;	 /* with its frames only */
};

#endif
