// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

#include "cmd/sched/timehist.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "builtin.h"
#include "cmd/sched/file.h"
#include "cmd/sched/live.h"
#include "cmd/sched/stacks.h"
#include "util/lib/hash.h"
#include "util/lib/log.h"

#define MAX_PRIO 140

struct task { /* or the idle time of a CPU, or the idle time that follows a task */
	UT_hash_handle hh;
	const struct thread *thread; /* its key */
	struct timehist_sums sums;
	double m2; /* for the deviation */
	char comm[SCHED_COMM_LEN];
	s32 prio; /* when its turn began; -1: unknown */
	u64 left, ready, migrated; /* times; 0: unknown */
	char state; /* why it left */
	/* Of its last turn: */
	u64 run, delay, sleep, iowait, preempt, pre_migration;
};

struct cpu {
	u64 last; /* switch; 0: there was none */
	struct task idle;
	struct task *before_idle; /* who ran before; NULL: unknown */
	const struct sched_frames *frames; /* of it */
};

struct idle_stack { /* idle time of a CPU after tasks left it there */
	UT_hash_handle hh;
	struct idle_key {
		const struct sched_frames *frames;
		u64 cpu;
	} key;
	u64 nr, ns;
};

struct timehist {
	struct timehist_options *o;
	struct sched_file file;
	struct selection who; /* -p, -t, -C */
	struct sched_stacks *stacks;
	struct idle_stack *idle_stacks;
	struct task *tasks;
	struct cpu *cpu;
	u32 nr_cpus;
	u64 from, to; /* --time; 0: no limit */
	u64 first, last; /* what was shown */
	u64 nr_skipped;
	bool prio[MAX_PRIO];
};

/* Options */

static int parse_prios(struct timehist *t, const char *text)
{
	while (text && *text) {
		char *end;
		unsigned long from = strtoul(text, &end, 10), to = from;

		if (end == text)
			return -1;
		if (*end == '-') {
			text = end + 1;
			to = strtoul(text, &end, 10);
			if (end == text)
				return -1;
		}
		if ((*end && *end != ',') || to < from || to >= MAX_PRIO)
			return -1;
		while (from <= to)
			t->prio[from++] = true;
		text = *end ? end + 1 : end;
	}
	return 0;
}

static int set_times(struct timehist *t)
{
	const struct selection *sel = &t->file.selection;

	if (sel->nr_times > 1) {
		pr_err("--time: perf sched timehist takes one range\n");
		return EXIT_USAGE;
	}
	if (sel->nr_times) {
		t->from = sel->time[0].from;
		t->to = sel->time[0].to == UINT64_MAX ? 0 : sel->time[0].to;
	}
	return 0;
}

static bool is_selected(const struct timehist *t, const struct thread *thread)
{
	struct session_sample sample = { .thread = (struct thread *)thread, .sample = &(struct perf_sample){ 0 } };
	struct selection who = t->who;

	return selection__judge(&who, &sample) == SAMPLE_SHOWN;
}

/* Tasks */

static struct task *task_of(struct timehist *t, const struct thread *thread, const char *comm)
{
	struct task *task;

	HASH_FIND_PTR(t->tasks, &thread, task);
	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			return NULL;
		task->thread = thread;
		task->prio = -1;
		HASH_ADD_PTR(t->tasks, thread, task);
		if (!hash_added(task)) {
			free(task);
			return NULL;
		}
	}
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	return task;
}

static struct timehist_task shown_of(const struct task *task)
{
	if (!task->thread)
		return (struct timehist_task){ .comm = "<idle>" };
	return (struct timehist_task){
		.comm = task->thread->comm_set || !task->thread->tid ? task->thread->comm : task->comm,
		.tid = task->thread->tid,
		.pid = task->thread->pid,
	};
}

static struct cpu *cpu_of(struct timehist *t, u32 nr)
{
	if (nr >= t->nr_cpus) {
		struct cpu *more = reallocarray(t->cpu, nr + 1, sizeof(*more));

		if (!more)
			return NULL;
		memset(more + t->nr_cpus, 0, (nr + 1 - t->nr_cpus) * sizeof(*more));
		for (u32 i = t->nr_cpus; i <= nr; i++)
			more[i].idle.prio = -1;
		t->cpu = more;
		t->nr_cpus = nr + 1;
	}
	return &t->cpu[nr];
}

/* The turn that ends at now, and began at begin, or 0: unknown */
static void end_turn(struct task *task, u64 now, u64 begin)
{
	task->run = task->delay = task->sleep = task->iowait = task->preempt = task->pre_migration = 0;
	if (!begin)
		return;
	task->run = now > begin ? now - begin : 0;
	if (task->ready && task->ready <= begin)
		task->delay = begin - task->ready;
	if (task->ready && task->migrated > task->ready && task->migrated < begin)
		task->pre_migration = task->migrated - task->ready;
	if (!task->left || task->left > begin)
		return;
	if (task->state == 'R')
		task->preempt = begin - task->left;
	else if (task->state == 'D')
		task->iowait = begin - task->left;
	else
		task->sleep = begin - task->left;
}

static void add_turn(struct task *task)
{
	struct timehist_sums *s = &task->sums;
	const double delta = task->run - s->mean;

	s->nr++;
	s->mean += delta / s->nr;
	task->m2 += delta * (task->run - s->mean);
	if (s->nr == 1 || task->run < s->min)
		s->min = task->run;
	if (task->run > s->max)
		s->max = task->run;
	s->run += task->run;
	s->sleep += task->sleep;
	s->iowait += task->iowait;
	s->preempt += task->preempt;
	s->delay += task->delay;
}

/* Idle time belongs to the task that ran before, with -I */

static int add_idle_stack(struct timehist *t, const struct cpu *cpu, u64 ns)
{
	const struct idle_key key = { .frames = cpu->frames, .cpu = cpu - t->cpu };
	struct idle_stack *stack;

	if (!cpu->frames)
		return 0;
	HASH_FIND(hh, t->idle_stacks, &key, sizeof(key), stack);
	if (!stack) {
		stack = calloc(1, sizeof(*stack));
		if (!stack)
			return -ENOMEM;
		stack->key = key;
		HASH_ADD(hh, t->idle_stacks, key, sizeof(key), stack);
		if (!hash_added(stack)) {
			free(stack);
			return -ENOMEM;
		}
	}
	stack->nr++;
	stack->ns += ns;
	return 0;
}

/* false: nothing is to be shown */
static bool add_idle_time(struct timehist *t, struct cpu *cpu, u64 now, u64 begin, int *ret)
{
	struct task *before = cpu->before_idle;

	if (!before)
		return false;
	end_turn(before, now, begin);
	before->delay = before->sleep = before->iowait = before->preempt = 0;
	add_turn(before);
	*ret = add_idle_stack(t, cpu, before->run);
	before->run = 0;
	cpu->before_idle = NULL;
	cpu->frames = NULL;
	return true;
}

/* Switches */

static bool skips(struct timehist *t, const struct task *task, const struct sched_switch_hit *hit)
{
	const s64 prio = task->prio != -1 ? task->prio : (s64)hit->prev_prio;
	bool skipped = (t->who.pids || t->who.tids) && !is_selected(t, task->thread ?: hit->prev);

	if (t->o->prios && (prio < 0 || prio >= MAX_PRIO || !t->prio[prio]))
		skipped = true;
	t->nr_skipped += skipped;
	return skipped || (t->o->idle && hit->prev->tid && hit->next->tid);
}

static bool has_cpu(const struct timehist *t, u32 cpu)
{
	return selection__has_cpu(&t->file.selection, cpu);
}

static void print_line(struct timehist *t, struct task *task, const struct session_sample *sample, const struct sched_switch_hit *hit, u64 time,
		       const struct sched_frames *frames)
{
	struct timehist_line line = {
		.time = time,
		.cpu = sample->sample->cpu,
		.task = shown_of(task),
		.wait = task->sleep + task->iowait + task->preempt,
		.delay = task->delay,
		.run = task->run,
		.pre_migration = task->pre_migration,
		.prio_in = task->prio,
		.prio_out = hit->prev_prio,
		.state = hit->state,
		.next = { .comm = hit->next_text, .tid = hit->next->tid },
		.frames = frames,
	};

	if (has_cpu(t, line.cpu))
		timehist__print_line(&t->o->layout, &line);
}

/* *now and *begin are cut to the wanted time. false: it is over, or has not begun */
static bool cut_time(const struct timehist *t, u64 *now, u64 *begin)
{
	if (t->from && t->from > *now)
		return false;
	if (*begin && t->from > *begin)
		*begin = t->from;
	if (!t->to)
		return true;
	if (!*begin || *begin > t->to)
		return false;
	if (*now > t->to)
		*now = t->to;
	return true;
}

static int show_turn(struct timehist *t, struct task *task, struct cpu *cpu, const struct session_sample *sample, const struct sched_switch_hit *hit,
		     const struct sched_frames *frames, u64 *now)
{
	u64 begin = cpu->last;
	int ret = 0;

	if (!cut_time(t, now, &begin) || (t->o->idle && hit->prev->tid))
		return 0;
	if (has_cpu(t, sample->sample->cpu)) {
		end_turn(task, *now, begin);
		add_turn(task);
	}
	if (t->o->idle && !add_idle_time(t, cpu, *now, begin, &ret))
		return ret;
	if (!ret && !t->o->summary_only)
		print_line(t, task, sample, hit, *now, frames);
	return ret;
}

static void leave(struct timehist *t, struct task *task, const struct sched_switch_hit *hit, u64 time, u64 now)
{
	task->left = time;
	task->state = hit->state;
	task->ready = hit->state == 'R' ? now : 0;
	task->migrated = 0;
}

static int take_switch(struct timehist *t, const struct session_sample *sample)
{
	const struct sched_frames *frames = NULL;
	u64 now = sample->sample->time;
	struct sched_switch_hit hit;
	struct task *task, *next;
	struct cpu *cpu = cpu_of(t, sample->sample->cpu);
	int ret = 0;

	if (!cpu)
		return -ENOMEM;
	if (!sched_file__read_switch(&t->file, sample, &hit))
		return 0;
	task = hit.prev->tid ? task_of(t, hit.prev, hit.prev_comm) : &cpu->idle;
	next = hit.next->tid ? task_of(t, hit.next, hit.next_comm) : &cpu->idle;
	if (!task || !next || (t->o->layout.stacks && sched_stacks__find(&t->stacks, sample->chain, t->o->max_stack, &frames)))
		return -ENOMEM;
	if (t->o->idle && hit.prev->tid) {
		cpu->before_idle = task;
		if (!hit.next->tid)
			cpu->frames = frames;
	}
	if (!skips(t, task, &hit)) {
		ret = show_turn(t, task, cpu, sample, &hit, frames, &now);
		leave(t, task, &hit, sample->sample->time, now);
	}
	next->prio = hit.next_prio;
	if (!t->first && now >= t->from)
		t->first = now;
	if (!t->to || now <= t->to)
		t->last = now;
	cpu->last = sample->sample->time;
	return ret;
}

/* Other events */

static bool is_shown(const struct timehist *t, const struct thread *thread, const struct thread *other)
{
	if (t->o->idle || t->o->summary_only)
		return false;
	return !(t->who.pids || t->who.tids) || is_selected(t, thread) || is_selected(t, other);
}

static int take_waking(struct timehist *t, const struct session_sample *sample)
{
	const struct timehist_task by = { .comm = sample->thread->comm, .tid = sample->thread->tid, .pid = sample->thread->pid };
	const struct perf_sample *raw = sample->sample;
	struct timehist_task woken;
	struct thread *thread;
	char text[SCHED_COMM_LEN];
	struct task *task;
	const char *comm;

	thread = sched_file__read_task(&t->file, sample, &comm, text);
	if (!thread)
		return 0;
	task = task_of(t, thread, comm);
	if (!task)
		return -ENOMEM;
	if (!task->ready)
		task->ready = raw->time;
	if (t->o->layout.wakeups && is_shown(t, sample->thread, thread) && sched_file__is_in_time(&t->file, raw->time) && has_cpu(t, raw->cpu)) {
		woken = shown_of(task);
		timehist__print_wakeup(&t->o->layout, raw->time, raw->cpu, &by, &woken);
	}
	return 0;
}

static int take_migration(struct timehist *t, const struct session_sample *sample)
{
	const struct timehist_task by = { .comm = sample->thread->comm, .tid = sample->thread->tid, .pid = sample->thread->pid };
	const struct perf_sample *raw = sample->sample;
	struct timehist_task moved;
	struct thread *thread;
	char text[SCHED_COMM_LEN];
	struct task *task;
	const char *comm;
	u64 from, to;

	thread = sched_file__read_task(&t->file, sample, &comm, text);
	if (!thread || !sched_file__number(&t->file, sample, "orig_cpu", &from) || !sched_file__number(&t->file, sample, "dest_cpu", &to))
		return 0;
	task = task_of(t, thread, comm);
	if (!task)
		return -ENOMEM;
	if (sched_file__is_in_time(&t->file, raw->time))
		task->sums.migrations++;
	task->migrated = raw->time;
	if (t->o->migrations && is_shown(t, sample->thread, thread) && sched_file__is_in_time(&t->file, raw->time) && has_cpu(t, raw->cpu)) {
		moved = shown_of(task);
		timehist__print_migration(&t->o->layout, raw->time, raw->cpu, &by, &moved, from, to);
	}
	return 0;
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct timehist *t = data;

	switch (sched_file__kind(&t->file, sample)) {
	case SCHED_HIT_SWITCH:
		return take_switch(t, sample);
	case SCHED_HIT_WAKING:
		return take_waking(t, sample);
	case SCHED_HIT_MIGRATE:
		return take_migration(t, sample);
	default:
		return 0;
	}
}

/* The summary */

static void print_idle_stacks(const struct timehist *t, u32 cpu)
{
	const struct idle_stack *stack;

	printf("  CPU %2u:", cpu);
	timehist__print_time(t->cpu[cpu].idle.sums.run, 6);
	printf(" msec\n  %16s  %8s  %s\n", "Idle time (msec)", "Count", "Callchains");
	printf("  ----------------  --------  --------------------------------------------------\n");
	for (stack = t->idle_stacks; stack; stack = stack->hh.next) {
		if (stack->key.cpu != cpu)
			continue;
		fputs("  ", stdout);
		timehist__print_time(stack->ns, 12);
		printf(" %8" PRIu64 "  ", (uint64_t)stack->nr);
		timehist__print_frames(stack->key.frames);
		putchar('\n');
	}
	putchar('\n');
}

static int longer_first(const struct idle_stack *a, const struct idle_stack *b)
{
	return (a->ns < b->ns) - (a->ns > b->ns);
}

static u64 print_idle(struct timehist *t, u64 elapsed)
{
	u64 nr = 0;

	printf("\nIdle stats:\n");
	for (u32 i = 0; i < t->file.nr_cpus; i++) {
		const struct timehist_sums *s = i < t->nr_cpus ? &t->cpu[i].idle.sums : NULL;

		if (!has_cpu(t, i))
			continue;
		if (s && t->cpu[i].last) {
			nr += s->nr;
			printf("    CPU %2u idle for ", i);
			timehist__print_time(s->run, 6);
			printf(" msec  (%6.2f%%)\n", elapsed ? 100.0 * s->run / elapsed : 0);
		} else {
			printf("    CPU %2u idle entire time window\n", i);
		}
	}
	if (!t->o->idle || !t->o->layout.stacks)
		return nr;
	printf("\nIdle stats by callchain:\n");
	HASH_SORT(t->idle_stacks, longer_first);
	for (u32 i = 0; i < t->nr_cpus; i++)
		print_idle_stacks(t, i);
	return nr;
}

static void print_totals(const struct timehist *t, u64 tasks, u64 switches, u64 run, u64 elapsed)
{
	printf("\n    Total number of unique tasks: %" PRIu64 "\nTotal number of context switches: %" PRIu64 "\n", (uint64_t)tasks, (uint64_t)switches);
	printf("           Total run time (msec): ");
	timehist__print_time(run, 2);
	printf("\n    Total scheduling time (msec): ");
	timehist__print_time(elapsed, 2);
	printf(" (x %u)\n", t->file.nr_cpus);
}

static void print_summary(struct timehist *t)
{
	const u64 elapsed = t->last > t->first ? t->last - t->first : 0;
	u64 tasks = 0, switches = 0, run = 0;
	struct task *task;

	timehist__print_summary_header(&t->o->layout, t->o->idle);
	for (task = t->tasks; task; task = task->hh.next) {
		struct timehist_sums *s = &task->sums;

		if (!s->nr || ((t->who.pids || t->who.tids) && !is_selected(t, task->thread)))
			continue;
		s->task = shown_of(task);
		s->ppid = task->thread->ppid;
		s->deviation = s->nr > 1 ? sqrt(task->m2 / (s->nr - 1) / s->nr) : 0;
		timehist__print_sums(&t->o->layout, s);
		tasks++;
		switches += s->nr;
		run += s->run;
	}
	if (!tasks)
		printf("<no still running tasks>\n");
	if (t->nr_skipped && !t->o->idle) /* not all idle time was looked at */
		return;
	switches += print_idle(t, elapsed);
	print_totals(t, tasks, switches, run, elapsed);
}

/* Running */

static bool has_stacks(const struct timehist *t)
{
	for (u32 i = 0; i < session__nr_events(t->file.session); i++) {
		if (t->file.hits.kind[i] == SCHED_HIT_SWITCH && session__event(t->file.session, i)->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	}
	return false;
}

static int prepare(struct timehist *t)
{
	struct errmsg err;
	int ret;

	if (parse_prios(t, t->o->prios)) {
		pr_err("--prio %s: give priorities from 0 to %d, as 0,120-129\n", t->o->prios, MAX_PRIO - 1);
		return EXIT_USAGE;
	}
	ret = sched_file__open(&t->file) ?: set_times(t);
	if (ret)
		return ret;
	if (selection__init(&t->who, t->file.session, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	t->o->layout.stacks = t->o->call_graph && has_stacks(t);
	if (t->o->call_graph && !t->o->layout.stacks)
		pr_info("Samples of sched_switch event do not have callchains.\n");
	t->o->layout.nr_cpus = t->file.nr_cpus ?: 1;
	return 0;
}

static int read_file(struct timehist *t)
{
	static const struct session_ops ops = { .sample = take_sample };
	int ret = prepare(t);

	if (ret)
		return ret;
	if (!t->o->summary_only)
		timehist__print_header(&t->o->layout);
	ret = sched_file__run(&t->file, &ops, t, t->o->layout.stacks ? SESSION_CHAINS : SESSION_ADDRESSES);
	if (!ret && (t->o->summary_only || t->o->with_summary))
		print_summary(t);
	return ret ?: sched_file__status(&t->file);
}

static void timehist__exit(struct timehist *t)
{
	struct idle_stack *stack, *next_stack;
	struct task *task, *next;

	HASH_ITER(hh, t->tasks, task, next) {
		HASH_DEL(t->tasks, task);
		free(task);
	}
	HASH_ITER(hh, t->idle_stacks, stack, next_stack) {
		HASH_DEL(t->idle_stacks, stack);
		free(stack);
	}
	free(t->cpu);
	sched_stacks__delete(t->stacks);
	selection__exit(&t->who);
	sched_file__close(&t->file);
}

/* With a command or -a, watch: read what a recording writes meanwhile. */
static int begin_live(struct timehist_options *o, struct sched_live *live, char **argv, const char *const *usages)
{
	if (!argv[0] && !o->live)
		return 0;
	if (o->reading->input)
		options__refuse_exit("-i reads a file and watches nothing: leave out %s, or -i\n", o->live ? "-a" : argv[0]);
	o->reading->input = "-";
	return sched_live__begin(live, argv, usages);
}

int sched_timehist__run(struct timehist_options *o, int argc, char **argv, const struct option_row *rows, const char *const *usages)
{
	struct timehist t = {
		.o = o,
		.file = { .reading = o->reading },
	};
	struct sched_live live = { 0 };
	int ret;

	options__parse(argc, argv, rows, usages, true);
	t.file.selection = (struct selection){ .times = o->times, .cpus = o->cpus };
	t.who = (struct selection){ .pids = o->pids, .tids = o->tids };
	if (o->summary_only && (o->layout.wakeups || o->layout.next))
		options__refuse_exit(" Error: -s and -[n|w] are mutually exclusive.\n");
	ret = begin_live(o, &live, argv, usages) ?: read_file(&t);
	timehist__exit(&t);
	return ret ?: sched_live__end(&live);
}
