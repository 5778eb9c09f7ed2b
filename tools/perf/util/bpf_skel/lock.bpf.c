// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * How long tasks wait for locks of the kernel, and where in its code. The stack is taken when a wait begins: then it delays nobody
 * who wants the lock. If a filter judges the wait by its length, it is taken at the end, of the waits that are kept only: the kernel's walk
 * costs several times as much as all the rest. When the wait ends its time is added to the row of its key (tally.bpf.h).
 *
 * Both tracepoints can be hit in interrupts, and by what these programs call (a ring buffer and a map have locks, too). A CPU that
 * is in one of the programs does not enter the other: what comes meanwhile begins and ends there, so it is left out as a whole.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "lock-common.bpf.h"
#include "lock-place.bpf.h"

extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym __weak; /* 6.2, as the next one */
extern void bpf_task_release(struct task_struct *task) __ksym __weak;

/* The locks of run queues: address -> CPU. The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u32);
} lock_run_queues SEC(".maps");

/* Who got a lock last after waiting for it. The loader sets the size. */
struct lock_owner {
	__u32 pid, tid;
	__u64 comm[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct lock_owner);
} lock_owners SEC(".maps");

static __always_inline struct lock_waiter waiter_of(__u64 lock)
{
	struct lock_waiter waiter = { .lock = lock, .tid = bpf_get_current_pid_tgid() };

	if (!waiter.tid)
		waiter.cpu = bpf_get_smp_processor_id();
	return waiter;
}

/* Names */

static __noinline void name_lock(struct task_struct *task, __u64 lock, struct lock_name *name)
{
	const __u64 self = bpf_get_current_task(); /* a number, unlike task */
	__u32 *cpu;

	*name = (struct lock_name){ 0 };
	if (lock_place__is_in(lock, (void *)self, bpf_core_type_size(struct task_struct), LOCK_OF_TASK, name)) {
		lock_place__set_task(name, task);
		return;
	}
	if (lock_place__of_process(task, lock, name))
		return;
	cpu = bpf_map_lookup_elem(&lock_run_queues, &lock);
	if (cpu) {
		name->kind = LOCK_OF_RQ;
		name->id = *cpu;
		return;
	}
	if (lock_config.has_cache_lookup)
		lock_place__of_object(lock, lock_config.page_size, name);
}

/* A struct page of any task's stack, so that user space knows where these are; 0: none is known */
__u64 lock_some_page = 0;

static __always_inline void find_page(struct task_struct *task)
{
	struct page **pages;

	if (lock_some_page || !bpf_core_field_exists(task->stack_vm_area) || !bpf_core_field_exists(struct vm_struct, pages))
		return;
	pages = BPF_CORE_READ(task, stack_vm_area, pages);
	if (pages)
		bpf_probe_read_kernel(&lock_some_page, sizeof(lock_some_page), pages);
}

/* User space runs this once before the programs are attached. */
SEC("iter/task")
int lock_find_run_queues(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct rq *rq;
	__u64 lock;
	__u32 cpu;

	if (!task)
		return 0;
	find_page(task);
	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(struct cfs_rq, rq) ||
	    !bpf_core_field_exists(struct rq, __lock))
		return 0;
	rq = BPF_CORE_READ(task, se.cfs_rq, rq);
	if (!rq)
		return 0;
	lock = (__u64)rq + bpf_core_field_offset(struct rq, __lock);
	cpu = BPF_CORE_READ(rq, cpu);
	bpf_map_update_elem(&lock_run_queues, &lock, &cpu, BPF_ANY);
	return 0;
}

/* Owners */

/* Such locks do not know their owner. */
static __always_inline bool is_spinning(__u32 flags)
{
	return flags & LOCK_FLAG_SPIN && !(flags & LOCK_FLAG_MUTEX);
}

/*
 * Count the wait for its lock's owner, not for the task that waits. true: the lock told, who holds it now. A mutex is often free
 * again when the wait begins; then it is the task that got it last after a wait.
 */
static __noinline bool find_owner(struct lock_wait *w, __u64 lock, __u32 flags, struct lock_counts *counts)
{
	const __u64 nobody[2] = { 0, 0 };
	struct task_struct *task;
	struct lock_owner *last;
	__u64 comm[2] = { 0, 0 };
	bool readers;

	task = (struct task_struct *)lock_owner__of(lock, flags, &readers);
	if (task) {
		bpf_core_read_str(comm, sizeof(comm), &task->comm);
		set_owner(&w->key, BPF_CORE_READ(task, tgid), BPF_CORE_READ(task, pid), comm);
		return true;
	}
	last = readers || is_spinning(flags) ? NULL : bpf_map_lookup_elem(&lock_owners, &lock);
	if (last) {
		counts->late_owners++;
		set_owner(&w->key, last->pid, last->tid, last->comm);
		return false;
	}
	set_owner(&w->key, 0, readers ? LOCK_OWNER_READERS : LOCK_OWNER_UNKNOWN, nobody);
	return false;
}

static __always_inline void take_owners_stack(struct lock_wait *w)
{
	struct task_struct *owner;
	long size;

	if (!lock_config.has_task_lookup || (__s32)w->key.tid <= 0)
		return;
	owner = bpf_task_from_pid(w->key.tid);
	if (!owner)
		return;
	size = bpf_get_task_stack(owner, w->frame, stack_size(), 0);
	if (size > 0)
		w->nr_frames = size / sizeof(w->frame[0]);
	bpf_task_release(owner);
}

static __always_inline void take_kernel_stack(void *ctx, struct lock_wait *w)
{
	long size = bpf_get_stack(ctx, w->frame, stack_size(), 0);

	w->nr_frames = size > 0 ? size / sizeof(w->frame[0]) : 0;
}

static __always_inline void take_stack(void *ctx, struct lock_wait *w, bool is_owner, struct lock_counts *counts)
{
	w->nr_frames = w->user_frames = 0;
	if (!lock_config.stack_size)
		return;
	if (lock_config.user_stack)
		take_user_stack(ctx, w);
	else if (lock_config.by != LOCK_BY_OWNER_STACK)
		take_kernel_stack(ctx, w);
	else if (is_owner)
		take_owners_stack(w);
	counts->no_stack += !w->nr_frames;
}

/* Whoever waits has the same callers at the end; who holds the lock then is another one. */
static __always_inline bool takes_stack_late(void)
{
	return lock_config.filtered && !lock_config.filter_early && lock_config.by != LOCK_BY_OWNER_STACK;
}

/* The begin of a wait */

static __always_inline void describe(void *ctx, struct task_struct *task, struct lock_wait *w, __u64 lock, __u32 flags,
				     struct lock_counts *counts)
{
	struct filter_source src = source_of(task, w->begin, 0, counts);
	bool is_owner = false;

	tally_key__fill(&w->key, &src);
	w->key.lock = lock;
	w->key.lock_type = flags & LOCK_FLAG_MUTEX ? LOCK_FLAG_MUTEX : flags % LOCK_NR_FLAGS;
	if (lock_config.by != LOCK_BY_WAITER)
		is_owner = find_owner(w, lock, flags, counts);
	if (lock_config.named)
		name_lock(task, lock, &w->lock);
	if (takes_stack_late())
		w->nr_frames = w->user_frames = 0;
	else
		take_stack(ctx, w, is_owner, counts);
}

static __always_inline bool wants(struct task_struct *task, __u64 lock, __u32 flags)
{
	if (!(lock_config.types >> (flags % LOCK_NR_FLAGS) & 1) || !target__has_cpu(bpf_get_smp_processor_id()) || !target__has(task))
		return false;
	return !lock_config.some_locks || bpf_map_lookup_elem(&lock_addresses, &lock);
}

/*
 * A mutex begins anew each time its waiter goes from spinning to sleeping or back: that is one wait. For other locks the end of the
 * wait that is in the map was not seen.
 */
static __always_inline bool goes_on(const struct lock_waiter *waiter, __u32 flags, struct lock_counts *counts)
{
	struct lock_wait *w = bpf_map_lookup_elem(&lock_waits, waiter);

	if (!w)
		return false;
	if (flags & LOCK_FLAG_MUTEX)
		return true;
	counts->unended++;
	bpf_map_delete_elem(&lock_waits, waiter); /* the filter may drop the new one */
	return false;
}

static __always_inline void begin(void *ctx, __u64 lock, __u32 flags, struct lock_counts *counts)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct lock_waiter waiter;
	struct lock_wait *w;
	__u32 zero = 0;

	if (!wants(task, lock, flags))
		return;
	waiter = waiter_of(lock);
	w = bpf_map_lookup_elem(&lock_scratch, &zero);
	if (!w || goes_on(&waiter, flags, counts))
		return;
	w->begin = bpf_ktime_get_ns();
	if (lock_config.filtered && lock_config.filter_early && !keeps(task, w->begin, 0, counts))
		return;
	describe(ctx, task, w, lock, flags, counts);
	counts->begins++;
	if (bpf_map_update_elem(&lock_waits, &waiter, w, BPF_ANY))
		counts->lost++;
}

SEC("tp_btf/contention_begin")
int lock_begin(__u64 *ctx)
{
	struct lock_counts *counts = enter(true);

	if (counts) {
		begin(ctx, ctx[0], ctx[1], counts);
		leave(counts);
	}
	return 0;
}

/* The end */

/* It has the lock. */
static __always_inline void note_owner(__u64 lock)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct lock_owner owner = { .pid = id >> 32, .tid = id };

	bpf_get_current_comm(owner.comm, sizeof(owner.comm));
	bpf_map_update_elem(&lock_owners, &lock, &owner, BPF_ANY);
}

static __always_inline void count(void *ctx, struct lock_wait *w, __u64 ns, struct tally_scratch *s, struct lock_counts *counts)
{
	if (takes_stack_late())
		take_stack(ctx, w, false, counts);
	add(w, ns, s);
}

static __always_inline void end(void *ctx, __u64 lock, int error, struct lock_counts *counts)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tally_scratch *s = tally_scratch__get();
	struct lock_waiter waiter = waiter_of(lock);
	__u64 now = bpf_ktime_get_ns(), ns;
	struct lock_wait *w;

	w = bpf_map_lookup_elem(&lock_waits, &waiter);
	if (!w || !s) {
		counts->lone_ends += target__has_cpu(bpf_get_smp_processor_id()) && target__has(task);
		return;
	}
	ns = now > w->begin ? now - w->begin : 0;
	counts->ends++;
	if (!lock_config.filtered || lock_config.filter_early || keeps(task, now, ns, counts))
		count(ctx, w, ns, s, counts);
	if (lock_config.by != LOCK_BY_WAITER && !error && w->key.lock_type != LOCK_FLAG_SPIN)
		note_owner(lock);
	bpf_map_delete_elem(&lock_waits, &waiter);
}

SEC("tp_btf/contention_end")
int lock_end(__u64 *ctx)
{
	struct lock_counts *counts = enter(false);

	if (counts) {
		end(ctx, ctx[0], ctx[1], counts);
		leave(counts);
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
