/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Where a task is now: what the BPF program of perf stacks sends to user space. Plain data only; BPF programs include vmlinux.h first.
 */
#ifndef PERF_BPF_SNAPSHOT_H
#define PERF_BPF_SNAPSHOT_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "lock.h"
#include "offcpu.h"
#include "trace.h"

#define SNAPSHOT_MAX_FRAMES 127 /* of the kernel's part */
#define SNAPSHOT_MAX_ARGS 6
#define SNAPSHOT_MAX_RETURNS 64 /* UNWIND_MAX_RETURNS */
#define SNAPSHOT_WORDS (SNAPSHOT_MAX_FRAMES + 2 * SNAPSHOT_MAX_RETURNS)
#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#define SNAPSHOT_REGS 34 /* words of struct user_pt_regs */
#define SNAPSHOT_SP 31	 /* the stack pointer, and the instruction */
#define SNAPSHOT_IP 32
#else
#define SNAPSHOT_REGS 21 /* words of struct pt_regs */
#define SNAPSHOT_SP 19
#define SNAPSHOT_IP 16
#endif

enum snapshot_regs {
	SNAPSHOT_NO_REGS,
	SNAPSHOT_ALL_REGS,
	SNAPSHOT_PLACE_ONLY, /* SNAPSHOT_SP and SNAPSHOT_IP: snapshot-proc.h */
};

/* A lock of the kernel that a task waits for, as the kernel keeps it for its report of hung tasks */
struct snapshot_lock {
	__u64 address;	/* 0: it waits for none, or that is unknown */
	__u8 flags;	/* of lock.h: LOCK_FLAG_MUTEX, LOCK_FLAG_READ or LOCK_FLAG_WRITE of a semaphore for both; 0: a counting semaphore */
	__u8 readers;	/* tasks that read have it; which ones is unknown */
	__u8 pad[2];
	__u32 owner;	/* tid of the task that has it, and its process; 0: unknown */
	__u32 owner_pid;
	struct lock_name name;
};

struct snapshot_task { /* without the words behind the last return */
	__u32 size; /* bytes of this record */
	__u32 pid, tid;
	__u32 cpu;	/* that it runs on, or ran on last */
	__u32 state;	/* enum offcpu_state: OFFCPU_RUNNING if it runs; 0: it ends */
	__u32 nr_kernel;
	__u64 started;	/* ns since boot: a tid may be used again */
	__u64 switches; /* of tasks, so far: it has not run between two records with the same number, unless it runs */
	__u64 off_ns;	/* for how long it has been off CPU; 0: unknown, or it runs */
	char comm[16];
	__u8 has_regs;	/* enum snapshot_regs: of user space, at the entry to the kernel; those of a task that runs are old */
	__u8 compat;	/* a 32-bit program, or one in such a call */
	__u8 kernel;	/* a thread of the kernel */
	__u8 pad;
	__u32 inner_tid; /* in its own PID namespace */
	__s32 call;	/* the system call that it is in, as trace_number(); -1: none */
	__u32 nr_returns;
	__u32 pid_ns; /* inode of that namespace; 0: unknown */
	struct snapshot_lock lock;
	struct trace_socket socket; /* if the call's first argument is the descriptor of one; family 0: it is none */
	__u64 arg[SNAPSHOT_MAX_ARGS];
	__u64 regs[SNAPSHOT_REGS];
	__u64 trampoline; /* 0: no return probe is active */
	/*
	 * nr_kernel frames, and nr_returns pairs: where in the stack a return probe has put the trampoline's address, and the return
	 * address that was there. On x86-64 only.
	 */
	__u64 frame[SNAPSHOT_WORDS];
};

#endif
