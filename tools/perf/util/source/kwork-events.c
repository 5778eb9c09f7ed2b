// SPDX-License-Identifier: GPL-2.0
#include "util/source/kwork-events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf_skel/kwork-account.bpf.h"
#include "util/lib/hash.h"
#include "util/source/recorded-filter.h"

struct row {
	UT_hash_handle hh;
	struct kwork_key key;
	struct kwork_row row;
};

struct waiting { /* a work */
	UT_hash_handle hh;
	u64 work;
	struct kwork_queued queued;
};

struct worker { /* a task that executes a work */
	UT_hash_handle hh;
	u32 tid;
	struct kwork_run run; /* id 0: not now */
	u32 cpu;
};

struct cpu {
	struct kwork_cpu state;
	char handler[KWORK_MAX_IRQS][KWORK_NAME_LEN];
	u32 tid, pid; /* the task at the last switch; pid 0: unknown */
	char comm[KWORK_COMM_LEN];
	bool seen;
};

struct kwork_events {
	struct kwork_events_opts opts;
	u64 begin; /* time of the first event */
	struct cpu *cpu;
	u32 nr_cpus;
	struct row *rows;
	struct waiting *waiting;
	struct worker *workers;
	struct kwork_totals totals;
	u64 nr_malformed;
};

static int out_of_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory for what CPUs did");
}

static bool has_rows(const struct kwork_events *e, enum kwork_class class)
{
	return e->opts.kwork->classes >> class & 1;
}

static bool has_kind(const struct kwork_events *e, enum kwork_event_kind kind)
{
	return e->opts.kinds >> kind & 1;
}

/* Tables */

static struct cpu *cpu_of(struct kwork_events *e, u32 nr)
{
	struct cpu *bigger;

	if (nr >= e->nr_cpus) {
		bigger = reallocarray(e->cpu, nr + 1, sizeof(*bigger));
		if (!bigger)
			return NULL;
		memset(bigger + e->nr_cpus, 0, (nr + 1 - e->nr_cpus) * sizeof(*bigger));
		e->cpu = bigger;
		e->nr_cpus = nr + 1;
	}
	return &e->cpu[nr];
}

static struct kwork_row *row_of(struct kwork_events *e, const struct kwork_key *key)
{
	struct row *row;

	HASH_FIND(hh, e->rows, key, sizeof(*key), row);
	if (row)
		return &row->row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->key = *key;
	HASH_ADD(hh, e->rows, key, sizeof(*key), row);
	if (hash_added(row))
		return &row->row;
	free(row);
	return NULL;
}

static struct waiting *waiting_of(struct kwork_events *e, u64 work)
{
	struct waiting *w;

	HASH_FIND(hh, e->waiting, &work, sizeof(work), w);
	if (w)
		return w;
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->work = work;
	HASH_ADD(hh, e->waiting, work, sizeof(work), w);
	if (hash_added(w))
		return w;
	free(w);
	return NULL;
}

static struct worker *find_worker(struct kwork_events *e, u32 tid)
{
	struct worker *w;

	HASH_FIND(hh, e->workers, &tid, sizeof(tid), w);
	return w;
}

static struct worker *worker_of(struct kwork_events *e, u32 tid)
{
	struct worker *w = find_worker(e, tid);

	if (w)
		return w;
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->tid = tid;
	HASH_ADD(hh, e->workers, tid, sizeof(tid), w);
	if (hash_added(w))
		return w;
	free(w);
	return NULL;
}

/* Adding runs and waits */

static bool keeps(struct kwork_events *e, const struct kwork_event *ev, u64 ns)
{
	const struct recorded_span span = {
		.pid = ev->pid, .tid = ev->tid, .cpu = ev->cpu, .comm = ev->comm, .time = ev->time, .ns = ns,
	};

	if (!e->opts.filter || recorded_filter__keeps(e->opts.filter, &span)) {
		e->totals.kept++;
		return true;
	}
	e->totals.dropped++;
	return false;
}

static void set_name(char name[KWORK_NAME_LEN], const char *text)
{
	snprintf(name, KWORK_NAME_LEN, "%s", text ?: "");
}

static int pass_record(struct kwork_events *e, const struct kwork_key *key, const struct kwork_run *run, u64 ns, const struct kwork_event *ev,
		       const char *name, u32 number, struct errmsg *err)
{
	struct kwork_record record = {
		.bytes = sizeof(record), .key = *key, .begin = run->begin, .end = ev->time, .ns = ns, .wait = run->wait, .raised = run->raised,
		.number = number, .cpu = ev->cpu,
	};

	set_name(record.name, name);
	return e->opts.kwork->record(e->opts.kwork->data, &record, err);
}

static int add_run(struct kwork_events *e, const struct kwork_key *key, const struct kwork_run *run, u64 ns, const struct kwork_event *ev,
		   const char *name, u32 number, struct errmsg *err)
{
	struct kwork_row *row;

	if (!e->opts.kwork->runs || !has_rows(e, key->class) || !keeps(e, ev, ns))
		return 0;
	if (e->opts.kwork->each)
		return pass_record(e, key, run, ns, ev, name, number, err);
	row = row_of(e, key);
	if (!row)
		return out_of_memory(err);
	if (key->class != KWORK_TASK || !*row->name)
		set_name(row->name, name);
	row->number = number;
	kwork_times__add(&row->run, ns, run->begin, ev->time);
	return 0;
}

static int add_wait(struct kwork_events *e, const struct kwork_key *key, const struct kwork_run *run, u64 activated, const struct kwork_event *ev,
		    struct errmsg *err)
{
	struct kwork_row *row;

	if (!e->opts.kwork->waits || !has_rows(e, key->class) || !run->raised || !keeps(e, ev, run->wait))
		return 0;
	row = row_of(e, key);
	if (!row)
		return out_of_memory(err);
	kwork_times__add(&row->wait, run->wait, run->raised, run->begin);
	if (activated > run->raised)
		kwork_times__add(&row->queued, activated - run->raised, run->raised, activated);
	return 0;
}

/* Interrupts and softirqs */

static u32 digest(const char *text)
{
	u32 sum = 5381;

	while (*text)
		sum = sum * 33 + (unsigned char)*text++;
	return sum;
}

static void begin_irq(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev)
{
	kwork_cpu__begin_irq(&cpu->state, ev->id, ev->time, e->begin);
	set_name(cpu->handler[(cpu->state.nr_irqs - 1) % KWORK_MAX_IRQS], ev->name);
}

static int end_irq(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, struct errmsg *err)
{
	struct kwork_run *run = kwork_cpu__end_irq(&cpu->state, ev->id, ev->time, e->begin);
	struct kwork_key key = { .class = KWORK_IRQ, .cpu = ev->cpu };
	const char *name;

	if (!run)
		return 0;
	name = cpu->handler[run - cpu->state.irq];
	key.id = (u32)ev->id | (u64)digest(name) << 32;
	return add_run(e, &key, run, run->ns, ev, name, ev->id, err);
}

static int begin_softirq(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, struct errmsg *err)
{
	const struct kwork_key key = { .id = ev->id, .class = KWORK_SOFTIRQ, .cpu = ev->cpu };

	kwork_cpu__begin_softirq(&cpu->state, ev->id, ev->time, e->begin);
	return add_wait(e, &key, &cpu->state.softirq, 0, ev, err);
}

static int end_softirq(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, struct errmsg *err)
{
	const struct kwork_key key = { .id = ev->id, .class = KWORK_SOFTIRQ, .cpu = ev->cpu };
	const struct kwork_run *run = kwork_cpu__end_softirq(&cpu->state, ev->id, ev->time, e->begin);

	return run ? add_run(e, &key, run, run->ns, ev, NULL, ev->id, err) : 0;
}

static int end_ipi(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, struct errmsg *err)
{
	const struct kwork_key key = { .id = (u32)ev->id, .class = KWORK_IPI, .cpu = ev->cpu };
	const struct kwork_run *run = kwork_cpu__end_irq(&cpu->state, KWORK_IPI_ID(ev->id), ev->time, e->begin);

	return run ? add_run(e, &key, run, run->ns, ev, NULL, ev->id, err) : 0;
}

/* Functions of tasklets and timers */

static enum kwork_class class_of_call(enum kwork_event_kind kind)
{
	if (kind == KWORK_EVENT_TASKLET_BEGIN)
		return KWORK_TASKLET;
	return kind == KWORK_EVENT_TIMER_BEGIN ? KWORK_TIMER : KWORK_HRTIMER;
}

static void begin_call(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev)
{
	kwork_cpu__begin_call(&cpu->state, class_of_call(ev->kind), ev->id, ev->function, ev->time, e->begin);
}

static int end_call(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, struct errmsg *err)
{
	const struct kwork_call *call = kwork_cpu__end_call(&cpu->state, ev->id, ev->time, e->begin);
	struct kwork_key key = { .cpu = ev->cpu };
	int ret;

	if (!call)
		return 0;
	key.class = call->class;
	key.id = call->run.id;
	ret = add_run(e, &key, &call->run, call->run.ns, ev, NULL, 0, err);
	kwork_cpu__leave_call(&cpu->state);
	return ret;
}

/* Works */

static int queue_work(struct kwork_events *e, const struct kwork_event *ev, struct errmsg *err)
{
	struct waiting *w = waiting_of(e, ev->id);

	if (!w)
		return out_of_memory(err);
	if (ev->kind == KWORK_EVENT_QUEUE || !has_kind(e, KWORK_EVENT_QUEUE))
		w->queued = (struct kwork_queued){ .queued = ev->time };
	else if (w->queued.queued)
		w->queued.activated = ev->time;
	return 0;
}

/* NULL: no memory */
static struct kwork_run *current_work(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev)
{
	struct worker *w;

	if (cpu->state.in_softirq)
		return &cpu->state.bh_work;
	w = worker_of(e, ev->tid);
	if (!w)
		return NULL;
	w->cpu = ev->cpu;
	return &w->run;
}

static int begin_work(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, struct errmsg *err)
{
	const struct kwork_key key = { .id = ev->function, .class = KWORK_WORK, .cpu = ev->cpu };
	struct kwork_run *run;
	struct waiting *w;
	u64 activated = 0;
	int ret;

	kwork_cpu__charge(&cpu->state, ev->time, e->begin);
	run = current_work(e, cpu, ev);
	if (!run)
		return out_of_memory(err);
	HASH_FIND(hh, e->waiting, &ev->id, sizeof(ev->id), w);
	kwork_run__begin_work(run, &cpu->state, ev->function, ev->time, w ? &w->queued : NULL);
	if (w)
		activated = w->queued.activated;
	else
		e->totals.early += e->opts.kwork->waits;
	ret = add_wait(e, &key, run, activated, ev, err);
	if (w) {
		HASH_DEL(e->waiting, w);
		free(w);
	}
	return ret;
}

static int end_work(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, struct errmsg *err)
{
	struct kwork_key key = { .class = KWORK_WORK, .cpu = ev->cpu };
	struct kwork_run *run;
	int ret;

	kwork_cpu__charge(&cpu->state, ev->time, e->begin);
	run = current_work(e, cpu, ev);
	if (!run)
		return out_of_memory(err);
	if (!run->id)
		return 0;
	kwork_run__pause(run, &cpu->state);
	key.id = run->id;
	ret = add_run(e, &key, run, run->ns, ev, NULL, 0, err);
	run->id = 0;
	return ret;
}

/* Tasks */

static struct kwork_row *task_row(struct kwork_events *e, u32 tid, u32 pid, const char *comm)
{
	const struct kwork_key key = { .id = tid, .class = KWORK_TASK };
	struct kwork_row *row = row_of(e, &key);

	if (!row)
		return NULL;
	if (comm)
		set_name(row->name, comm);
	if (pid)
		row->number = pid;
	return row;
}

static int end_turn(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, u64 ns, u64 since, struct errmsg *err)
{
	const struct kwork_run turn = { .begin = since };
	const struct kwork_key key = { .id = ev->tid, .class = KWORK_TASK };
	struct kwork_row *row;
	int ret;

	if (!ev->tid) {
		cpu->state.idle_ns += ns;
		return 0;
	}
	row = task_row(e, ev->tid, ev->pid, ev->comm);
	if (!row)
		return out_of_memory(err);
	ret = add_run(e, &key, &turn, ns, ev, ev->comm, row->number, err);
	row->since = ev->runnable ? ev->time : 0;
	return ret;
}

static int end_task_wait(struct kwork_events *e, const struct kwork_event *ev, struct errmsg *err)
{
	struct kwork_row *row;
	struct kwork_event end = *ev;
	u64 since, ns;

	if (!ev->id)
		return 0;
	row = task_row(e, ev->id, 0, ev->name);
	if (!row)
		return out_of_memory(err);
	since = row->since;
	row->since = 0;
	if (!since || since > ev->time)
		return 0;
	ns = ev->time - since;
	end.tid = ev->id;
	end.pid = row->number;
	end.comm = row->name;
	if (keeps(e, &end, ns))
		kwork_times__add(&row->wait, ns, since, ev->time);
	return 0;
}

static void set_task(struct cpu *cpu, u32 tid, u32 pid, const char *comm)
{
	cpu->tid = tid;
	cpu->pid = pid;
	snprintf(cpu->comm, sizeof(cpu->comm), "%s", comm ?: "");
}

static void switch_works(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev)
{
	struct worker *w = find_worker(e, ev->tid);

	if (w && w->run.id)
		kwork_run__pause(&w->run, &cpu->state);
	w = find_worker(e, ev->id);
	if (!w || !w->run.id)
		return;
	kwork_run__resume(&w->run, &cpu->state);
	w->cpu = ev->cpu;
}

static int switch_tasks(struct kwork_events *e, struct cpu *cpu, const struct kwork_event *ev, struct errmsg *err)
{
	__u64 since;
	const u64 ns = kwork_cpu__switch(&cpu->state, ev->time, e->begin, &since);
	int ret;

	switch_works(e, cpu, ev);
	set_task(cpu, ev->id, 0, ev->name);
	if (!has_rows(e, KWORK_TASK))
		return 0;
	ret = end_turn(e, cpu, ev, ns, since, err);
	return ret ?: e->opts.kwork->waits ? end_task_wait(e, ev, err) : 0;
}

static int begin_task_wait(struct kwork_events *e, const struct kwork_event *ev, struct errmsg *err)
{
	struct kwork_row *row;

	if (!e->opts.kwork->waits || !has_rows(e, KWORK_TASK) || ev->id == ev->tid)
		return 0;
	row = task_row(e, ev->id, ev->id_pid, ev->name);
	if (!row)
		return out_of_memory(err);
	if (!row->since)
		row->since = ev->time;
	return 0;
}

/* Events */

static int add_on_cpu(struct kwork_events *e, const struct kwork_event *ev, struct errmsg *err)
{
	struct cpu *cpu = cpu_of(e, ev->cpu);

	if (!cpu)
		return out_of_memory(err);
	cpu->seen = true;
	if (!cpu->state.turn_begin && ev->kind != KWORK_EVENT_SWITCH) { /* no switch tells who it is */
		set_task(cpu, ev->tid, ev->pid, ev->comm);
	}
	switch (ev->kind) {
	case KWORK_EVENT_IRQ_BEGIN:
		begin_irq(e, cpu, ev);
		return 0;
	case KWORK_EVENT_IRQ_END:
		return end_irq(e, cpu, ev, err);
	case KWORK_EVENT_RAISE:
		kwork_cpu__raise(&cpu->state, ev->id, ev->time);
		return 0;
	case KWORK_EVENT_SOFTIRQ_BEGIN:
		return begin_softirq(e, cpu, ev, err);
	case KWORK_EVENT_SOFTIRQ_END:
		return end_softirq(e, cpu, ev, err);
	case KWORK_EVENT_WORK_BEGIN:
		return begin_work(e, cpu, ev, err);
	case KWORK_EVENT_WORK_END:
		return end_work(e, cpu, ev, err);
	case KWORK_EVENT_IPI_BEGIN:
		kwork_cpu__begin_irq(&cpu->state, KWORK_IPI_ID(ev->id), ev->time, e->begin);
		return 0;
	case KWORK_EVENT_IPI_END:
		return end_ipi(e, cpu, ev, err);
	case KWORK_EVENT_TASKLET_BEGIN:
	case KWORK_EVENT_TIMER_BEGIN:
	case KWORK_EVENT_HRTIMER_BEGIN:
		begin_call(e, cpu, ev);
		return 0;
	case KWORK_EVENT_TASKLET_END:
	case KWORK_EVENT_TIMER_END:
	case KWORK_EVENT_HRTIMER_END:
		return end_call(e, cpu, ev, err);
	default:
		return switch_tasks(e, cpu, ev, err);
	}
}

int kwork_events__add(struct kwork_events *e, const struct kwork_event *ev, struct errmsg *err)
{
	if (!e->begin)
		e->begin = ev->time;
	if (ev->kind == KWORK_EVENT_QUEUE || ev->kind == KWORK_EVENT_ACTIVATE)
		return queue_work(e, ev, err);
	if (ev->kind == KWORK_EVENT_WAKING || ev->kind == KWORK_EVENT_WAKING_NEW)
		return begin_task_wait(e, ev, err);
	if (ev->cpu >= KWORK_MAX_CPUS) {
		e->nr_malformed++;
		return 0;
	}
	if (e->opts.has_cpu && !e->opts.has_cpu(e->opts.data, ev->cpu))
		return 0;
	return add_on_cpu(e, ev, err);
}

/* The end: what still runs and waits is added with its time so far. */

static int add_open(struct kwork_events *e, const struct kwork_key *key, u64 ns, u64 since, u64 end, const char *name, u32 number, struct errmsg *err)
{
	struct kwork_row *row;

	if (e->opts.filter || !e->opts.kwork->runs || e->opts.kwork->each || !has_rows(e, key->class))
		return 0;
	row = row_of(e, key);
	if (!row)
		return out_of_memory(err);
	if (name)
		set_name(row->name, name);
	if (number)
		row->number = number;
	e->totals.open++;
	kwork_times__add(&row->run, ns, since, end);
	return 0;
}

static int add_turn(struct kwork_events *e, struct cpu *cpu, u64 end, struct errmsg *err)
{
	struct kwork_cpu *state = &cpu->state;
	const struct kwork_key key = { .id = cpu->tid, .class = KWORK_TASK };
	const u64 ns = state->task_ns - state->turn_mark;

	if (cpu->tid)
		return add_open(e, &key, ns, state->turn_begin ?: e->begin, end, cpu->comm, cpu->pid, err);
	state->idle_ns += ns;
	return 0;
}

static int add_interrupts(struct kwork_events *e, u32 nr, const struct cpu *cpu, u64 end, struct errmsg *err)
{
	const struct kwork_cpu *state = &cpu->state;
	struct kwork_key key = { .cpu = nr };
	int ret = 0;

	for (u32 i = 0; i < state->nr_irqs && i < KWORK_MAX_IRQS && !ret; i++) {
		const struct kwork_run *run = &state->irq[i];
		const bool is_ipi = KWORK_IS_IPI(run->id);

		key.class = is_ipi ? KWORK_IPI : KWORK_IRQ;
		key.id = (u32)run->id | (is_ipi ? 0 : (u64)digest(cpu->handler[i]) << 32);
		ret = add_open(e, &key, run->ns, run->begin, end, is_ipi ? NULL : cpu->handler[i], run->id, err);
	}
	for (u32 i = 0; i < state->nr_calls && i < KWORK_MAX_CALLS && !ret; i++) {
		const struct kwork_call *call = &state->call[i];

		key.class = call->class;
		key.id = call->run.id;
		ret = add_open(e, &key, kwork_cpu__clock(state) - call->run.mark, call->run.begin, end, NULL, 0, err);
	}
	key = (struct kwork_key){ .id = state->softirq.id, .class = KWORK_SOFTIRQ, .cpu = nr };
	return ret ?: state->in_softirq ? add_open(e, &key, state->softirq.ns, state->softirq.begin, end, NULL, key.id, err) : 0;
}

static int finish_cpu(struct kwork_events *e, u32 nr, u64 end, struct errmsg *err)
{
	struct cpu *cpu = &e->cpu[nr];
	struct kwork_cpu *state = &cpu->state;
	int ret;

	kwork_cpu__charge(state, end, e->begin);
	ret = add_interrupts(e, nr, cpu, end, err);
	if (!ret && has_rows(e, KWORK_TASK))
		ret = add_turn(e, cpu, end, err);
	e->totals.unended += state->unended;
	return ret;
}

static int finish_works(struct kwork_events *e, u64 end, struct errmsg *err)
{
	struct worker *w, *next;
	int ret = 0;

	HASH_ITER(hh, e->workers, w, next) {
		const struct kwork_key key = { .id = w->run.id, .class = KWORK_WORK, .cpu = w->cpu };
		const struct cpu *cpu = w->cpu < e->nr_cpus ? &e->cpu[w->cpu] : NULL;
		const bool runs = cpu && (cpu->tid == w->tid || !has_kind(e, KWORK_EVENT_SWITCH));

		if (w->run.id && !ret)
			ret = add_open(e, &key, w->run.ns + (runs ? cpu->state.task_ns - w->run.mark : 0), w->run.begin, end, NULL, 0, err);
	}
	return ret;
}

static void finish_wait(struct kwork_events *e, struct kwork_row *row, u64 end)
{
	const u64 ns = end > row->since ? end - row->since : 0;

	if (!row->since || e->opts.filter || !e->opts.kwork->waits)
		return;
	kwork_times__add(&row->wait, ns, row->since, end);
	e->totals.waiting++;
}

static int pass_rows(struct kwork_events *e, u64 end, struct errmsg *err)
{
	struct row *row, *next;
	int ret = 0;

	HASH_ITER(hh, e->rows, row, next) {
		if (row->key.class == KWORK_TASK)
			finish_wait(e, &row->row, end);
		ret = ret ?: e->opts.kwork->row(e->opts.kwork->data, &row->key, &row->row, err);
	}
	return ret;
}

int kwork_events__finish(struct kwork_events *e, u64 end, u32 nr_cpus, struct errmsg *err)
{
	int ret = 0;

	e->totals.elapsed = e->begin && end > e->begin ? end - e->begin : 0;
	if (nr_cpus && nr_cpus <= KWORK_MAX_CPUS && !cpu_of(e, nr_cpus - 1))
		return out_of_memory(err);
	for (u32 i = 0; i < e->nr_cpus && !ret; i++)
		ret = finish_cpu(e, i, end, err);
	ret = ret ?: finish_works(e, end, err) ?: pass_rows(e, end, err);
	for (u32 i = 0; i < e->nr_cpus && !ret; i++) {
		const struct kwork_cpu_times times = {
			.cpu = i, .elapsed = e->totals.elapsed, .idle = e->cpu[i].state.idle_ns, .irq = e->cpu[i].state.irq_ns,
			.softirq = e->cpu[i].state.softirq_ns,
		};

		if ((i >= nr_cpus && !e->cpu[i].seen) || (e->opts.has_cpu && !e->opts.has_cpu(e->opts.data, i)))
			continue;
		ret = e->opts.kwork->cpu(e->opts.kwork->data, &times, err);
	}
	return ret;
}

const struct kwork_totals *kwork_events__totals(const struct kwork_events *e)
{
	return &e->totals;
}

u64 kwork_events__nr_malformed(const struct kwork_events *e)
{
	return e->nr_malformed;
}

struct kwork_events *kwork_events__new(const struct kwork_events_opts *opts)
{
	struct kwork_events *e = calloc(1, sizeof(*e));

	if (e)
		e->opts = *opts;
	return e;
}

void kwork_events__delete(struct kwork_events *e)
{
	struct row *row, *next_row;
	struct waiting *waiting, *next_waiting;
	struct worker *worker, *next_worker;

	if (!e)
		return;
	HASH_ITER(hh, e->rows, row, next_row) {
		HASH_DEL(e->rows, row);
		free(row);
	}
	HASH_ITER(hh, e->waiting, waiting, next_waiting) {
		HASH_DEL(e->waiting, waiting);
		free(waiting);
	}
	HASH_ITER(hh, e->workers, worker, next_worker) {
		HASH_DEL(e->workers, worker);
		free(worker);
	}
	free(e->cpu);
	free(e);
}
