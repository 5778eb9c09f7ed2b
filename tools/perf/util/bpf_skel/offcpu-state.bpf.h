/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Why a task leaves its CPU: what BPF programs make of sched_switch. A test runs this code in user space, too: on many kernels a task that is
 * preempted on its way to sleep is hardly ever seen.
 */
#ifndef PERF_BPF_OFFCPU_STATE_BPF_H
#define PERF_BPF_OFFCPU_STATE_BPF_H

#include "offcpu.h"

#ifndef __bpf__
#include <stdbool.h>
#endif

/* include/linux/sched.h; the same since Linux 4.14 */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED_OR_TRACED 0xc
#define TASK_NOLOAD 0x400

static inline __attribute__((always_inline)) __u32 sleep_state(bool preempt, __u32 state)
{
	if (preempt || !state)
		return OFFCPU_PREEMPTED;
	if (state & TASK_INTERRUPTIBLE)
		return OFFCPU_SLEEPING;
	if (state & TASK_UNINTERRUPTIBLE)
		return state & TASK_NOLOAD ? OFFCPU_IDLE : OFFCPU_DISK;
	return state & TASK_STOPPED_OR_TRACED ? OFFCPU_STOPPED : 0; /* 0: dead or parked */
}

#endif
