// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Sums up what CPUs do: interrupts, softirqs, works and tasks, each with a row of its own; see kwork.h, and kwork-account.bpf.h for whose time it
 * is. User space attaches those programs only that the wanted rows need.
 *
 * A row changes on one CPU at a time: its key has the CPU, or it is of a task, which the run queue's lock guards while the task changes from
 * waiting to running. So counts are plain increments.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "kwork-account.bpf.h"
#include "target.bpf.h"
#define FILTER_SLOTS FILTER_MAX_ENTRIES
#include "filter-task.bpf.h"
#include "filter-table.bpf.h"

#define PF_WQ_WORKER 0x20 /* include/linux/sched.h; unchanged since Linux 2.6.36 */
#define TASK_DEAD 0x80

const volatile struct kwork_config kwork_config;

__u64 kwork_began_at = 0; /* when counting began; 0: it has not begun, or has ended. User space sets it when all programs are attached */

/* The loader sets the sizes of maps with 1 or 4096 entries. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct kwork_key);
	__type(value, struct kwork_row);
} kwork_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kwork_cpu);
} kwork_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kwork_counts);
} kwork_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct kwork_queued);
} kwork_queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct kwork_run);
} kwork_works SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} kwork_ring SEC(".maps");

/* A row before it is in its map. Each class has its own, as interrupts come between what softirqs and works do. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KWORK_NR_CLASSES);
	__type(key, __u32);
	__type(value, struct kwork_row);
} kwork_new_rows SEC(".maps");

struct state { /* of this CPU */
	struct kwork_cpu *cpu;
	struct kwork_counts *counts;
	__u64 began_at, now;
	__u32 nr;
};

static __always_inline bool is_counting(void)
{
	return *(volatile __u64 *)&kwork_began_at;
}

static __always_inline bool state__get(struct state *s)
{
	__u32 zero = 0;

	s->nr = bpf_get_smp_processor_id();
	s->began_at = *(volatile __u64 *)&kwork_began_at;
	if (!s->began_at || !target__has_cpu(s->nr))
		return false;
	s->cpu = bpf_map_lookup_elem(&kwork_cpus, &zero);
	s->counts = bpf_map_lookup_elem(&kwork_counts, &zero);
	s->now = bpf_ktime_get_ns();
	return s->cpu && s->counts;
}

static __always_inline bool has_rows(__u32 class)
{
	return kwork_config.classes >> class & 1;
}

static __noinline bool judge(struct task_struct *task, struct kwork_counts *counts, __u64 now, __u64 ns, __u32 cpu)
{
	struct filter_source src = {
		.task = task, .time = now, .period = ns, .cpu = cpu, .words = &filter_words, .every = counts->every,
	};

	return filter_table__accepts(&src);
}

static __always_inline bool keeps(struct task_struct *task, const struct state *s, __u64 ns)
{
	if (!kwork_config.filtered || judge(task, s->counts, s->now, ns, s->nr)) {
		s->counts->kept++;
		return true;
	}
	s->counts->dropped++;
	return false;
}

/* Rows */

static const char symbol_format[] = "%ps";

/* name has KWORK_NAME_LEN bytes. Reading kallsyms would take 50 ms. */
static __always_inline void put_symbol(char *name, __u64 id)
{
	bpf_snprintf(name, KWORK_NAME_LEN, symbol_format, &id, sizeof(id));
}

static __noinline struct kwork_row *row__add(const struct kwork_key *key, const char *name, __u32 number, bool kernel)
{
	__u32 class = key->class;
	struct kwork_row *row = bpf_map_lookup_elem(&kwork_new_rows, &class);

	if (!row)
		return NULL;
	row->number = number;
	row->kernel = kernel;
	row->name[0] = '\0';
	if (name)
		bpf_probe_read_kernel_str(row->name, sizeof(row->name), name);
	if (KWORK_IS_FUNCTION(class))
		put_symbol(row->name, key->id);
	bpf_map_update_elem(&kwork_rows, key, row, BPF_NOEXIST);
	return bpf_map_lookup_elem(&kwork_rows, key);
}

static __always_inline struct kwork_row *row_of(const struct kwork_key *key, const char *name, __u32 number)
{
	return bpf_map_lookup_elem(&kwork_rows, key) ?: row__add(key, name, number, false);
}

static __noinline void send(struct kwork_record *r, struct kwork_counts *counts)
{
	__u64 flags = bpf_ringbuf_query(&kwork_ring, BPF_RB_AVAIL_DATA) < kwork_config.wake_at ? BPF_RB_NO_WAKEUP : BPF_RB_FORCE_WAKEUP;

	if (bpf_ringbuf_output(&kwork_ring, r, sizeof(*r), flags))
		counts->lost_records++;
}

static __always_inline void send_run(const struct kwork_key *key, const struct kwork_run *run, __u64 ns, const struct state *s, const char *name,
				     __u32 number)
{
	struct kwork_record r = {
		.bytes = sizeof(r), .key = *key, .begin = run->begin, .end = s->now, .ns = ns, .wait = run->wait, .raised = run->raised,
		.number = number, .cpu = s->nr,
	};

	if (name)
		bpf_probe_read_kernel_str(r.name, sizeof(r.name), name);
	if (KWORK_IS_FUNCTION(key->class))
		put_symbol(r.name, key->id);
	send(&r, s->counts);
}

static __always_inline void add_run(const struct kwork_key *key, const struct kwork_run *run, __u64 ns, const struct state *s, const char *name,
				    __u32 number)
{
	struct kwork_row *row;

	if (!kwork_config.runs || !keeps(bpf_get_current_task_btf(), s, ns))
		return;
	if (kwork_config.each) {
		send_run(key, run, ns, s, name, number);
		return;
	}
	row = row_of(key, name, number);
	if (row)
		kwork_times__add(&row->run, ns, run->begin, s->now);
	else
		s->counts->lost_rows++;
}

/* activated: when a work's workqueue let it start; 0: unknown */
static __always_inline void add_wait(const struct kwork_key *key, const struct kwork_run *run, __u64 activated, const struct state *s)
{
	struct kwork_row *row;

	if (!kwork_config.waits || !run->raised || !keeps(bpf_get_current_task_btf(), s, run->wait))
		return;
	row = row_of(key, NULL, 0);
	if (!row) {
		s->counts->lost_rows++;
		return;
	}
	kwork_times__add(&row->wait, run->wait, run->raised, run->begin);
	if (activated > run->raised)
		kwork_times__add(&row->queued, activated - run->raised, run->raised, activated);
}

/* Interrupts. Two handlers of one interrupt have rows of their own; where their names are tells them apart. */

static __always_inline __u64 irq_id(int irq, struct irqaction *action)
{
	return (__u32)irq | (__u64)BPF_CORE_READ(action, name) << 32;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(kwork_irq_begin, int irq, struct irqaction *action)
{
	struct state s;

	if (state__get(&s))
		kwork_cpu__begin_irq(s.cpu, irq_id(irq, action), s.now, s.began_at);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(kwork_irq_end, int irq, struct irqaction *action)
{
	struct kwork_key key = { .id = irq_id(irq, action), .class = KWORK_IRQ };
	struct kwork_run *run;
	struct state s;

	if (!state__get(&s))
		return 0;
	run = kwork_cpu__end_irq(s.cpu, key.id, s.now, s.began_at);
	key.cpu = s.nr;
	if (run && has_rows(KWORK_IRQ)) {
		run->wait = run->raised = 0;
		add_run(&key, run, run->ns, &s, BPF_CORE_READ(action, name), irq);
	}
	return 0;
}

/* Softirqs */

SEC("tp_btf/softirq_raise")
int BPF_PROG(kwork_softirq_raise, unsigned int nr)
{
	struct state s;

	if (state__get(&s))
		kwork_cpu__raise(s.cpu, nr, s.now);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(kwork_softirq_begin, unsigned int nr)
{
	struct kwork_key key = { .id = nr, .class = KWORK_SOFTIRQ };
	struct state s;

	if (!state__get(&s))
		return 0;
	kwork_cpu__begin_softirq(s.cpu, nr, s.now, s.began_at);
	key.cpu = s.nr;
	if (has_rows(KWORK_SOFTIRQ))
		add_wait(&key, &s.cpu->softirq, 0, &s);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(kwork_softirq_end, unsigned int nr)
{
	struct kwork_key key = { .id = nr, .class = KWORK_SOFTIRQ };
	struct kwork_run *run;
	struct state s;

	if (!state__get(&s))
		return 0;
	run = kwork_cpu__end_softirq(s.cpu, nr, s.now, s.began_at);
	key.cpu = s.nr;
	if (run && has_rows(KWORK_SOFTIRQ))
		add_run(&key, run, run->ns, &s, NULL, nr);
	return 0;
}

/*
 * Interrupts without a handler that has a name. Other kernels lack some of the tracepoints of these and of tasklets, so the programs are attached by
 * name; one serves all vectors.
 */

SEC("raw_tp/reschedule_entry")
int BPF_PROG(kwork_ipi_begin, int vector)
{
	struct state s;

	if (state__get(&s))
		kwork_cpu__begin_irq(s.cpu, KWORK_IPI_ID(vector), s.now, s.began_at);
	return 0;
}

SEC("raw_tp/reschedule_exit")
int BPF_PROG(kwork_ipi_end, int vector)
{
	struct kwork_key key = { .id = (__u32)vector, .class = KWORK_IPI };
	struct kwork_run *run;
	struct state s;

	if (!state__get(&s))
		return 0;
	run = kwork_cpu__end_irq(s.cpu, KWORK_IPI_ID(vector), s.now, s.began_at);
	key.cpu = s.nr;
	if (run) {
		run->wait = run->raised = 0;
		add_run(&key, run, run->ns, &s, NULL, vector);
	}
	return 0;
}

/* Functions of tasklets and timers */

static __always_inline void begin_call(__u32 class, const void *object, __u64 function)
{
	struct state s;

	if (state__get(&s))
		kwork_cpu__begin_call(s.cpu, class, (__u64)object, function, s.now, s.began_at);
}

static __always_inline void end_call(__u32 class, const void *object)
{
	struct kwork_key key = { .class = class };
	struct kwork_call *call;
	struct state s;

	if (!state__get(&s))
		return;
	call = kwork_cpu__end_call(s.cpu, (__u64)object, s.now, s.began_at);
	if (!call)
		return;
	key.id = call->run.id;
	key.cpu = s.nr;
	add_run(&key, &call->run, call->run.ns, &s, NULL, 0);
	kwork_cpu__leave_call(s.cpu);
}

SEC("raw_tp/tasklet_entry")
int BPF_PROG(kwork_tasklet_begin, void *tasklet, void *function)
{
	begin_call(KWORK_TASKLET, tasklet, (__u64)function);
	return 0;
}

SEC("raw_tp/tasklet_exit")
int BPF_PROG(kwork_tasklet_end, void *tasklet)
{
	end_call(KWORK_TASKLET, tasklet);
	return 0;
}

SEC("raw_tp/timer_expire_entry")
int BPF_PROG(kwork_timer_begin, struct timer_list *timer)
{
	begin_call(KWORK_TIMER, timer, (__u64)BPF_CORE_READ(timer, function));
	return 0;
}

/* The timer may be freed by now: its function is that of its begin. */
SEC("raw_tp/timer_expire_exit")
int BPF_PROG(kwork_timer_end, void *timer)
{
	end_call(KWORK_TIMER, timer);
	return 0;
}

SEC("raw_tp/hrtimer_expire_entry")
int BPF_PROG(kwork_hrtimer_begin, struct hrtimer *timer)
{
	begin_call(KWORK_HRTIMER, timer, (__u64)BPF_CORE_READ(timer, function));
	return 0;
}

SEC("raw_tp/hrtimer_expire_exit")
int BPF_PROG(kwork_hrtimer_end, void *timer)
{
	end_call(KWORK_HRTIMER, timer);
	return 0;
}

/* Works */

static __always_inline struct kwork_counts *counts__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&kwork_counts, &zero);
}

/* On any CPU: it may run on another one. */
SEC("tp_btf/workqueue_queue_work")
int BPF_PROG(kwork_work_queue, int cpu, void *pwq, struct work_struct *work)
{
	struct kwork_queued queued = { .queued = bpf_ktime_get_ns() };
	struct kwork_counts *counts = counts__get();
	__u64 address = (__u64)work;

	if (is_counting() && bpf_map_update_elem(&kwork_queue, &address, &queued, BPF_ANY) && counts)
		counts->lost_waits++;
	return 0;
}

SEC("tp_btf/workqueue_activate_work")
int BPF_PROG(kwork_work_activate, struct work_struct *work)
{
	__u64 address = (__u64)work;
	struct kwork_queued *queued = bpf_map_lookup_elem(&kwork_queue, &address);

	if (queued)
		queued->activated = bpf_ktime_get_ns();
	return 0;
}

/* The state of the work that this CPU executes now; NULL: none. */
static __always_inline struct kwork_run *current_work(const struct state *s, __u64 flags)
{
	if (s->cpu->in_softirq)
		return &s->cpu->bh_work;
	return bpf_task_storage_get(&kwork_works, bpf_get_current_task_btf(), 0, flags);
}

static __always_inline void begin_work(__u64 address, __u64 function)
{
	struct kwork_key key = { .id = function, .class = KWORK_WORK };
	__u64 activated = 0;
	struct kwork_queued *queued;
	struct kwork_run *run;
	struct state s;

	queued = kwork_config.waits || kwork_config.each ? bpf_map_lookup_elem(&kwork_queue, &address) : NULL;
	if (!state__get(&s))
		goto out;
	run = current_work(&s, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!run) {
		s.counts->lost_works++;
		goto out;
	}
	kwork_cpu__charge(s.cpu, s.now, s.began_at);
	kwork_run__begin_work(run, s.cpu, key.id, s.now, queued);
	if (queued)
		activated = queued->activated;
	else
		s.counts->early += kwork_config.waits;
	key.cpu = s.nr;
	add_wait(&key, run, activated, &s);
out:
	if (queued)
		bpf_map_delete_elem(&kwork_queue, &address);
}

/* The work may be freed by now: its function is that of its begin. */
static __always_inline void end_work(void)
{
	struct kwork_key key = { .class = KWORK_WORK };
	struct kwork_run *run;
	struct state s;

	if (!state__get(&s))
		return;
	run = current_work(&s, 0);
	if (!run || !run->id)
		return;
	kwork_cpu__charge(s.cpu, s.now, s.began_at);
	kwork_run__pause(run, s.cpu);
	key.id = run->id;
	key.cpu = s.nr;
	add_run(&key, run, run->ns, &s, NULL, 0);
	run->id = 0;
}

/* Works are preemptible: see syscall-hook.bpf.h. */
#ifdef BY_EVENT

struct work_start { /* workqueue:workqueue_execute_start */
	__u64 unused, work, function;
};

SEC("tracepoint")
int kwork_work_begin(struct work_start *ctx)
{
	begin_work(ctx->work, ctx->function);
	return 1; /* 0 would hide the hit from other perfs */
}

SEC("tracepoint")
int kwork_work_end(void *ctx)
{
	end_work();
	return 1;
}

#else

SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(kwork_work_begin, struct work_struct *work)
{
	__u64 function = 0;

	bpf_core_read(&function, sizeof(function), &work->func);
	begin_work((__u64)work, function);
	return 0;
}

SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(kwork_work_end, struct work_struct *work)
{
	end_work();
	return 0;
}

#endif

/* Tasks */

static __always_inline struct kwork_row *task_row(struct task_struct *task)
{
	struct kwork_key key = { .id = task->pid, .class = KWORK_TASK };

	return bpf_map_lookup_elem(&kwork_rows, &key) ?: row__add(&key, task->comm, task->tgid, task->flags & PF_KTHREAD);
}

static __always_inline void send_turn(struct task_struct *task, __u64 ns, __u64 since, const struct state *s)
{
	const struct kwork_key key = { .id = task->pid, .class = KWORK_TASK };
	const struct kwork_run turn = { .begin = since };

	send_run(&key, &turn, ns, s, task->comm, task->tgid);
}

/* The task leaves the CPU. Its row tells from when on it waits for the next turn. */
static __always_inline void end_turn(struct task_struct *task, __u64 ns, __u64 since, bool runnable, const struct state *s)
{
	struct kwork_row *row;

	if (!task->pid) {
		s->cpu->idle_ns += ns;
		return;
	}
	row = task_row(task);
	if (!row) {
		s->counts->lost_rows++;
		return;
	}
	__builtin_memcpy(row->name, task->comm, KWORK_COMM_LEN); /* it may have another name by now */
	if (kwork_config.runs && keeps(task, s, ns)) {
		if (kwork_config.each)
			send_turn(task, ns, since, s);
		else
			kwork_times__add(&row->run, ns, since, s->now);
	}
	row->since = runnable ? s->now : 0;
}

/* The task gets the CPU. */
static __always_inline void end_task_wait(struct task_struct *task, const struct state *s)
{
	struct kwork_row *row;
	__u64 since, ns;

	if (!task->pid)
		return;
	row = task_row(task);
	if (!row)
		return;
	since = row->since;
	row->since = 0;
	if (!since || since > s->now)
		return;
	ns = s->now - since;
	if (keeps(task, s, ns))
		kwork_times__add(&row->wait, ns, since, s->now);
}

static __always_inline void switch_works(struct task_struct *prev, struct task_struct *next, struct kwork_cpu *cpu)
{
	struct kwork_run *run;

	if (prev->flags & PF_WQ_WORKER) {
		run = bpf_task_storage_get(&kwork_works, prev, 0, 0);
		if (run && run->id)
			kwork_run__pause(run, cpu);
	}
	if (next->flags & PF_WQ_WORKER) {
		run = bpf_task_storage_get(&kwork_works, next, 0, 0);
		if (run && run->id)
			kwork_run__resume(run, cpu);
	}
}

/* For works alone, only switches of workers matter. */
SEC("tp_btf/sched_switch")
int BPF_PROG(kwork_switch, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	__u64 ns, since;
	struct state s;

	if (!has_rows(KWORK_TASK) && !((prev->flags | next->flags) & PF_WQ_WORKER))
		return 0;
	if (!state__get(&s))
		return 0;
	ns = kwork_cpu__switch(s.cpu, s.now, s.began_at, &since);
	if (has_rows(KWORK_WORK))
		switch_works(prev, next, s.cpu);
	if (!has_rows(KWORK_TASK))
		return 0;
	end_turn(prev, ns, since, preempt || !prev_state, &s);
	if (kwork_config.waits)
		end_task_wait(next, &s);
	return 0;
}

/*
 * A task that is on its CPU, just before it would have slept, waits for nothing: when it is switched its row is written again.
 */
static __always_inline void begin_task_wait(struct task_struct *task)
{
	struct kwork_row *row;

	if (!is_counting() || task->pid == bpf_get_current_task_btf()->pid)
		return;
	row = task_row(task);
	if (row && !row->since)
		row->since = bpf_ktime_get_ns();
}

SEC("tp_btf/sched_waking")
int BPF_PROG(kwork_waking, struct task_struct *task)
{
	begin_task_wait(task);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(kwork_wakeup_new, struct task_struct *task)
{
	begin_task_wait(task);
	return 0;
}

/* At the end, for user space: what still runs. */

static __always_inline __u32 cpu_of(struct task_struct *task)
{
	return bpf_core_field_exists(task->thread_info.cpu) ? BPF_CORE_READ(task, thread_info.cpu) : 0;
}

SEC("iter/task")
int kwork_list_running(struct bpf_iter__task *ctx)
{
	struct kwork_running r = { 0 };
	struct task_struct *task = ctx->task;
	struct kwork_run *run;

	if (!task)
		return 0;
	run = bpf_task_storage_get(&kwork_works, task, 0, 0);
	if (run)
		r.work = *run;
	r.on_cpu = BPF_CORE_READ_BITFIELD_PROBED(task, on_cpu); /* of whatever size */
	if (!r.on_cpu && !r.work.id)
		return 0;
	r.tid = task->pid;
	r.pid = task->tgid;
	r.cpu = cpu_of(task);
	r.kernel = !!(task->flags & PF_KTHREAD);
	bpf_probe_read_kernel_str(r.comm, sizeof(r.comm), task->comm);
	bpf_seq_write(ctx->meta->seq, &r, sizeof(r));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
