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

const volatile struct trace_config trace_config;

/* User space sets them. */
__u64 trace_enabled_at; /* CLOCK_MONOTONIC: what began before is not known */
bool trace_has_ended;
bool trace_has_noted; /* what tasks were in when tracing began */
bool trace_lost_begin; /* there was no memory for the begin of a call */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct trace_open);
} trace_open SEC(".maps");

struct trace_before {
	__u64 begin; /* of tracing; 0: the call has ended */
	__u32 nr;
};

/* The calls that tasks were in when tracing began. Apart, as a task may go on while an iterator looks at it. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct trace_before);
} trace_before SEC(".maps");

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

static __always_inline const volatile struct trace_rule *rule_at(__u32 row)
{
	barrier_var(row); /* clang knows when it needs no mask, the verifier does not */
	return &trace_config.rule[row & (TRACE_MAX_CALLS - 1)];
}

static __always_inline const volatile struct trace_rule *rule_of(__u32 nr)
{
	return rule_at(trace_row(nr));
}

/* What is known of a number before it is known whose it is */
static __always_inline const volatile struct trace_rule *rule_of_number(__u32 number)
{
	return rule_at(number < TRACE_OTHER_CALLS ? number : TRACE_OTHER_CALLS);
}

static __always_inline bool wants_call(__u32 nr)
{
	return rule_of(nr)->wanted & TRACE_WANTED;
}

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

/* A call's end; its begin is in the storage of the task. */
struct call_end {
	__u32 nr;
	__u16 state; /* enum trace_call_state */
	__u8 begun;  /* enum trace_begin */
	__u8 by_seccomp;
	__s64 ret;
	__u64 ns;
};

static __always_inline bool has_error(const struct call_end *end)
{
	return end->state == TRACE_ENDED && end->ret < 0 && end->ret >= -TRACE_MAX_ERRNO && !trace_is_sigreturn(end->nr);
}

static __always_inline bool has_failed(const struct call_end *end)
{
	return end->state == TRACE_SIGSYS || has_error(end);
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
	return trace_config.judged_early && !trace_is_exec(nr);
}

/* What programs get */

/* Where the program's stack has the signals that it blocks again when rt_sigreturn(2) is called: struct rt_sigframe of the kernel's headers */
static __always_inline __u64 signal_mask_at(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->sp + 296; /* uc_sigmask of a struct ucontext */
#elif defined(__TARGET_ARCH_arm64)
	return regs->sp + 128 + 40; /* behind a siginfo_t */
#endif
}

static __always_inline void call_arguments__read(const struct pt_regs *regs, __u32 nr, __u64 *arg)
{
	if (trace_is_sigreturn(nr))
		arg[0] = trace_is_compat(nr) ? 0 : signal_mask_at(regs);
	else if (trace_is_compat(nr))
		compat_arguments__read(regs, arg);
	else
		syscall_arguments__read(regs, arg, TRACE_MAX_ARGS);
}

#ifdef BY_EVENT

static __always_inline void read_arguments(void *ctx, __u32 nr, __u64 *arg)
{
	const struct raw_enter *enter = ctx;

	if (trace_is_sigreturn(nr)) {
		call_arguments__read(syscall_regs(ctx), nr, arg);
		return;
	}
	for (int i = 0; i < TRACE_MAX_ARGS; i++)
		arg[i] = trace_is_compat(nr) ? (__u32)enter->arg[i] : enter->arg[i];
}

#else

static __always_inline void read_arguments(void *ctx, __u32 nr, __u64 *arg)
{
	call_arguments__read(syscall_regs(ctx), nr, arg);
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

	if (!nr && !bpf_map_update_elem(&trace_errors, &where, &one, BPF_NOEXIST))
		return;
	nr = nr ?: bpf_map_lookup_elem(&trace_errors, &where); /* another CPU was first */
	if (nr)
		__sync_fetch_and_add(nr, 1);
	else
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
	const struct trace_sum_key key = sum_key(task, end->nr);
	struct trace_sum *sum = sum_of(&key);

	if (!sum) {
		counts->lost_sums++;
		return;
	}
	sum->pid = task->tgid;
	copy_comm(sum->comm, task);
	sum->calls++;
	sum->errors += has_failed(end);
	sum->single += end->begun != TRACE_BEGIN_SEEN || end->state == TRACE_NO_RETURN;
	if (trace_config.with_errors && has_error(end))
		add_error(&key, -end->ret, counts);
	if (end->begun == TRACE_BEGIN_NONE || end->state == TRACE_NO_RETURN) {
		sum->untimed++;
		return;
	}
	sum->total += end->ns;
	if (end->ns < sum->least)
		sum->least = end->ns;
	if (end->ns > sum->greatest)
		sum->greatest = end->ns;
	add_square(sum, end->ns);
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

/*
 * Judging. The record that filters read is that of syscall_formats__fields(): which of the arguments it has that the filter names, number, result,
 * ns, and these arguments.
 */
static __always_inline void put_fields(__u64 *record, const __u64 *arg, const volatile struct trace_rule *rule)
{
	record[0] = 0;
	for (int i = 0; i < TRACE_MAX_ARGS && i < trace_config.nr_fields; i++) {
		const __u32 field = rule->field[i];

		record[0] |= (__u64)!!field << i;
		record[4 + i] = field ? trace_field_value(arg, field) : 0;
	}
}

/* arg: of TRACE_ARG_ROOM words in memory */
static __noinline bool keeps(const __u64 *arg, const struct call_end *end, struct trace_counts *counts)
{
	__u64 record[3 + 1 + TRACE_MAX_ARGS]; /* the table reads what put_fields() writes */
	struct filter_source src = {
		.record = record, .origin = record, .mode = FILTER_MODE_USER, .words = &filter_words, .counts = &counts->filter,
	};

	record[1] = (__s32)end->nr;
	record[2] = end->ret;
	record[3] = end->ns;
	put_fields(record, arg, rule_of(end->nr));
	return filter_table__accepts(&src);
}

/* Do the options and the filter want a call that has ended? */
static __always_inline bool wants(const struct trace_open *open, const struct call_end *end, struct trace_counts *counts)
{
	counts->calls++;
	if (trace_config.failed_only && !has_failed(end))
		return false;
	if (end->ns < trace_config.min_ns)
		return false;
	if (!trace_config.filtered || open->judged || keeps(open->arg, end, counts))
		return true;
	counts->filter.dropped++;
	return false;
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
	call->begun = end->begun;
	call->by_seccomp = end->by_seccomp;
	call->nr_copies = 0;
	__builtin_memcpy(call->arg, open->arg, sizeof(open->arg));
	copy_comm(call->comm, task);
	send(s, put_stack(ctx, s, end->state == TRACE_NO_RETURN ? 0 : copy_all(s, open)), counts);
}

static __always_inline void finish(void *ctx, struct task_struct *task, struct trace_open *open, const struct call_end *end)
{
	struct trace_counts *counts = counts__get();

	if (!counts || !wants(open, end, counts))
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
	return trace_is_exec(nr) && target__waits(task);
}

/* Was the call that ends dropped when it began? */
static __always_inline bool was_dropped(const struct task_struct *task)
{
	struct trace_counts *counts;

	if (!trace_config.judged_early)
		return false;
	counts = counts__get();
	if (!counts || !counts->dropped || !is_noted(task, counts))
		return false;
	counts->dropped = 0; /* the next end may be of a call that has no begin */
	return true;
}

/* Is the call dropped before it has done anything? Then nothing is kept of it. */
static __always_inline bool is_dropped(void *ctx, __u32 nr, struct trace_counts *counts)
{
	const struct call_end begin = { .nr = nr };
	__u64 arg[TRACE_ARG_ROOM];

	if (!judged_early(nr))
		return false;
	arg[TRACE_ARG_ROOM - 2] = arg[TRACE_ARG_ROOM - 1] = 0;
	read_arguments(ctx, nr, arg);
	if (keeps(arg, &begin, counts))
		return false;
	counts->calls++;
	counts->filter.dropped++;
	return true;
}

#define SECCOMP_MODE_FILTER 2
#define SECCOMP_MODE_DEAD 3

/* Its mode is one more when it kills the task, since Linux 5.17. */
static __always_inline bool has_seccomp(const struct task_struct *task)
{
	return bpf_core_field_exists(task->seccomp) && task->seccomp.mode >= SECCOMP_MODE_FILTER;
}

/* What the task may have been in when tracing began, once. A call of number TRACE_FORGOTTEN: nobody knows, as it was running */
static __always_inline struct trace_before take_note(struct task_struct *task)
{
	struct trace_before *before = bpf_task_storage_get(&trace_before, task, 0, 0);
	struct trace_before note = { 0 };

	if (before && before->begin >= trace_enabled_at) {
		note = *before;
		before->begin = 0;
	}
	return note;
}

/* From the first begin that is seen on, what the task was in when tracing began explains nothing. */
static __always_inline void meet(struct task_struct *task, struct trace_open *open)
{
	if (open->met == trace_enabled_at)
		return;
	open->met = trace_enabled_at;
	take_note(task);
}

/* What is kept of a call that begins, kept or dropped. NULL: no memory, or another program of this CPU is in the task's storage */
static __always_inline struct trace_open *open_begin(struct task_struct *task, struct trace_counts *counts)
{
	struct trace_open *open = bpf_task_storage_get(&trace_open, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (open) {
		meet(task, open);
	} else {
		counts->untracked++;
		trace_lost_begin = true;
	}
	return open;
}

/*
 * Is a dropped call remembered with its task? It is if its end could be judged anew, or otherwise, as that of a return from a signal,
 * which has no number: only ends of tasks with seccomp(2) may have no begin. A thread may get the filter while it is in the call, from
 * another one (SECCOMP_FILTER_FLAG_TSYNC).
 */
static __always_inline bool remembers_dropped(const struct task_struct *task, __u32 nr)
{
	if (!trace_config.judged_once && !trace_is_sigreturn(nr))
		return false;
	return has_seccomp(task) || task->signal->nr_threads > 1;
}

/* For its end: with the task, or while the task stays on the CPU. */
static __always_inline void remember_dropped(struct task_struct *task, __u32 nr, struct trace_counts *counts)
{
	struct trace_open *open;

	counts->dropped = !remembers_dropped(task, nr);
	if (counts->dropped)
		return;
	open = open_begin(task, counts);
	if (!open)
		return;
	open->begin = 0;
	open->mark = TRACE_MARK_DROPPED;
}

/* Files are noted when a call begins, if it can be. */
static __always_inline void fill_open(struct trace_open *open, __u32 nr, __u8 begun)
{
	open->nr = nr;
	open->begun = begun;
	if (trace_config.written)
		note_files(open, rule_of(nr));
}

/* number: of the call, among those of its ABI */
static __always_inline void take_enter(void *ctx, __u32 number)
{
	struct task_struct *task;
	struct trace_open *open;
	struct trace_counts *counts;
	__u32 nr;

	if (!rule_of_number(number)->wanted || !target__has_cpu(bpf_get_smp_processor_id()))
		return;
	counts = counts__get();
	if (!counts)
		return;
	task = bpf_get_current_task_btf(); /* a call, which takes longer than all before */
	nr = trace_number(number, is_compat(task));
	if (!wants_call(nr) || !is_traced(task, nr, counts))
		return;
	counts->dropped = false;
	if (is_dropped(ctx, nr, counts)) {
		remember_dropped(task, nr, counts);
		return;
	}
	open = open_begin(task, counts);
	if (!open)
		return;
	open->mark = TRACE_MARK_NONE;
	if (needs_args())
		read_arguments(ctx, nr, open->arg);
	fill_open(open, nr, TRACE_BEGIN_SEEN);
	open->judged = judged_early(nr);
	if (trace_config.written && rule_of(nr)->early)
		copy_early(open);
	open->begin = bpf_ktime_get_ns();
	if (trace_has_no_end(nr)) {
		const struct call_end end = { .nr = nr, .state = TRACE_NO_RETURN };

		finish(ctx, task, open, &end);
		open->begin = 0;
	}
}

/*
 * Ends without a begin. seccomp(2) and tracers that emulate calls have their say before the kernel hits sys_enter; calls that they answer end
 * with sys_exit all the same. A thread that seccomp kills, but not its process, has no end either, but exits. Other such ends are of calls that the
 * task was in when tracing began. Those that are none: of a child, in the call that has made it; of calls that began on a CPU that is not traced,
 * or that were dropped then.
 */

#define SIGSYS_BIT (1UL << 30)

/* A signal that the kernel has sent itself: it unblocks it first. */
static __always_inline bool gets_sigsys(const struct task_struct *task)
{
	return task->pending.signal.sig[0] & SIGSYS_BIT && !(task->blocked.sig[0] & SIGSYS_BIT);
}

/* Is the open call of the time since tracing was switched on? */
static __always_inline bool is_open(const struct trace_open *open)
{
	return open && open->begin && open->begin >= trace_enabled_at;
}

/* Does the filter keep a call that would have been judged when it began? One that was dropped then is dropped here, and not counted again. */
static __always_inline bool keeps_late(struct trace_open *open)
{
	const struct call_end begin = { .nr = open->nr };
	struct trace_counts *counts = counts__get();

	open->judged = judged_early(open->nr);
	return !open->judged || (counts && keeps(open->arg, &begin, counts));
}

/* Does only seccomp explain that the task's call has no begin? Not if it may have begun before, on a CPU that is left out, or without memory. */
static __always_inline bool is_of_seccomp(const struct task_struct *task, const struct trace_before *note)
{
	return has_seccomp(task) && !note->begin && trace_has_noted && !target_config.some_cpus && !trace_lost_begin;
}

/* Are the begins of all returns from signals seen? */
static __always_inline bool wants_sigreturn(struct task_struct *task)
{
	if (is_compat(task))
		return wants_call(TRACE_SIGRETURN_COMPAT) && wants_call(TRACE_RT_SIGRETURN_COMPAT);
	return wants_call(TRACE_RT_SIGRETURN);
}

/* What ends now without a begin, if it is a call to trace. */
static __always_inline struct trace_open *open_late(struct task_struct *task, const struct pt_regs *regs, __u32 nr, const struct trace_before *note)
{
	const bool before = note->begin && note->nr == nr, limited = has_seccomp(task);
	struct trace_open *open;

	if (!before && !limited && (judged_early(nr) || target_config.some_cpus))
		return NULL;
	open = bpf_task_storage_get(&trace_open, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!open) {
		struct trace_counts *counts = before || limited ? counts__get() : NULL; /* of others the begin has counted */

		if (counts)
			counts->untracked++;
		return NULL;
	}
	call_arguments__read(regs, nr, open->arg);
	fill_open(open, nr, before ? TRACE_BEGIN_BEFORE : TRACE_BEGIN_NONE);
	open->mark = is_of_seccomp(task, note) ? TRACE_MARK_SECCOMP : TRACE_MARK_NONE;
	open->begin = before ? note->begin : bpf_ktime_get_ns();
	return open;
}

static __always_inline struct trace_open *begin_late(const struct pt_regs *regs, __u32 nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct trace_before note;
	struct trace_open *open;

	if (!wants_call(nr) || !target__has(task))
		return NULL;
	note = take_note(task);
	if (!target__has_cpu(bpf_get_smp_processor_id()))
		return NULL;
	/* The end of a return from a signal has the same number as that of syscall(-1). */
	if (nr == TRACE_FORGOTTEN && !(is_of_seccomp(task, &note) && wants_sigreturn(task)))
		return NULL;
	open = open_late(task, regs, nr, &note);
	if (!open || keeps_late(open))
		return open;
	open->begin = 0;
	return NULL;
}

static __always_inline bool forget_dropped(struct trace_open *open)
{
	if (!trace_config.judged_early || !open || open->begin || open->mark != TRACE_MARK_DROPPED)
		return false;
	open->mark = TRACE_MARK_NONE;
	return true;
}

static __always_inline void take_exit(void *ctx, __u32 number, __s64 ret)
{
	struct task_struct *task;
	struct trace_open *open;
	__u32 nr;

	if (number != TRACE_FORGOTTEN && !rule_of_number(number)->wanted)
		return;
	task = bpf_get_current_task_btf();
	nr = trace_number(number, is_compat(task));
	if (was_dropped(task))
		return;
	open = bpf_task_storage_get(&trace_open, task, 0, 0);
	if (forget_dropped(open))
		return;
	if (!is_open(open))
		open = trace_makes_task(nr) && !ret ? NULL : begin_late(syscall_regs(ctx), nr);
	if (!open)
		return;
	if (!trace_is_exec(open->nr) || target__has(task)) {
		const bool denied = open->begun == TRACE_BEGIN_NONE && has_seccomp(task);
		const struct call_end end = {
			.nr = open->nr, .state = denied && gets_sigsys(task) ? TRACE_SIGSYS : TRACE_ENDED, .begun = open->begun,
			.by_seccomp = denied && open->mark == TRACE_MARK_SECCOMP, .ret = ret,
			.ns = open->begun == TRACE_BEGIN_NONE ? 0 : bpf_ktime_get_ns() - open->begin,
		};

		open->killed = denied && task->seccomp.mode == SECCOMP_MODE_DEAD;
		finish(ctx, task, open, &end);
	}
	open->begin = 0;
}

SYSCALL_ENTER(trace_enter, take_enter)
SYSCALL_EXIT(trace_exit, take_exit)

#ifndef TRACE_STACKS /* where there is no room for another function */

static __always_inline void take_killed(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	const __u32 nr = trace_number(syscall_number(regs), is_compat(task));
	const struct call_end end = { .nr = nr, .state = TRACE_SIGSYS, .begun = TRACE_BEGIN_NONE, .by_seccomp = true };
	struct trace_open *open;

	if (!has_seccomp(task) || task->seccomp.mode != SECCOMP_MODE_DEAD)
		return;
	open = bpf_task_storage_get(&trace_open, task, 0, 0);
	if (open && open->killed)
		return;
	open = begin_late(regs, nr);
	if (!open)
		return;
	finish(ctx, task, open, &end);
	open->begin = 0;
}

#ifdef BY_EVENT
SEC("tracepoint")
int trace_task_exit(void *ctx)
{
	take_killed(ctx);
	return 1;
}
#else
SEC("tp_btf/sched_process_exit")
int BPF_PROG(trace_task_exit, struct task_struct *task)
{
	take_killed(ctx);
	return 0;
}
#endif

#endif

#define NO_USER_SPACE 0x204010 /* PF_KTHREAD, PF_USER_WORKER, PF_IO_WORKER: include/linux/sched.h */

/*
 * The registers of a task in a call. NULL: it is in none, or nobody knows: a running task's are those of its last call. Who asks reads once
 * whether it runs, as it may begin to meanwhile.
 */
static __always_inline const struct pt_regs *regs_in_call(struct task_struct *task, bool runs)
{
	const struct pt_regs *regs;

	if (task->flags & NO_USER_SPACE || runs)
		return NULL;
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	return syscall_number(regs) == TRACE_FORGOTTEN ? NULL : regs;
}

static __always_inline __u32 number_in_call(struct task_struct *task, const struct pt_regs *regs)
{
	return trace_number(syscall_number(regs), is_compat(task));
}

/* Is the task in a call that began before tracing? */
static __always_inline void note_before(struct task_struct *task, const struct trace_open *open)
{
	struct trace_before before = { .begin = bpf_ktime_get_ns(), .nr = TRACE_FORGOTTEN }, *noted;
	const bool runs = task->on_cpu && !(task->flags & NO_USER_SPACE);
	const struct pt_regs *regs;

	if (is_open(open) || (open && open->met == trace_enabled_at))
		return;
	regs = regs_in_call(task, runs);
	if (regs)
		before.nr = number_in_call(task, regs);
	if (!(regs ? wants_call(before.nr) : runs))
		return;
	noted = bpf_task_storage_get(&trace_before, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (noted) /* it may have one of when tracing was on before */
		*noted = before;
}

/* What the task is in, as if it had begun when tracing did. */
static __always_inline bool find_before(struct task_struct *task, struct trace_open *open)
{
	struct trace_before *before = bpf_task_storage_get(&trace_before, task, 0, 0);
	const struct pt_regs *regs;

	if (!before || !before->begin || before->begin < trace_enabled_at)
		return false;
	regs = regs_in_call(task, task->on_cpu);
	if (!regs || number_in_call(task, regs) != before->nr)
		return false;
	open->begin = before->begin;
	open->nr = before->nr;
	open->begun = TRACE_BEGIN_BEFORE;
	call_arguments__read(regs, open->nr, open->arg);
	return true;
}

static __always_inline void list_open(struct bpf_iter__task *ctx, struct task_struct *task, const struct trace_open *open)
{
	struct trace_unfinished u = { 0 };

	if (is_open(open))
		u.open = *open;
	else if (target_config.all_tasks || !find_before(task, &u.open)) /* most tasks of a system sleep all the time */
		return;
	u.pid = task->tgid;
	u.tid = task->pid;
	u.ppid = TASK_PPID;
	u.uid = TASK_UID;
	u.gid = TASK_GID;
	u.prio = TASK_PRIO;
	u.nice = TASK_NICE;
	u.cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	bpf_probe_read_kernel_str(u.comm, sizeof(u.comm), task->comm);
	bpf_seq_write(ctx->meta->seq, &u, sizeof(u));
}

/* User space runs this when the other programs are attached, and when they are detached. One program, as a skeleton has room for 32 functions */
SEC("iter/task")
int trace_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct trace_open *open;

	if (!task || !target__has(task))
		return 0;
	open = bpf_task_storage_get(&trace_open, task, 0, 0);
	if (trace_has_ended)
		list_open(ctx, task, open);
	else
		note_before(task, open);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
