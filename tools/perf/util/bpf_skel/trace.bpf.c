// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * System calls as one record each, or as sums. The begin is kept with the task; at the end the call is judged, and what its
 * arguments point to is copied: then its pages are in memory, as the kernel has just used them, and a call that is not wanted costs no
 * copy. Only a call that cannot return is sent when it begins.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "trace.h"
#include "tp.h"
#include "hold-cpu.bpf.h"
#define FILTER_SLOTS FILTER_MAX_ENTRIES
#include "filter-tp.bpf.h"
#include "filter-table.bpf.h"
#include "target.bpf.h"
#include "tp-values.bpf.h"

#if defined(__TARGET_ARCH_x86)
enum { NR_EXECVE = 59, NR_EXIT = 60, NR_EXIT_GROUP = 231, NR_EXECVEAT = 322 };
#elif defined(__TARGET_ARCH_arm64)
enum { NR_EXIT = 93, NR_EXIT_GROUP = 94, NR_EXECVE = 221, NR_EXECVEAT = 281 };
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
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_error_key);
	__type(value, __u64);
} trace_errors SEC(".maps");

#include "trace-copy.bpf.h"

static __always_inline struct trace_counts *counts__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&trace_counts, &zero);
}

static __always_inline const volatile struct trace_rule *rule_of(__u32 nr)
{
	return &trace_config.rule[nr & (TRACE_MAX_CALLS - 1)];
}

static __always_inline bool is_exec(__u32 nr)
{
	return nr == NR_EXECVE || nr == NR_EXECVEAT;
}

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

static __always_inline struct trace_sum *sum_of(const struct trace_sum_key *key)
{
	const struct trace_sum none = { .least = ~0ULL };
	struct trace_sum *sum = bpf_map_lookup_elem(&trace_sums, key);

	if (sum)
		return sum;
	bpf_map_update_elem(&trace_sums, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&trace_sums, key);
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

/* A thread's rows, and a CPU's, change on one CPU at a time. */
static __noinline void add_to_sum(const struct trace_call *call, struct trace_counts *counts)
{
	struct trace_sum_key key = { .id = call->tid, .nr = call->nr };
	const bool failed = call->ret < 0 && call->ret >= -TRACE_MAX_ERRNO;
	struct trace_sum *sum;
	__u64 ns = call->end - call->begin;

	if (trace_config.by == TRACE_BY_CPU) {
		key.id = call->cpu;
	} else if (trace_config.by == TRACE_BY_CGROUP) {
		key.id = bpf_get_current_cgroup_id();
		key.cpu = call->cpu;
	}
	sum = sum_of(&key);
	if (!sum) {
		counts->lost_sums++;
		return;
	}
	sum->pid = call->pid;
	__builtin_memcpy(sum->comm, call->comm, sizeof(sum->comm));
	sum->calls++;
	if (call->state == TRACE_NO_RETURN) {
		sum->unreturned++;
		return;
	}
	sum->errors += failed;
	sum->total += ns;
	if (ns < sum->least)
		sum->least = ns;
	if (ns > sum->greatest)
		sum->greatest = ns;
	add_square(sum, ns);
	if (failed && trace_config.with_errors)
		add_error(&key, -call->ret, counts);
}

/* Sending */

#define TRACE_TURNS 64
static __always_inline __u64 wake_flags(struct trace_counts *counts)
{
	if (++counts->turn % TRACE_TURNS || bpf_ringbuf_query(&trace_ring, BPF_RB_AVAIL_DATA) < trace_config.wake_at)
		return BPF_RB_NO_WAKEUP;
	return BPF_RB_FORCE_WAKEUP;
}

static __always_inline void send(struct trace_scratch *s, __u32 bytes, struct trace_counts *counts)
{
	__u32 size = sizeof(s->call) + bytes;

	s->call.bytes = size;
	if (size > sizeof(s->call) + sizeof(s->bytes) || bpf_ringbuf_output(&trace_ring, s, size, wake_flags(counts)))
		counts->lost++;
}

/* Judging. The record that filters read is that of user space's format: number, result, ns, arguments (source/trace-fields.h). */
static __noinline bool keeps(const struct trace_call *call, struct trace_counts *counts)
{
	__u64 record[3 + 1 + TRACE_MAX_ARGS];
	struct filter_counts unused = { 0 };
	struct filter_source src = {
		.record = record, .origin = record, .mode = FILTER_MODE_USER, .words = &filter_words, .counts = &unused,
	};

	record[0] = 0;
	record[1] = call->nr;
	record[2] = call->ret;
	record[3] = call->end - call->begin;
	__builtin_memcpy(record + 4, call->arg, TRACE_MAX_ARGS * sizeof(*record));
	if (filter_table__accepts(&src))
		return true;
	counts->dropped++;
	return false;
}

static __always_inline bool wants(const struct trace_call *call, struct trace_counts *counts)
{
	counts->calls++;
	if (trace_config.failed_only && (call->ret >= 0 || call->ret < -TRACE_MAX_ERRNO))
		return false;
	if (call->end - call->begin < trace_config.min_ns)
		return false;
	return !trace_config.filtered || keeps(call, counts);
}

/* Sums need no arguments. */
static __always_inline bool needs_args(void)
{
	return trace_config.written || trace_config.filtered;
}

static __always_inline void describe(struct trace_call *call, struct task_struct *task, const struct trace_open *open, __u8 state, __s64 ret)
{
	call->begin = open->begin;
	call->end = state == TRACE_NO_RETURN ? open->begin : bpf_ktime_get_ns();
	call->pid = task->tgid;
	call->tid = task->pid;
	call->nr = open->nr;
	call->cpu = bpf_get_smp_processor_id();
	call->ret = ret;
	call->state = state;
	call->nr_copies = 0;
	if (needs_args())
		__builtin_memcpy(call->arg, open->arg, sizeof(open->arg));
	bpf_get_current_comm(call->comm, sizeof(call->comm));
}

static __always_inline int finish(struct trace_open *open, __u8 state, __s64 ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct trace_counts *counts = counts__get();
	struct trace_scratch *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&trace_scratch, &zero);
	if (!s || !counts || !open)
		return 0;
	describe(&s->call, task, open, state, ret);
	if (!wants(&s->call, counts))
		return 0;
	if (trace_config.summed)
		add_to_sum(&s->call, counts);
	if (trace_config.written)
		send(s, state == TRACE_ENDED ? copy_all(s, open) : 0, counts);
	return 0;
}

/* A command is traced from its exec on: including the exec itself, which begins before. */
static __always_inline bool is_traced(struct task_struct *task, __u32 nr)
{
	return target__has(task) || (is_exec(nr) && target__waits(task));
}

static __always_inline void take_enter(struct pt_regs *regs, __u32 nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct trace_open *open;
	struct trace_counts *counts;

	if (nr >= TRACE_MAX_CALLS || !rule_of(nr)->wanted || !target__has_cpu(bpf_get_smp_processor_id()) || !is_traced(task, nr))
		return;
	counts = counts__get();
	if (!counts)
		return;
	if (is_compat(task)) {
		counts->compat++;
		return;
	}
	open = bpf_task_storage_get(&trace_open, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!open) {
		counts->untracked++;
		return;
	}
	open->nr = nr;
	if (needs_args())
		syscall_arguments__read(regs, open->arg, TRACE_MAX_ARGS);
	if (trace_config.written) {
		note_files(open, rule_of(nr), task);
		if (rule_of(nr)->early)
			copy_early(open);
	}
	open->begin = bpf_ktime_get_ns();
	if (nr != NR_EXIT && nr != NR_EXIT_GROUP)
		return;
	finish(open, TRACE_NO_RETURN, 0);
	open->begin = 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(trace_enter, struct pt_regs *regs, long nr)
{
	hold_cpu(trace_config.hold_cpu);
	take_enter(regs, nr);
	release_cpu(trace_config.hold_cpu);
	return 0;
}

static __always_inline void take_exit(long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct trace_open *open = bpf_task_storage_get(&trace_open, task, 0, 0);

	if (!open || !open->begin)
		return;
	if (!is_exec(open->nr) || target__has(task))
		finish(open, TRACE_ENDED, ret);
	open->begin = 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(trace_exit, struct pt_regs *regs, long ret)
{
	hold_cpu(trace_config.hold_cpu);
	take_exit(ret);
	release_cpu(trace_config.hold_cpu);
	return 0;
}

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
