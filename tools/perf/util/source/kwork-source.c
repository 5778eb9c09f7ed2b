// SPDX-License-Identifier: GPL-2.0
/*
 * What CPUs do, summed up by util/bpf_skel/kwork.bpf.c. Rows go to the functions of kwork_opts, not to the recording: drain() and collect() pass
 * no records and no rows.
 */
#define LOG_DOMAIN "kwork"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/bpf/map-bytes.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/ring.h"
#include "util/bpf_skel/kwork-account.bpf.h"
#include "util/lib/array.h"
#include "util/lib/clock.h"
#include "util/source/kwork-opts.h"
#include "util/source/kwork-order.h"
#include "util/source/sources.h"
#include "util/source/task-filter.h"
#include "util/source/tp-programs.h"
#include "util/source/watch.h"

#define DEFAULT_RING_SIZE (4 << 20)
#define WAKE_PART 8	    /* fraction of the ring that is worth a wake-up */
#define SETTLE_NS 10000000  /* time within which a program that has taken the time sends its record */

struct kwork_source {
	struct source base;
	const struct kwork_opts *opts;
	struct filter_table *table; /* the programs' copy; NULL: none */
	struct tp_programs programs;
	struct bpf_ring ring;
	struct kwork_order order;
	struct kwork_totals totals;
	struct cpumap *cpus;	   /* that are watched */
	struct kwork_cpu *cpu;	   /* by number, as of the end */
	struct kwork_running *running; /* at the end */
	u32 nr_running;
	int nr_cpus;
	u64 began_at, ended_at;
	u64 nr_open, nr_waiting;
	bool rows_pending; /* it was stopped, and the rows are not taken yet */
};

static struct kwork_source *of(const struct source *source)
{
	return (struct kwork_source *)source; /* its first member */
}

static bool has_rows(const struct kwork_source *s, enum kwork_class class)
{
	return s->opts->classes >> class & 1;
}

/* Which programs. The ends of runs come first, so that no begin that is seen misses its end. */

static bool needs_switches(const struct kwork_source *s)
{
	return has_rows(s, KWORK_TASK) || (has_rows(s, KWORK_WORK) && s->opts->runs);
}

/* The times of softirqs, works and tasks are without what interrupts them. */
static bool needs_irqs(const struct kwork_source *s)
{
	return has_rows(s, KWORK_IRQ) || s->opts->runs;
}

static bool has_calls(const struct kwork_source *s)
{
	return has_rows(s, KWORK_TASKLET) || has_rows(s, KWORK_TIMER) || has_rows(s, KWORK_HRTIMER);
}

/* Works may be executed by softirqs, and so are tasklets and timers. */
static bool needs_softirqs(const struct kwork_source *s)
{
	return has_rows(s, KWORK_SOFTIRQ) || has_rows(s, KWORK_WORK) || ((has_rows(s, KWORK_TASK) || has_calls(s)) && s->opts->runs);
}

/* The vectors of x86 that other CPUs send, and that of its own timer. */
#define IPIS(side, tracepoint) \
	{ ipis, TP_HOOK_NAMED("kwork_ipi_" side, "irq_vectors", "reschedule_" tracepoint) }, \
	{ ipis, TP_HOOK_NAMED("kwork_ipi_" side, "irq_vectors", "call_function_" tracepoint) }, \
	{ ipis, TP_HOOK_NAMED("kwork_ipi_" side, "irq_vectors", "call_function_single_" tracepoint) }, \
	{ ipis, TP_HOOK_NAMED("kwork_ipi_" side, "irq_vectors", "irq_work_" tracepoint) }, \
	{ ipis, TP_HOOK_NAMED("kwork_ipi_" side, "irq_vectors", "local_timer_" tracepoint) }

static void choose_hooks(const struct kwork_source *s, struct tp_hook hook[TP_MAX_LINKS + 1])
{
	const bool ipis = has_rows(s, KWORK_IPI) && s->opts->runs, tasklets = has_rows(s, KWORK_TASKLET) && s->opts->runs;
	const bool timers = has_rows(s, KWORK_TIMER) && s->opts->runs, hrtimers = has_rows(s, KWORK_HRTIMER) && s->opts->runs;
	const bool irqs = needs_irqs(s), softirqs = needs_softirqs(s), works = has_rows(s, KWORK_WORK), waits = s->opts->waits;
	const struct {
		bool wanted;
		struct tp_hook hook;
	} all[] = {
		IPIS("end", "exit"), IPIS("begin", "entry"),
		{ hrtimers, TP_HOOK_NAMED("kwork_hrtimer_end", "timer", "hrtimer_expire_exit") },
		{ hrtimers, TP_HOOK_NAMED("kwork_hrtimer_begin", "timer", "hrtimer_expire_entry") },
		{ timers, TP_HOOK_NAMED("kwork_timer_end", "timer", "timer_expire_exit") },
		{ timers, TP_HOOK_NAMED("kwork_timer_begin", "timer", "timer_expire_entry") },
		{ tasklets, TP_HOOK_NAMED("kwork_tasklet_end", "irq", "tasklet_exit") },
		{ tasklets, TP_HOOK_NAMED("kwork_tasklet_begin", "irq", "tasklet_entry") },
		{ irqs, TP_HOOK_RAW("kwork_irq_end") }, { irqs, TP_HOOK_RAW("kwork_irq_begin") },
		{ softirqs, TP_HOOK_RAW("kwork_softirq_end") }, { softirqs, TP_HOOK_RAW("kwork_softirq_begin") },
		{ works, TP_HOOK_EVENT("kwork_work_end", "workqueue", "workqueue_execute_end") },
		{ works, TP_HOOK_EVENT("kwork_work_begin", "workqueue", "workqueue_execute_start") },
		{ needs_switches(s), TP_HOOK_RAW("kwork_switch") },
		{ waits && has_rows(s, KWORK_SOFTIRQ), TP_HOOK_RAW("kwork_softirq_raise") },
		{ waits && works, TP_HOOK_RAW("kwork_work_activate") }, { waits && works, TP_HOOK_RAW("kwork_work_queue") },
		{ waits && has_rows(s, KWORK_TASK), TP_HOOK_RAW("kwork_waking") }, { waits && has_rows(s, KWORK_TASK), TP_HOOK_RAW("kwork_wakeup_new") },
	};
	unsigned int nr = 0;

	_Static_assert(ARRAY_SIZE(all) <= TP_MAX_LINKS, "room for all programs");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].wanted)
			hook[nr++] = all[i].hook;
	}
	hook[nr] = (struct tp_hook){ 0 };
}

/* Loading */

static void configure(struct kwork_source *s, size_t ring_size)
{
	struct bpf_programs *p = s->programs.programs;
	const struct kwork_config config = {
		.classes = s->opts->classes,
		.runs = s->opts->runs,
		.waits = s->opts->waits,
		.each = s->opts->each,
		.filtered = s->table != NULL,
		.wake_at = ring_size / WAKE_PART,
	};

	bpf_programs__set(p, "kwork_config", config);
	bpf_programs__resize(p, "kwork_rows", s->opts->max_rows);
	bpf_programs__resize(p, "kwork_queue", s->opts->waits && has_rows(s, KWORK_WORK) ? s->opts->max_rows : 1);
	bpf_programs__resize(p, "kwork_ring", ring_size);
}

static void unload(struct kwork_source *s)
{
	tp_programs__unload(&s->programs);
	bpf_ring__unmap(&s->ring);
	kwork_order__exit(&s->order);
	free(s->cpus);
	free(s->cpu);
	free(s->running);
	s->cpus = NULL;
	s->cpu = NULL;
	s->running = NULL;
	s->nr_running = 0;
}

static struct cpumap *watched_cpus(const struct sampler_target *target, struct errmsg *err)
{
	struct cpumap *cpus;
	size_t size;

	if (!target->cpus)
		return cpumap__online(err);
	size = sizeof(*cpus) + target->cpus->nr * sizeof(*cpus->cpu);
	cpus = malloc(size);
	if (cpus)
		memcpy(cpus, target->cpus, size);
	else
		errmsg__set(err, ENOMEM, "out of memory");
	return cpus;
}

static int load(struct source *source, const struct source_setup *wanted, struct errmsg *err)
{
	struct kwork_source *s = of(source);
	const struct tp_programs_setup setup = {
		.image = tp_programs__by_event() ? &bpf_image_kwork_event : &bpf_image_kwork, .table = s->table, .target = wanted->target,
	};
	const size_t ring_size = bpf_ring__size(!s->opts->each ? 1 : wanted->ring_size ?: DEFAULT_RING_SIZE);
	int ret;

	unload(s);
	s->cpus = watched_cpus(wanted->target, err);
	if (!s->cpus)
		return -errno;
	ret = tp_programs__open(&s->programs, &setup, err);
	if (ret)
		return ret;
	configure(s, ring_size);
	ret = tp_programs__load(&s->programs);
	if (ret)
		return watch__explain_load(-ret, "watch what CPUs do", "not enough memory for the rows: take room for fewer (-M)", err);
	ret = bpf_ring__map(&s->ring, bpf_programs__map(s->programs.programs, "kwork_ring"), ring_size, err);
	return ret ?: tp_programs__follow(&s->programs, &setup, false, err);
}

/* Running */

static void set_begin(struct kwork_source *s, u64 when)
{
	bpf_programs__get(s->programs.programs, "kwork_began_at", volatile u64) = when;
}

/* Counting begins when all programs are attached. */
static int enable(struct source *source, struct errmsg *err)
{
	struct kwork_source *s = of(source);
	struct tp_hook hooks[TP_MAX_LINKS + 1];
	int ret;

	choose_hooks(s, hooks);
	ret = tp_programs__attach_all(&s->programs, hooks, err);
	if (ret || s->began_at)
		return ret;
	s->began_at = clock__ns(CLOCK_MONOTONIC);
	set_begin(s, s->began_at);
	return 0;
}

static int list_running(struct kwork_source *s)
{
	int fd = bpf_programs__iterate(s->programs.programs, "kwork_list_running");
	struct kwork_running r;
	ssize_t size = 0;

	if (fd < 0)
		return fd;
	while ((size = read(fd, &r, sizeof(r))) == sizeof(r)) {
		if (array__extend(s->running, s->nr_running))
			break;
		s->running[s->nr_running++] = r;
	}
	close(fd);
	return size ? -EIO : 0;
}

static int disable(struct source *source)
{
	struct kwork_source *s = of(source);

	if (!s->programs.nr_links)
		return 0;
	s->ended_at = clock__ns(CLOCK_MONOTONIC);
	set_begin(s, 0);
	s->rows_pending = true;
	list_running(s); /* without it the last turns belong to nobody */
	tp_programs__detach(&s->programs);
	return 0;
}

static int fd(const struct source *source)
{
	return bpf_programs__map(of(source)->programs.programs, "kwork_ring");
}

static struct bpf_ring *ring(struct source *source)
{
	return &of(source)->ring;
}

static int take(void *data, const void *records, size_t size)
{
	return kwork_order__add(&((struct kwork_source *)data)->order, records, size);
}

static int drain(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes)
{
	struct kwork_source *s = of(source);
	const u64 now = clock__ns(CLOCK_MONOTONIC);
	struct errmsg err;
	int ret;

	if (!s->ring.consumer || !s->opts->each)
		return 0;
	ret = bpf_ring__drain(&s->ring, take, s, nr_bytes);
	return ret ?: kwork_order__pass(&s->order, now - SETTLE_NS, s->opts, &err);
}

/* The end: what still runs and waits is added with its time so far. */

static int read_cpus(struct kwork_source *s, struct errmsg *err)
{
	s->cpu = percpu_map__read(bpf_programs__map(s->programs.programs, "kwork_cpus"), 0, sizeof(*s->cpu), &s->nr_cpus, "the times of CPUs", err);
	if (!s->cpu)
		return -errno;
	for (int i = 0; i < s->nr_cpus; i++)
		kwork_cpu__charge(&s->cpu[i], s->ended_at, s->began_at);
	return 0;
}

static int pass_row(struct kwork_source *s, const struct kwork_key *key, struct kwork_row *row, struct errmsg *err)
{
	if (key->class == KWORK_TASK && row->since && row->since < s->ended_at && s->opts->waits && !s->table) {
		kwork_times__add(&row->wait, s->ended_at - row->since, row->since, s->ended_at);
		s->nr_waiting++;
	}
	return s->opts->row(s->opts->data, key, row, err);
}

struct taking {
	struct kwork_source *source;
	struct kwork_key key;
	struct kwork_row row;
};

static int take_row(void *data, struct errmsg *err)
{
	struct taking *t = data;

	return pass_row(t->source, &t->key, &t->row, err);
}

static int take_rows(struct kwork_source *s, struct errmsg *err)
{
	struct taking t = { .source = s };

	return watch__for_each(bpf_programs__map(s->programs.programs, "kwork_rows"), &t.key, sizeof(t.key), &t.row, take_row, &t, err);
}

static int add_open(struct kwork_source *s, const struct kwork_key *key, u64 ns, u64 since, const char *name, u32 number, bool kernel, struct errmsg *err)
{
	struct kwork_row row = { .number = number, .kernel = kernel };

	if (s->table || !s->opts->runs || s->opts->each || !has_rows(s, key->class))
		return 0;
	s->nr_open++;
	if (name)
		strncpy(row.name, name, sizeof(row.name) - 1);
	kwork_times__add(&row.run, ns, since, s->ended_at);
	return s->opts->row(s->opts->data, key, &row, err);
}

static const struct kwork_running *running_on(const struct kwork_source *s, u32 cpu)
{
	for (u32 i = 0; i < s->nr_running; i++) {
		if (s->running[i].on_cpu && s->running[i].cpu == cpu && s->running[i].tid)
			return &s->running[i];
	}
	return NULL;
}

/* The turn that goes on, of a task or of nobody. */
static int add_turn(struct kwork_source *s, u32 nr, struct kwork_cpu *cpu, struct errmsg *err)
{
	const struct kwork_running *r = running_on(s, nr);
	const struct kwork_key key = { .id = r ? r->tid : 0, .class = KWORK_TASK };
	const u64 ns = cpu->task_ns - cpu->turn_mark;

	if (r)
		return add_open(s, &key, ns, cpu->turn_begin ?: s->began_at, r->comm, r->pid, r->kernel, err);
	cpu->idle_ns += ns;
	return 0;
}

static int add_interrupts(struct kwork_source *s, u32 nr, const struct kwork_cpu *cpu, struct errmsg *err)
{
	struct kwork_key key = { .cpu = nr, .class = KWORK_IRQ };
	int ret = 0;

	for (u32 i = 0; i < cpu->nr_irqs && i < KWORK_MAX_IRQS && !ret; i++) {
		key.class = KWORK_IS_IPI(cpu->irq[i].id) ? KWORK_IPI : KWORK_IRQ;
		key.id = KWORK_IS_IPI(cpu->irq[i].id) ? (u32)cpu->irq[i].id : cpu->irq[i].id;
		ret = add_open(s, &key, cpu->irq[i].ns, cpu->irq[i].begin, NULL, key.id, false, err);
	}
	for (u32 i = 0; i < cpu->nr_calls && i < KWORK_MAX_CALLS && !ret; i++) {
		const struct kwork_call *call = &cpu->call[i];

		key.class = call->class;
		key.id = call->run.id;
		ret = add_open(s, &key, kwork_cpu__clock(cpu) - call->run.mark, call->run.begin, NULL, 0, false, err);
	}
	key = (struct kwork_key){ .id = cpu->softirq.id, .class = KWORK_SOFTIRQ, .cpu = nr };
	if (cpu->in_softirq && !ret)
		ret = add_open(s, &key, cpu->softirq.ns, cpu->softirq.begin, NULL, key.id, false, err);
	return ret;
}

static int add_works(struct kwork_source *s, struct errmsg *err)
{
	int ret = 0;

	for (u32 i = 0; i < s->nr_running && !ret; i++) {
		const struct kwork_running *r = &s->running[i];
		const struct kwork_key key = { .id = r->work.id, .class = KWORK_WORK, .cpu = r->cpu };
		const u64 now = r->on_cpu && r->cpu < (u32)s->nr_cpus ? s->cpu[r->cpu].task_ns : r->work.mark;

		if (r->work.id)
			ret = add_open(s, &key, r->work.ns + (now > r->work.mark ? now - r->work.mark : 0), r->work.begin, NULL, 0, false, err);
	}
	return ret;
}

static int take_cpus(struct kwork_source *s, struct errmsg *err)
{
	int ret = add_works(s, err);

	for (int i = 0; i < s->cpus->nr && !ret; i++) {
		const u32 nr = s->cpus->cpu[i];
		struct kwork_cpu *cpu = nr < (u32)s->nr_cpus ? &s->cpu[nr] : NULL;
		struct kwork_cpu_times times = { .cpu = nr, .elapsed = s->ended_at - s->began_at };

		if (!cpu)
			continue;
		ret = add_interrupts(s, nr, cpu, err) ?: has_rows(s, KWORK_TASK) ? add_turn(s, nr, cpu, err) : 0;
		times.idle = cpu->idle_ns;
		times.irq = cpu->irq_ns;
		times.softirq = cpu->softirq_ns;
		ret = ret ?: s->opts->cpu(s->opts->data, &times, err);
	}
	return ret;
}

static int collect(struct source *source, source_row_cb cb, void *data, struct errmsg *err)
{
	struct kwork_source *s = of(source);
	int ret;

	if (!s->rows_pending)
		return 0;
	s->rows_pending = false;
	ret = bpf_ring__drain_all(&s->ring, take, s);
	if (ret)
		return errmsg__set(err, -ret, "cannot fetch what CPUs did: %s", strerror(-ret));
	return kwork_order__pass(&s->order, UINT64_MAX, s->opts, err) ?: read_cpus(s, err) ?: take_rows(s, err) ?: take_cpus(s, err);
}

/* Counts */

static int read_totals(struct kwork_source *s, struct errmsg *err)
{
	struct kwork_totals *t = &s->totals;
	struct tp_hook hooks[TP_MAX_LINKS + 1];
	struct kwork_counts *percpu;
	int nr_cpus;

	percpu = percpu_map__read(bpf_programs__map(s->programs.programs, "kwork_counts"), 0, sizeof(*percpu), &nr_cpus, "the counts of runs", err);
	if (!percpu)
		return -errno;
	*t = (struct kwork_totals){ .open = s->nr_open, .waiting = s->nr_waiting, .elapsed = s->ended_at - s->began_at };
	for (int i = 0; i < nr_cpus; i++) {
		t->kept += percpu[i].kept;
		t->dropped += percpu[i].dropped;
		t->lost_rows += percpu[i].lost_rows;
		t->lost_waits += percpu[i].lost_waits;
		t->lost_works += percpu[i].lost_works;
		t->lost_records += percpu[i].lost_records;
		t->early += percpu[i].early;
	}
	free(percpu);
	choose_hooks(s, hooks);
	t->missed = watch__missed(&s->programs, hooks);
	for (int i = 0; i < s->nr_cpus && s->cpu; i++)
		t->unended += s->cpu[i].unended;
	return 0;
}

static int counts(struct source *source, struct sampler_counts *counts, struct errmsg *err)
{
	struct kwork_source *s = of(source);
	int ret = read_totals(s, err);

	if (ret)
		return ret;
	counts->filtered = s->table;
	counts->seen = s->totals.kept + s->totals.dropped;
	counts->dropped = s->totals.dropped;
	counts->totals = &s->totals;
	return 0;
}

static int tally_counts(struct source *source, struct tally_counts *counts, struct errmsg *err)
{
	struct kwork_source *s = of(source);
	int ret = read_totals(s, err);

	if (ret)
		return ret;
	*counts = (struct tally_counts){
		.counted = s->totals.kept,
		.seen = s->totals.kept + s->totals.dropped,
		.dropped = s->totals.dropped,
		.map_bytes = map_bytes(bpf_programs__map(s->programs.programs, "kwork_rows")) +
			     map_bytes(bpf_programs__map(s->programs.programs, "kwork_queue")),
	};
	return 0;
}

static void explain(const struct source *source, FILE *fp)
{
	const struct kwork_source *s = of(source);
	struct tp_hook hooks[TP_MAX_LINKS + 1];

	choose_hooks(s, hooks);
	watch__explain(source, hooks, "each run and wait at its end", fp);
}

static void delete(struct source *source)
{
	unload(of(source));
	source__free(source);
}

/* Choosing */

static int choose(struct source_wish *wish, struct source **source, struct errmsg *err)
{
	static const struct watch_words words = {
		"what CPUs do",
		"the task at that time has " TASK_FILTER_TERMS ", there are cpu and time, and the length of the run or "
		"wait is period",
		"what CPUs do is watched",
	};
	struct kwork_source *s;

	s = source__new(sizeof(*s), &kwork_source_ops, wish);
	if (!s)
		return errmsg__set(err, ENOMEM, "out of memory");
	*source = &s->base;
	s->opts = wish->evsel->kind_opts;
	s->programs = TP_PROGRAMS_INIT;
	s->table = s->base.filter.table;
	return watch__settle(&s->base, wish, &words, err);
}

const struct source_ops kwork_source_ops = {
	.name = "kwork",
	.kind = { &kwork_kind },
	.stand_in = true,
	.choose = choose,
	.load = load,
	.enable = enable,
	.disable = disable,
	.fd = fd,
	.ring = ring,
	.drain = drain,
	.collect = collect,
	.counts = counts,
	.tally_counts = tally_counts,
	.explain = explain,
	.delete = delete,
};
