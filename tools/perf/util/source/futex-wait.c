// SPDX-License-Identifier: GPL-2.0
#include "util/source/futex-wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include "util/lib/types.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

/* pthread_mutex_t of glibc on 64-bit machines: sysdeps/nptl/bits/struct_mutex.h there, unchanged since glibc 2.4 */
struct glibc_mutex {
	u32 lock;
	u32 count; /* of recursive ones */
	u32 owner; /* tid */
	u32 users;
	u32 kind;
};
#define LOCK_HAS_WAITERS 2 /* lock of a mutex that is neither robust nor PI */
#define KIND_BITS 0x1ff
#define MAX_TID (4 << 20)

static bool may_be_mutex(const struct glibc_mutex *m)
{
	return m->owner && m->owner <= MAX_TID && m->users && m->users <= MAX_TID && !(m->kind & ~KIND_BITS);
}

/* The owner of a mutex of glibc. The lock of a robust one has its tid, too. 0: it is none, or unknown */
static u32 mutex_owner(const struct glibc_mutex *m, u32 expected)
{
	if (m->lock != expected || !may_be_mutex(m))
		return 0;
	if (m->lock == LOCK_HAS_WAITERS || (m->lock & FUTEX_WAITERS && (m->lock & FUTEX_TID_MASK) == m->owner))
		return m->owner;
	return 0;
}

static void set_owner(struct futex_wait *wait, u8 kind, u32 owner)
{
	if (owner)
		*wait = (struct futex_wait){ .address = wait->address, .owner = owner, .kind = kind };
}

/* The word of a thread has its tid until it has ended. The kernel wakes those who wait for that across processes. */
static bool is_end_of_thread(const struct snapshot_task *task, u32 word)
{
	return !(task->arg[1] & FUTEX_PRIVATE_FLAG) && word == (u32)task->arg[2] && word && word <= MAX_TID;
}

void futex_wait__read(struct futex_wait *wait, const struct snapshot_task *task, struct task_memory *memory)
{
	const u32 op = task->arg[1] & FUTEX_CMD_MASK;
	struct glibc_mutex mutex;

	*wait = (struct futex_wait){ .kind = FUTEX_KIND_NONE };
	if (task->call != SYS_futex || task->compat || task->state == OFFCPU_RUNNING)
		return;
	*wait = (struct futex_wait){ .address = task->arg[0], .kind = FUTEX_KIND_PLAIN };
	if (!task_memory__read(memory, wait->address, &mutex.lock, sizeof(mutex.lock)))
		return;
	if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2) {
		set_owner(wait, FUTEX_KIND_MUTEX, mutex.lock & FUTEX_TID_MASK);
		return;
	}
	if (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET)
		return;
	if (is_end_of_thread(task, mutex.lock))
		set_owner(wait, FUTEX_KIND_THREAD, mutex.lock);
	if (task_memory__read(memory, wait->address, &mutex, sizeof(mutex)))
		set_owner(wait, FUTEX_KIND_MUTEX, mutex_owner(&mutex, task->arg[2]));
}
