/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What a lock of the kernel belongs to, and which task holds it: read from the lock and what is around it. */
#ifndef PERF_BPF_LOCK_PLACE_BPF_H
#define PERF_BPF_LOCK_PLACE_BPF_H

#include "lock.h"

extern struct kmem_cache *bpf_get_kmem_cache(__u64 address) __ksym __weak; /* 6.13 */

/* Names */

static __always_inline bool lock_place__is_in(__u64 lock, const void *start, __u32 size, __u32 kind, struct lock_name *name)
{
	if (!start || lock - (__u64)start >= size)
		return false;
	name->kind = kind;
	name->offset = lock - (__u64)start;
	return true;
}

static __always_inline void lock_place__set_task(struct lock_name *name, struct task_struct *task)
{
	name->id = BPF_CORE_READ(task, pid);
	bpf_core_read_str(name->text, sizeof(task->comm), &task->comm);
}

#define LOCK_IS_IN(member, type, kind) lock_place__is_in(lock, BPF_CORE_READ(task, member), bpf_core_type_size(struct type), kind, name)

static __always_inline bool lock_place__of_process(struct task_struct *task, __u64 lock, struct lock_name *name)
{
	if (!LOCK_IS_IN(mm, mm_struct, LOCK_OF_MM) && !LOCK_IS_IN(sighand, sighand_struct, LOCK_OF_SIGHAND) &&
	    !LOCK_IS_IN(signal, signal_struct, LOCK_OF_SIGNAL) && !LOCK_IS_IN(files, files_struct, LOCK_OF_FILES) &&
	    !LOCK_IS_IN(fs, fs_struct, LOCK_OF_FS))
		return false;
	lock_place__set_task(name, BPF_CORE_READ(task, group_leader));
	return true;
}

#define ORDER_SHIFT 16 /* mm/slub.c: OO_SHIFT */

/* Slabs are aligned by their size. */
static __always_inline __u32 lock_place__in_slab(__u64 lock, __u32 order_objects, __u32 page_size, __u32 size, __u32 padding)
{
	const __u64 slab_size = (__u64)page_size << (order_objects >> ORDER_SHIFT & 31);
	const __u32 offset = (lock & (slab_size - 1)) % size;

	return offset >= padding ? offset - padding : LOCK_NO_OFFSET;
}

/* The objects of a merged cache are of unknown types. */
static __always_inline void lock_place__find_offset(struct kmem_cache *cache, __u64 lock, __u32 page_size, struct lock_name *name)
{
	__u32 size, padding = 0;

	name->offset = name->or_offset = LOCK_NO_OFFSET;
	if (!bpf_core_field_exists(cache->oo.x) || !bpf_core_field_exists(cache->min.x) || !bpf_core_field_exists(cache->refcount))
		return;
	size = BPF_CORE_READ(cache, size);
	if (!size || BPF_CORE_READ(cache, refcount) > 1)
		return;
	if (bpf_core_field_exists(cache->red_left_pad))
		padding = BPF_CORE_READ(cache, red_left_pad);
	name->offset = lock_place__in_slab(lock, BPF_CORE_READ(cache, oo.x), page_size, size, padding);
	name->or_offset = lock_place__in_slab(lock, BPF_CORE_READ(cache, min.x), page_size, size, padding);
}

/* An object of a slab cache: the caller has seen that the kernel has bpf_get_kmem_cache(). */
static __always_inline void lock_place__of_object(__u64 lock, __u32 page_size, struct lock_name *name)
{
	struct kmem_cache *cache = bpf_get_kmem_cache(lock);

	if (!cache)
		return;
	name->kind = LOCK_OF_SLAB;
	bpf_probe_read_kernel_str(name->text, sizeof(name->text), cache->name);
	lock_place__find_offset(cache, lock, page_size, name);
}

/* Owners */

#define LOCK_OWNER_FLAGS 7	 /* include/linux/mutex.h and rwsem.h; rt_mutex_base uses bit 0 only */
#define LOCK_RWSEM_READER 1	 /* kernel/locking/rwsem.c */
#define LOCK_MUTEX_PICKUP 4	 /* kernel/locking/mutex.c: the task is to get the mutex, and wakes for that */

/* The lock's word that has its owner, and flags; 0: none, or it cannot be known. flags: enum of lock.h */
static __always_inline __u64 lock_owner__word(__u64 lock, __u32 flags)
{
	__u64 owner = 0;

	if (flags & LOCK_FLAG_MUTEX)
		bpf_core_read(&owner, sizeof(owner), &((struct mutex *)lock)->owner.counter);
	else if (flags == LOCK_FLAG_READ || flags == LOCK_FLAG_WRITE)
		bpf_core_read(&owner, sizeof(owner), &((struct rw_semaphore *)lock)->owner.counter);
	else if (flags == LOCK_FLAG_RT)
		bpf_core_read(&owner, sizeof(owner), &((struct rt_mutex_base *)lock)->owner);
	return owner;
}

/* A task; 0: none, or one that cannot be known; *readers: the lock is held for reading. */
static __always_inline __u64 lock_owner__of(__u64 lock, __u32 flags, bool *readers)
{
	const __u64 owner = lock_owner__word(lock, flags);

	*readers = !(flags & (LOCK_FLAG_MUTEX | LOCK_FLAG_RT)) && owner & LOCK_RWSEM_READER;
	return *readers ? 0 : owner & ~(__u64)LOCK_OWNER_FLAGS;
}

#endif
