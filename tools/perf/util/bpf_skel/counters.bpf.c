// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Counts for tasks with counters of CPUs. One counter of each event runs on each CPU, whoever is there. When tasks are switched,
 * these programs read the counters, and add what has come since the last reading to the row of the task that leaves. So the number
 * of counters depends neither on the number of tasks nor on that of cgroups, and nothing is read while tasks of one row follow each
 * other, or while none of them runs.
 *
 * Programs on sched_switch run with interrupts off. counters_sync runs on a CPU by an interrupt: it does not meet them there, but it can
 * meet counters_rename, and then user space runs it again.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "cgroup.bpf.h"
#include "counters.h"
#include "target.bpf.h"
#ifdef FILTER_SLOTS
#include "filter.h"
#include "filter-task.bpf.h"
#include "filter-table.bpf.h"
#endif

const volatile struct counters_config counters_config;

__u32 counters_span = 0; /* the span of counting that goes on; 0: nothing is counted */
__u64 counters_missed = 0; /* switches that were not seen: a row lacks counts, or has those of another task */

/* Index: counters_config. The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} counters_events SEC(".maps");

struct counters_cpu {
	struct counters_row base; /* what the counters had at the last reading */
	__u32 span;		  /* in which base was read; of another one than counters_span: base is not known */
	__s32 row;		  /* of the task that has run since then; COUNTERS_NO_ROW: base is not known */
	__s32 tid;		  /* of the task that came last */
	__u32 busy;		  /* counters_rename runs */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters_cpu);
} counters_cpus SEC(".maps");

/* The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters_row);
} counters_rows SEC(".maps");

/* The cgroups of the list: id -> row. The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __s32);
} counters_cgroups SEC(".maps");

/* Cgroups that were searched for: id -> row of the nearest one of the list, or COUNTERS_NO_ROW. The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __s32);
} counters_known SEC(".maps");

static __always_inline struct counters_cpu *this_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counters_cpus, &zero);
}

/* Rows */

static __noinline __s32 find_row(struct cgroup *cgroup, __u64 id)
{
	__s32 row = COUNTERS_NO_ROW, *listed, level = BPF_CORE_READ(cgroup, level);

	for (int i = 0; i < COUNTERS_MAX_LEVELS && level >= 0; i++, level--) {
		__u64 ancestor_id = cgroup_id_at(cgroup, level);

		listed = bpf_map_lookup_elem(&counters_cgroups, &ancestor_id);
		if (listed) {
			row = *listed;
			break;
		}
	}
	bpf_map_update_elem(&counters_known, &id, &row, BPF_ANY);
	return row;
}

/* Events of tasks end (perf_event_exit_task()) right before this is set; the task may be switched a few times after that. */
static __always_inline bool has_exited(struct task_struct *task)
{
	return task->exit_state;
}

static __always_inline __s32 row_of(struct task_struct *task)
{
	struct cgroup *cgroup;
	__s32 *known;
	__u64 id;

	if (!target__has(task) || has_exited(task))
		return COUNTERS_NO_ROW;
	if (!counters_config.by_cgroup)
		return 0;
	cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	id = BPF_CORE_READ(cgroup, kn, id);
	known = bpf_map_lookup_elem(&counters_known, &id);
	return known ? *known : find_row(cgroup, id);
}

#ifdef FILTER_SLOTS
struct counters_every {
	__u64 nr[FILTER_MAX_EVERYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters_every);
} counters_every SEC(".maps");

static __always_inline bool keeps(struct task_struct *task)
{
	__u32 zero = 0;
	struct counters_every *every = bpf_map_lookup_elem(&counters_every, &zero);
	struct filter_source src = {
		.task = task,
		.cpu = bpf_get_smp_processor_id(),
		.words = &filter_words,
	};

	if (!every)
		return false;
	src.every = every->nr;
	return filter_table__accepts(&src);
}
#define is_filtered true
#else
#define keeps(task) true
#define is_filtered false
#endif

/* Counting */

static __always_inline void add(struct counters_row *row, __u32 i, const struct bpf_perf_event_value *now, const struct counters_value *base)
{
	barrier_var(row); /* clang would add to the pointer before the test */
	if (!row)
		return;
	row->value[i].count += now->counter - base->count;
	row->value[i].enabled += now->enabled - base->enabled;
	row->value[i].running += now->running - base->running;
}

enum reading { TASK_STAYS, TASK_LEAVES, TASK_ENDS };

/*
 * Read the counters; what they have counted since the last reading goes to the row, if there is one. A switch that goes on counts for
 * the task that leaves, unless it has exited.
 */
static __noinline int read_counters(struct counters_cpu *cpu, __s32 row_nr, enum reading reading)
{
	struct counters_row *row = NULL;
	__u32 nr = row_nr, index = bpf_get_smp_processor_id();

	if (!cpu)
		return 0;
	if (row_nr != COUNTERS_NO_ROW)
		row = bpf_map_lookup_elem(&counters_rows, &nr);
	for (__u32 i = 0; i < COUNTERS_MAX_EVENTS && i < counters_config.nr_events; i++) {
		struct counters_value *base = &cpu->base.value[i];
		bool at_switch = counters_config.at_switch >> i & 1;
		struct bpf_perf_event_value now;

		if (!bpf_perf_event_read_value(&counters_events, index, &now, sizeof(now))) {
			now.counter += at_switch && reading != TASK_STAYS;
			base->count += at_switch && reading == TASK_ENDS;
			add(row, i, &now, base);
			*base = (struct counters_value){ now.counter, now.enabled, now.running };
		}
		index += counters_config.nr_cpus;
	}
	return 0;
}

static __always_inline bool is_counting(const struct counters_cpu *cpu)
{
	return cpu->row != COUNTERS_NO_ROW && cpu->span == counters_span;
}

/* The filter has the last word, as it can ask for what a task becomes. */
static __always_inline __s32 row_at_end(struct task_struct *task, struct counters_cpu *cpu)
{
	if (!is_counting(cpu) || !keeps(task))
		return COUNTERS_NO_ROW;
	return cpu->row;
}

static __always_inline void go_on(struct counters_cpu *cpu, struct task_struct *task, enum reading reading, __s32 row)
{
	__s32 ended = row_at_end(task, cpu);

	if (row != COUNTERS_NO_ROW || ended != COUNTERS_NO_ROW)
		read_counters(cpu, ended, reading);
	cpu->row = row;
	cpu->span = counters_span;
}

/*
 * The kernel does not hit the tracepoint for each switch: where RCU is not watching it is left out. Then nobody knows what the task
 * that leaves now has found in the counters.
 */
static __always_inline void check_last(struct counters_cpu *cpu, struct task_struct *prev)
{
	if (cpu->span == counters_span && cpu->tid != prev->pid && (cpu->row != COUNTERS_NO_ROW || row_of(prev) != COUNTERS_NO_ROW))
		__sync_fetch_and_add(&counters_missed, 1);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(counters_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct counters_cpu *cpu = this_cpu();
	__s32 row;

	if (!cpu || !counters_span || !target__has_cpu(bpf_get_smp_processor_id()))
		return 0;
	check_last(cpu, prev);
	cpu->tid = next->pid;
	row = row_of(next);
	if (is_counting(cpu) && cpu->row == row && !is_filtered && !has_exited(prev))
		return 0;
	go_on(cpu, prev, has_exited(prev) ? TASK_ENDS : TASK_LEAVES, row);
	return 0;
}

/*
 * A command is counted from its exec on, in which no tasks are switched: exec renames the task right after it has enabled its
 * events. See target__has(). A filter may ask for the name, so what has been counted belongs to the old one, which the task still has.
 */
SEC("tp_btf/task_rename")
int BPF_PROG(counters_rename, struct task_struct *task)
{
	struct counters_cpu *cpu = this_cpu();

	if (!cpu || !counters_span || task != bpf_get_current_task_btf() || !target__has_cpu(bpf_get_smp_processor_id()))
		return 0;
	cpu->busy = 1;
	barrier();
	if (is_filtered || !is_counting(cpu))
		go_on(cpu, task, TASK_STAYS, row_of(task));
	barrier();
	cpu->busy = 0;
	return 0;
}

/* User space runs this on each CPU: at the begin of a span, so that tasks that run are counted, and before it reads the rows. 1: again */
SEC("raw_tp/") /* bpftool wants the slash */
int counters_sync(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct counters_cpu *cpu = this_cpu();

	if (!cpu || !counters_span || !target__has_cpu(bpf_get_smp_processor_id()))
		return 0;
	if (cpu->busy)
		return 1;
	cpu->tid = task->pid;
	go_on(cpu, task, TASK_STAYS, row_of(task));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
