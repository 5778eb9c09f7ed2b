// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * System calls as one record each, or as sums. The begin is kept with the task; at the end the call is judged, and what its
 * arguments point to is copied: then its pages are in memory, as the kernel has just used them, and a call that is not wanted costs no
 * copy. Only a call that cannot return is sent when it begins.
 *
 * With TRACE_STACKS records end with the caller's stack.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "trace.h"
#include "tp.h"
#define FILTER_SLOTS FILTER_MAX_ENTRIES
#include "filter-tp.bpf.h"
#include "filter-table.bpf.h"
#include "target.bpf.h"
#include "syscall-hook.bpf.h"

#if defined(__TARGET_ARCH_x86)
enum { NR_RT_SIGRETURN = 15, NR_EXECVE = 59, NR_EXIT = 60, NR_EXIT_GROUP = 231, NR_EXECVEAT = 322 };
#elif defined(__TARGET_ARCH_arm64)
enum { NR_EXIT = 93, NR_EXIT_GROUP = 94, NR_RT_SIGRETURN = 139, NR_EXECVE = 221, NR_EXECVEAT = 281 };
#endif

const volatile struct trace_config trace_config;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct trace_open);
} trace_open SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* the loader sets the size */
} trace_ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct trace_counts);
} trace_counts SEC(".maps");

/* The loader sets the sizes. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_sum_key);
	__type(value, struct trace_sum);
} trace_sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct trace_hot_sum);
} trace_hot_sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_error_key);
	__type(value, __u64);
} trace_errors SEC(".maps");

#include "trace-copy.bpf.h"
#ifdef TRACE_STACKS
/* Only so many functions fit (bpf_skel.mak): 32-bit programs are left out. */
#define UNWIND_NO_COMPAT
#include "user-stack.bpf.h"
#endif

static __always_inline struct trace_counts *counts__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&trace_counts, &zero);
}

static __always_inline const volatile struct trace_rule *rule_of(__u32 nr)
{
	barrier_var(nr); /* clang knows when nr needs no mask, the verifier does not */
	return &trace_config.rule[nr & (TRACE_MAX_CALLS - 1)];
}

static __always_inline bool is_exec(__u32 nr)
{
	return nr == NR_EXECVE || nr == NR_EXECVEAT;
}

/* A call's end; its begin is in the storage of the task. */
struct call_end {
	__u32 nr;
	__u32 state; /* enum trace_call_state */
	__s64 ret;
	__u64 ns;
};

/* A return from a signal has no result: the program gets its registers back, whatever is in them. */
static __always_inline bool has_failed(const struct call_end *end)
{
	return end->ret < 0 && end->ret >= -TRACE_MAX_ERRNO && end->nr != NR_RT_SIGRETURN;
}

/* to is aligned to 8. Much cheaper than bpf_get_current_comm() */
static __always_inline void copy_comm(char *to, const struct task_struct *task)
{
	const __u64 *from = (const __u64 *)task->comm;

	((__u64 *)to)[0] = from[0];
	((__u64 *)to)[1] = from[1];
}

/* An exec is always judged at its end: its task has the new name and ids then. */
static __always_inline bool judged_early(__u32 nr)
{
	return trace_config.judged_early && !is_exec(nr);
}

/* What programs get */

#ifdef BY_EVENT

static __always_inline void read_arguments(void *ctx, __u64 *arg)
{
	const struct raw_enter *enter = ctx;

	for (int i = 0; i < TRACE_MAX_ARGS; i++)
		arg[i] = enter->arg[i];
}

#else

static __always_inline void read_arguments(void *ctx, __u64 *arg)
{
	syscall_arguments__read(syscall_regs(ctx), arg, TRACE_MAX_ARGS);
}

#endif

/* Sums */

static __always_inline void add_square(struct trace_sum *sum, __u64 ns)
{
	const __u64 low = ns & 0xffffffff, high = ns >> 32, middle = low * high;
	__u64 part = low * low;

	sum->squares_low += part;
	sum->squares_high += (sum->squares_low < part) + high * high;
	part = middle << 33;
	sum->squares_low += part;
	sum->squares_high += (sum->squares_low < part) + (middle >> 31);
}

/* A slot belongs to its first key. NULL: to another one */
static __always_inline struct trace_sum *hot_sum_of(const struct trace_sum_key *key)
{
	const __u64 word = trace_hot_key(key);
	__u32 slot = (key->id * 61 + key->nr) & (TRACE_HOT_SUMS - 1);
	struct trace_hot_sum *hot = bpf_map_lookup_elem(&trace_hot_sums, &slot);

	if (!hot)
		return NULL;
	if (hot->key == word)
		return &hot->sum;
	if (hot->key || __sync_val_compare_and_swap(&hot->key, 0, word))
		return NULL;
	hot->sum.least = ~0ULL;
	return &hot->sum;
}

/* Not inlined, for its stack: a program that judges texts needs most of it. */
static __noinline struct trace_sum *hashed_sum_of(const struct trace_sum_key *key)
{
	const struct trace_sum none = { .least = ~0ULL };
	struct trace_sum *sum = bpf_map_lookup_elem(&trace_sums, key);

	if (sum)
		return sum;
	bpf_map_update_elem(&trace_sums, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&trace_sums, key);
}

static __always_inline struct trace_sum *sum_of(const struct trace_sum_key *key)
{
	struct trace_sum *sum = trace_config.by == TRACE_BY_CGROUP ? NULL : hot_sum_of(key);

	return sum ?: hashed_sum_of(key);
}

static __always_inline void add_error(const struct trace_sum_key *key, __u32 error, struct trace_counts *counts)
{
	const struct trace_error_key where = { .id = key->id, .nr = key->nr, .error = error };
	const __u64 one = 1;
	__u64 *nr = bpf_map_lookup_elem(&trace_errors, &where);

	if (nr)
		__sync_fetch_and_add(nr, 1);
	else if (bpf_map_update_elem(&trace_errors, &where, &one, BPF_ANY))
		counts->lost_sums++;
}

static __always_inline struct trace_sum_key sum_key(const struct task_struct *task, __u32 nr)
{
	const __u32 cpu = bpf_get_smp_processor_id();

	switch (trace_config.by) {
	case TRACE_BY_CPU:
		return (struct trace_sum_key){ .id = cpu, .nr = nr };
	case TRACE_BY_CGROUP:
		return (struct trace_sum_key){ .id = bpf_get_current_cgroup_id(), .nr = nr, .cpu = cpu };
	default:
		return (struct trace_sum_key){ .id = task->pid, .nr = nr };
	}
}

/* A thread's rows, and a CPU's, change on one CPU at a time. */
static __always_inline void add_to_sum(const struct task_struct *task, const struct call_end *end, struct trace_counts *counts)
{
	const bool failed = has_failed(end);
	const struct trace_sum_key key = sum_key(task, end->nr);
	struct trace_sum *sum = sum_of(&key);

	if (!sum) {
		counts->lost_sums++;
		return;
	}
	sum->pid = task->tgid;
	copy_comm(sum->comm, task);
	sum->calls++;
	if (end->state == TRACE_NO_RETURN) {
		sum->unreturned++;
		return;
	}
	sum->errors += failed;
	sum->total += end->ns;
	if (end->ns < sum->least)
		sum->least = end->ns;
	if (end->ns > sum->greatest)
		sum->greatest = end->ns;
	add_square(sum, end->ns);
	if (failed && trace_config.with_errors)
		add_error(&key, -end->ret, counts);
}

/* Sending */

#define TRACE_TURNS 64
static __always_inline __u64 wake_flags(struct trace_counts *counts)
{
	if (++counts->turn % TRACE_TURNS || bpf_ringbuf_query(&trace_ring, BPF_RB_AVAIL_DATA) < trace_config.wake_at)
		return BPF_RB_NO_WAKEUP;
	return BPF_RB_FORCE_WAKEUP;
}

#ifdef TRACE_STACKS

#define PERF_CONTEXT_USER ((__u64)-512)
#define FRAME_SIZE sizeof(__u64)

/* Put the stack behind the copies. Returns the bytes of all. Not inlined, as unwinding needs most of the 512 bytes of stack. */
static __noinline __u32 put_stack(void *ctx, struct trace_scratch *s, __u32 used)
{
	__u64 *chain;
	__u32 nr = 0;
	long size;

	s->call.chain_at = 0;
	if (used > COPY_ROOM)
		return used;
	chain = (__u64 *)(s->bytes + (used & ~7U));
	size = user_stack(ctx, chain + 2, TRACE_MAX_STACK * FRAME_SIZE);
	if (size > 0)
		nr = size / FRAME_SIZE & TRACE_MAX_STACK;
	chain[0] = nr + 1;
	chain[1] = PERF_CONTEXT_USER;
	s->call.chain_at = sizeof(s->call) + used;
	return used + (nr + 2) * FRAME_SIZE;
}

/* Is it sent to be finished by user space? */
static __always_inline bool send_unfinished(struct trace_scratch *s, __u32 size)
{
	return user_stack_send(&trace_ring, s, size, s->call.chain_at / sizeof(__u64));
}

#else

static __always_inline __u32 put_stack(void *ctx, struct trace_scratch *s, __u32 used)
{
	s->call.chain_at = 0;
	return used;
}

static __always_inline bool send_unfinished(struct trace_scratch *s, __u32 size)
{
	return false;
}

#endif

static __always_inline void send(struct trace_scratch *s, __u32 bytes, struct trace_counts *counts)
{
	__u32 size = sizeof(s->call) + bytes;

	s->call.bytes = size;
	if (send_unfinished(s, size))
		return;
	barrier_var(size);
	if (size > sizeof(s->call) + sizeof(s->bytes) || bpf_ringbuf_output(&trace_ring, s, size, wake_flags(counts)))
		counts->lost++;
}

/* Judging. The record that filters read is that of syscall_formats__fields(): number, result, ns, arguments. */
static __noinline bool keeps(const __u64 *arg, const struct call_end *end, struct trace_counts *counts)
{
	__u64 record[3 + 1 + TRACE_MAX_ARGS];
	struct filter_source src = {
		.record = record, .origin = record, .mode = FILTER_MODE_USER, .words = &filter_words, .counts = &counts->filter,
	};

	record[0] = 0;
	record[1] = end->nr;
	record[2] = end->ret;
	record[3] = end->ns;
	__builtin_memcpy(record + 4, arg, TRACE_MAX_ARGS * sizeof(*record));
	if (filter_table__accepts(&src))
		return true;
	counts->filter.dropped++;
	return false;
}

/* Do the options and the filter want a call that has ended? */
static __always_inline bool wants(const __u64 *arg, const struct call_end *end, struct trace_counts *counts)
{
	counts->calls++;
	if (trace_config.failed_only && !has_failed(end))
		return false;
	if (end->ns < trace_config.min_ns)
		return false;
	return !trace_config.filtered || judged_early(end->nr) || keeps(arg, end, counts);
}

/* Sums need no arguments. */
static __always_inline bool needs_args(void)
{
	return trace_config.written || (trace_config.filtered && !trace_config.judged_early);
}

static __always_inline void send_call(void *ctx, struct task_struct *task, const struct trace_open *open, const struct call_end *end,
				      struct trace_counts *counts)
{
	struct trace_scratch *s;
	struct trace_call *call;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&trace_scratch, &zero);
	if (!s)
		return;
	call = &s->call;
	call->begin = open->begin;
	call->end = open->begin + end->ns;
	call->pid = task->tgid;
	call->tid = task->pid;
	call->nr = end->nr;
	call->cpu = bpf_get_smp_processor_id();
	call->ret = end->ret;
	call->state = end->state;
	call->nr_copies = 0;
	__builtin_memcpy(call->arg, open->arg, sizeof(open->arg));
	copy_comm(call->comm, task);
	send(s, put_stack(ctx, s, end->state == TRACE_ENDED ? copy_all(s, open) : 0), counts);
}

static __always_inline void finish(void *ctx, struct task_struct *task, struct trace_open *open, const struct call_end *end)
{
	struct trace_counts *counts = counts__get();

	if (!counts || !wants(open->arg, end, counts))
		return;
	if (trace_config.summed)
		add_to_sum(task, end, counts);
	if (trace_config.written)
		send_call(ctx, task, open, end, counts);
}

/*
 * Who began a call on this CPU last, and how long it has been running: while the task is not switched, it needs no more looks at its storage, which
 * take longer, to know that it is traced, or that its call was dropped. What is left of a task that went elsewhere matches nothing later, nor
 * does that of one whose memory is another task's now: start and number of switches only grow together, as a switch takes more than 1 ns.
 */
static __always_inline __u64 turn_of(const struct task_struct *task)
{
	return task->start_boottime + task->nvcsw + task->nivcsw;
}

static __always_inline bool is_noted(const struct task_struct *task, const struct trace_counts *counts)
{
	return counts->noted_task == (__u64)task && counts->noted_turn == turn_of(task);
}

static __always_inline void note_task(const struct task_struct *task, struct trace_counts *counts)
{
	counts->noted_task = (__u64)task;
	counts->noted_turn = turn_of(task);
}

/*
 * A command is traced from its exec on: including the exec itself, which begins before. That one is not noted, as it may fail. Who is traced stays so
 * until it ends.
 */
static __always_inline bool is_traced(struct task_struct *task, __u32 nr, struct trace_counts *counts)
{
	if (is_noted(task, counts))
		return true;
	if (target__has(task)) {
		note_task(task, counts);
		return true;
	}
	return is_exec(nr) && target__waits(task);
}

static __always_inline bool was_dropped(const struct task_struct *task)
{
	struct trace_counts *counts;

	if (!trace_config.judged_early)
		return false;
	counts = counts__get();
	return counts && counts->dropped && is_noted(task, counts);
}

/* Is the call dropped before it has done anything? Then nothing is kept of it. */
static __always_inline bool is_dropped(void *ctx, __u32 nr, struct trace_counts *counts)
{
	const struct call_end begin = { .nr = nr };
	__u64 arg[TRACE_MAX_ARGS];

	if (!judged_early(nr))
		return false;
	read_arguments(ctx, arg);
	if (keeps(arg, &begin, counts))
		return false;
	counts->calls++;
	return true;
}

static __always_inline void take_enter(void *ctx, __u32 nr)
{
	struct task_struct *task;
	struct trace_open *open;
	struct trace_counts *counts;

	if (nr >= TRACE_MAX_CALLS || !rule_of(nr)->wanted || !target__has_cpu(bpf_get_smp_processor_id()))
		return;
	counts = counts__get();
	if (!counts)
		return;
	task = bpf_get_current_task_btf(); /* a call, which takes longer than all before */
	if (!is_traced(task, nr, counts))
		return;
	if (is_compat(task)) {
		counts->compat++;
		return;
	}
	counts->dropped = is_dropped(ctx, nr, counts);
	if (counts->dropped)
		return;
	open = bpf_task_storage_get(&trace_open, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!open) {
		counts->untracked++;
		return;
	}
	open->nr = nr;
	open->judged = judged_early(nr);
	if (needs_args())
		read_arguments(ctx, open->arg);
	if (trace_config.written) {
		note_files(open, rule_of(nr));
		if (rule_of(nr)->early)
			copy_early(open);
	}
	open->begin = bpf_ktime_get_ns();
	if (nr == NR_EXIT || nr == NR_EXIT_GROUP) {
		const struct call_end end = { .nr = nr, .state = TRACE_NO_RETURN };

		finish(ctx, task, open, &end);
		open->begin = 0;
	}
}

static __always_inline void take_exit(void *ctx, __u32 nr, __s64 ret)
{
	struct task_struct *task;
	struct trace_open *open;

	if (nr < TRACE_MAX_CALLS && !rule_of(nr)->wanted) /* a return from a signal has no number */
		return;
	task = bpf_get_current_task_btf();
	if (was_dropped(task))
		return;
	open = bpf_task_storage_get(&trace_open, task, 0, 0);
	if (!open || !open->begin)
		return;
	if (!is_exec(open->nr) || target__has(task)) {
		const struct call_end end = { .nr = open->nr, .state = TRACE_ENDED, .ret = ret, .ns = bpf_ktime_get_ns() - open->begin };

		finish(ctx, task, open, &end);
	}
	open->begin = 0;
}

SYSCALL_ENTER(trace_enter, take_enter)
SYSCALL_EXIT(trace_exit, take_exit)

/* User space reads this at the end. */
SEC("iter/task")
int trace_list_open(struct bpf_iter__task *ctx)
{
	struct trace_unfinished u = { 0 };
	struct task_struct *task = ctx->task;
	struct trace_open *open;

	if (!task)
		return 0;
	open = bpf_task_storage_get(&trace_open, task, 0, 0);
	if (!open || !open->begin || !target__has(task))
		return 0;
	u.open = *open;
	u.pid = task->tgid;
	u.tid = task->pid;
	bpf_probe_read_kernel_str(u.comm, sizeof(u.comm), task->comm);
	bpf_seq_write(ctx->meta->seq, &u, sizeof(u));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
