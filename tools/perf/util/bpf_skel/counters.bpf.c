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
#define FILTER_NO_SPAN
#include "filter-task.bpf.h"
#include "filter-table.bpf.h"
#endif

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak; /* 6.2 */

const volatile struct counters_config counters_config;

__u32 counters_span = 0; /* the span of counting that goes on; 0: nothing is counted */
__u64 counters_missed = 0; /* switches that were not seen: a row may lack counts, or have those of another task */

/* Index: counters_config. The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} counters_events SEC(".maps");

/* The kernel's struct perf_event of events of counters_config.in_memory, by the same index. They live as long as counters_events. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} counters_objects SEC(".maps");

struct counters_cpu {
	struct counters_row base; /* what the counters had at the last reading, and its time */
	__u32 span;		  /* in which base was read; of another one than counters_span: base is not known */
	__s32 row;		  /* of the task that has run since then; COUNTERS_NO_ROW: base is not known */
	__u64 switches;		  /* all of this CPU, as of the last time that these programs ran */
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

/* The last cgroups that were searched for, by the lowest bits of their ids. The loader sets the size. */
struct counters_known {
	__u64 id;
	__s32 row; /* of the nearest cgroup of the list, or COUNTERS_NO_ROW */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters_known);
} counters_known SEC(".maps");

static __always_inline struct counters_cpu *this_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counters_cpus, &zero);
}

/* Rows */

static __noinline __s32 find_row(struct cgroup *cgroup)
{
	__s32 *listed, level = BPF_CORE_READ(cgroup, level);

	for (int i = 0; i < COUNTERS_MAX_LEVELS && level >= 0; i++, level--) {
		__u64 ancestor_id = cgroup_id_at(cgroup, level);

		listed = bpf_map_lookup_elem(&counters_cgroups, &ancestor_id);
		if (listed)
			return *listed;
	}
	return COUNTERS_NO_ROW;
}

/* Events of tasks end (perf_event_exit_task()) right before this is set; the task may be switched a few times after that. */
static __always_inline bool has_exited(struct task_struct *task)
{
	return task->exit_state;
}

static __always_inline __s32 row_of(struct task_struct *task)
{
	struct cgroup *cgroup;
	struct counters_known *known;
	__u32 index;
	__u64 id;

	if (!target__has(task) || has_exited(task))
		return COUNTERS_NO_ROW;
	if (!counters_config.by_cgroup)
		return 0;
	cgroup = task->cgroups->dfl_cgrp;
	id = cgroup->kn->id;
	index = id % COUNTERS_NR_KNOWN;
	known = bpf_map_lookup_elem(&counters_known, &index);
	if (!known)
		return COUNTERS_NO_ROW;
	if (known->id != id) {
		known->row = find_row(cgroup);
		known->id = id;
	}
	return known->row;
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

/* A CPU that was offline has new counters, which begin at 0. */
static __always_inline __u64 since(__u64 now, __u64 before)
{
	return now < before ? now : now - before;
}

/* The counter of a PMU, by its driver; it may have shared its place with others. */
static __always_inline bool read_pmu(struct counters_row *base, struct counters_row *row, __u32 i, __u32 index, __u64 *count)
{
	struct bpf_perf_event_value now;

	if (bpf_perf_event_read_value(&counters_events, index, &now, sizeof(now)))
		return false;
	if (row) {
		row->turns[i].enabled += since(now.enabled, base->turns[i].enabled);
		row->turns[i].running += since(now.running, base->turns[i].running);
	}
	base->turns[i] = (struct counters_turns){ now.enabled, now.running };
	*count = now.counter;
	return true;
}

/* It is much faster than asking the kernel, which takes the time for each event. */
static __always_inline bool read_memory(__u32 index, __u64 *count)
{
	__u64 *object = bpf_map_lookup_elem(&counters_objects, &index);
	struct perf_event *event;

	if (!object || !*object)
		return false;
	if (!bpf_rdonly_cast)
		return !bpf_core_read(count, sizeof(*count), &((struct perf_event *)*object)->count);
	event = bpf_rdonly_cast((void *)*object, bpf_core_type_id_kernel(struct perf_event));
	*count = *(__u64 *)&event->count;
	return true;
}

/* Read the counters; what they have counted since the last reading goes to the row, if there is one. */
static __noinline int read_counters(struct counters_cpu *cpu, __s32 row_nr, bool ends)
{
	struct counters_row *row = NULL;
	__u32 nr = row_nr, index = bpf_get_smp_processor_id();
	__u64 now = bpf_ktime_get_ns();

	if (!cpu)
		return 0;
	if (row_nr != COUNTERS_NO_ROW)
		row = bpf_map_lookup_elem(&counters_rows, &nr);
	if (row)
		row->time += now - cpu->base.time;
	cpu->base.time = now;
	for (__u32 i = 0; i < COUNTERS_MAX_EVENTS && i < counters_config.nr_events; i++, index += counters_config.nr_cpus) {
		__u64 count = now, *base = &cpu->base.count[i];

		if (counters_config.switches >> i & 1) {
			count = cpu->switches;
			*base += ends; /* the kernel does not count the switch of a task that has exited */
		} else if (counters_config.in_memory >> i & 1) {
			if (!read_memory(index, &count))
				continue;
		} else if (!(counters_config.clocks >> i & 1) && !read_pmu(&cpu->base, row, i, index, &count)) {
			continue;
		}
		if (row)
			row->count[i] += since(count, *base);
		*base = count;
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

static __always_inline void go_on(struct counters_cpu *cpu, struct task_struct *task, bool ends, __s32 row)
{
	__s32 ended = row_at_end(task, cpu);

	if (row != COUNTERS_NO_ROW || ended != COUNTERS_NO_ROW)
		read_counters(cpu, ended, ends);
	cpu->row = row;
	cpu->span = counters_span;
}

/* All switches of this CPU, on which the task is; the kernel counts right before it hits the tracepoint. Unknown: seen */
static __always_inline __u64 switches_here(struct task_struct *task, __u64 seen)
{
	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(struct cfs_rq, rq))
		return seen;
	return task->se.cfs_rq->rq->nr_switches;
}

/*
 * The kernel does not hit the tracepoint for each switch: where RCU is not watching it is left out. After one, nobody knows what the
 * task that leaves now has found in the counters; after more, nobody knows which tasks ran in between. Of a task that has exited it is
 * not known any more whether it was of the target.
 */
static __always_inline void check_last(const struct counters_cpu *cpu, struct task_struct *prev, __u64 switches)
{
	const __u64 hidden = switches - cpu->switches - 1;

	if (cpu->span != counters_span || !hidden)
		return;
	if (hidden > 1 || cpu->row != COUNTERS_NO_ROW || has_exited(prev) || row_of(prev) != COUNTERS_NO_ROW)
		__sync_fetch_and_add(&counters_missed, hidden);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(counters_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct counters_cpu *cpu = this_cpu();
	__u64 switches;
	__s32 row;

	if (!cpu || !counters_span || !target__has_cpu(bpf_get_smp_processor_id()))
		return 0;
	switches = switches_here(prev, cpu->switches + 1);
	check_last(cpu, prev, switches);
	cpu->switches = switches;
	row = row_of(next);
	if (is_counting(cpu) && cpu->row == row && !is_filtered && !has_exited(prev))
		return 0;
	go_on(cpu, prev, has_exited(prev), row);
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
	cpu->switches = switches_here(task, cpu->switches);
	if (is_filtered || !is_counting(cpu))
		go_on(cpu, task, false, row_of(task));
	barrier();
	cpu->busy = 0;
	return 0;
}

/*
 * A process that moves itself to another cgroup has no switch for it either. The kernel hits this after the move, with interrupts off.
 * Of a process that another one moves, what it counts until its next switch still belongs to the cgroup that it has left.
 */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(counters_attach, struct cgroup *to, const char *path, struct task_struct *leader)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct counters_cpu *cpu = this_cpu();

	if (!cpu || !counters_span || leader->tgid != task->tgid || !target__has_cpu(bpf_get_smp_processor_id()))
		return 0;
	cpu->switches = switches_here(task, cpu->switches);
	go_on(cpu, task, false, row_of(task));
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
	cpu->switches = switches_here(task, cpu->switches);
	go_on(cpu, task, false, row_of(task));
	return 0;
}

/* User space runs this for each event of counters_config.in_memory and CPU, after it has opened the event. 1: it is not open */
SEC("raw_tp/")
int counters_locate(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct file **files = BPF_CORE_READ(task, files, fdt, fd), *file;
	__u32 index = ctx[0];
	__u64 object;

	if (bpf_probe_read_kernel(&file, sizeof(file), &files[ctx[1]]))
		return 1;
	object = (__u64)BPF_CORE_READ(file, private_data);
	return object && !bpf_map_update_elem(&counters_objects, &index, &object, BPF_ANY) ? 0 : 1;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
