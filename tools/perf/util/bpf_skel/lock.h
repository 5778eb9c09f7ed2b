/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Waiting for locks: what the BPF programs on the tracepoints lock:contention_begin and lock:contention_end share with user space.
 * Plain data only; BPF programs include vmlinux.h first.
 */
#ifndef PERF_BPF_LOCK_H
#define PERF_BPF_LOCK_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"

/* The flags of contention_begin: include/trace/events/lock.h */
enum {
	LOCK_FLAG_SPIN = 1,
	LOCK_FLAG_READ = 2,
	LOCK_FLAG_WRITE = 4,
	LOCK_FLAG_RT = 8,
	LOCK_FLAG_PERCPU = 16,
	LOCK_FLAG_MUTEX = 32,
	LOCK_NR_FLAGS = 64, /* numbers that these flags can make */
};

/* In place of those flags for locks of user space, waits for which are system calls of the futex family. */
enum {
	LOCK_FUTEX = LOCK_NR_FLAGS,
	LOCK_FUTEX_SHARED = LOCK_FUTEX + 1, /* processes may share it: FUTEX_PRIVATE_FLAG is not set */
	LOCK_FUTEX_PI = LOCK_FUTEX + 2,
	LOCK_FUTEX_PI_SHARED = LOCK_FUTEX + 3,
};

#define LOCK_MAX_FRAMES 64 /* of a waiter's stack, those of the programs and of the lock's functions included */
#define LOCK_NAME_LEN 32

/* What a lock belongs to. The programs find out what stands above LOCK_OF_CPU, user space the rest. */
enum lock_place {
	LOCK_OF_UNKNOWN,
	/* A structure of the process that waits: id is its PID, text its name. */
	LOCK_OF_MM,
	LOCK_OF_SIGHAND,
	LOCK_OF_SIGNAL,
	LOCK_OF_FILES,
	LOCK_OF_FS,
	LOCK_OF_TASK, /* of the thread that waits: its TID and name */
	LOCK_OF_RQ,   /* rq.__lock: id is the CPU */
	LOCK_OF_SLAB, /* an object of a slab cache: text is the cache's name */
	LOCK_OF_CPU,  /* a per-CPU variable: id is the CPU */
	LOCK_OF_PAGE, /* struct page */
	LOCK_OF_KERNEL, /* the kernel's image */
};

#define LOCK_NO_OFFSET 0xffffffffU

struct lock_name {
	__u32 kind;   /* enum lock_place */
	__u32 id;
	__u32 offset; /* in the structure, the object, the variables of a CPU, or from the beginning of the image */
	__u32 or_offset; /* in an object, if its slab has the least size that the cache takes; mostly the same. Both LOCK_NO_OFFSET: unknown */
	char text[LOCK_NAME_LEN];
};

/* By whom waits are counted. */
enum lock_by {
	LOCK_BY_WAITER,
	LOCK_BY_OWNER,	     /* key.tid and comm are of the task that holds the lock when the wait begins, or wakes from a futex; see LOCK_OWNER_* */
	LOCK_BY_OWNER_STACK, /* frames are its kernel stack then */
};

/* In place of the owner's tid, if there is no such task: */
#define LOCK_OWNER_UNKNOWN 0xffffffffU
#define LOCK_OWNER_READERS 0xfffffffeU /* the kernel keeps the last reader of a rwsem at most, who need not hold it any more */

struct lock_config {
	__u64 types;	    /* bit n: count waits whose flags make the number n */
	__u32 by;	    /* enum lock_by */
	__u8 named;	    /* find out what locks belong to */
	__u8 some_locks;    /* only those in lock_addresses */
	__u8 filtered;	    /* use the filter's table */
	__u8 filter_early;  /* when the wait begins, since it depends on nothing that comes later */
	/* of the kernel: */
	__u8 has_task_lookup; /* bpf_task_from_pid */
	__u8 has_cache_lookup; /* bpf_get_kmem_cache */
	__u8 user_stack; /* take user stacks, not those in the kernel; always so for futexes */
	__u32 stack_size;   /* bytes to take of a stack, at most those of LOCK_MAX_FRAMES; 0: none is needed */
	__u32 page_size;
};

/* A wait that has not ended. Key: the lock and who waits. */
struct lock_waiter {
	__u64 lock; /* for a futex: 0, since a task waits for one at a time */
	__u32 tid;
	__u32 cpu; /* for the idle task, of which each CPU has one; 0 for others */
};

/*
 * One of these per CPU. begins = ends + no_waits + unended + lost, and those that have not ended: what lock_waits still holds.
 */
struct lock_counts {
	__u64 begins;	  /* waits of the target that began */
	__u64 dropped;	  /* by the filter: when they began, then they are not in begins, or when they ended */
	__u64 lost;	  /* the map of waits was full */
	__u64 unended;	  /* the task waits for the same lock again, and the end of the first wait was not seen */
	__u64 ends;
	__u64 lone_ends;  /* of waits of the target whose begin was not seen */
	__u64 nested;	  /* waits in interrupts that came while a program of ours was running on the CPU; not in begins */
	__u64 no_stack;	  /* waits whose stack could not be taken */
	__u64 no_waits;	  /* system calls that returned at once, as the futex had changed, or with an error */
	__u64 timed_out;  /* of ends: nobody woke the task in time, */
	__u64 interrupted; /* or a signal did */
	__u64 seeded;	  /* of begins: the task waited before perf watched */
	__u64 late_owners; /* owners that are known from their own wait for the lock, not from the lock */
	__u64 busy;	  /* a program is running */
	__u64 every[FILTER_MAX_EVERYS]; /* state for FILTER_TERM_EVERY */
};

#endif
