// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

#include "cmd/sched/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "builtin.h"
#include "cmd/sched/file.h"
#include "util/lib/cpumap.h"
#include "util/lib/hash.h"
#include "util/lib/log.h"
#include "util/lib/printable.h"
#include "util/lib/text.h"
#include "util/lib/words.h"

#define COLOR_PIDS "\033[34m"
#define COLOR_CPUS "\033[41m"
#define COLOR_END "\033[m"

struct task {
	UT_hash_handle hh;
	const struct thread *thread; /* its key */
	const char *comm; /* when the name was shown last */
	char text[SCHED_COMM_LEN];
	char letters[3];  /* "": none so far */
	bool colored;
};

struct cpu {
	struct task *now, *before; /* NULL: unknown */
	bool seen, colored;
};

struct sched_map {
	struct sched_map_options *o;
	struct sched_file file;
	struct selection pids; /* to colour */
	struct cpumap *colored;
	struct words *names;
	struct task *tasks;
	struct cpu *cpu;
	u32 nr_cpus;
	u32 *order; /* CPUs with --compact */
	u32 nr_shown;
	char next[2]; /* letters for the next task */
	bool colors;
};

/* Tasks */

static bool is_wanted(const struct sched_map *m, const char *comm)
{
	if (!m->names)
		return true;
	if (!m->o->fuzzy)
		return words__has(m->names, comm);
	for (size_t i = 0; words__at(m->names, i); i++) {
		if (strstr(comm, words__at(m->names, i)))
			return true;
	}
	return false;
}

static const char *comm_of(const struct task *task)
{
	return task->thread->comm_set || !task->thread->tid ? task->thread->comm : task->text;
}

static bool is_colored(const struct sched_map *m, const struct thread *thread)
{
	struct session_sample sample = { .thread = (struct thread *)thread, .sample = &(struct perf_sample){ 0 } };
	struct selection pids = m->pids;

	return m->o->color_pids && selection__judge(&pids, &sample) == SAMPLE_SHOWN;
}

static struct task *task_of(struct sched_map *m, const struct thread *thread, const char *comm)
{
	struct task *task;

	HASH_FIND_PTR(m->tasks, &thread, task);
	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			return NULL;
		task->thread = thread;
		task->colored = is_colored(m, thread);
		HASH_ADD_PTR(m->tasks, thread, task);
		if (!hash_added(task)) {
			free(task);
			return NULL;
		}
	}
	snprintf(task->text, sizeof(task->text), "%s", comm);
	return task;
}

static void next_letters(struct sched_map *m)
{
	if (m->next[0] < 'Z') {
		m->next[0]++;
		return;
	}
	m->next[0] = 'A';
	m->next[1] = m->next[1] < '9' ? m->next[1] + 1 : '0';
}

/* false: it has letters already, and is not renamed to a name that is wanted */
static bool choose_letters(struct sched_map *m, struct task *task)
{
	if (task->letters[0] && (task->letters[0] != '-' || !is_wanted(m, comm_of(task))))
		return false;
	if (!task->thread->tid) {
		strcpy(task->letters, ". ");
	} else if (is_wanted(m, comm_of(task))) {
		task->letters[0] = m->next[0];
		task->letters[1] = m->next[1];
		next_letters(m);
	} else {
		strcpy(task->letters, "- ");
	}
	return true;
}

/* Its name has changed since it was shown */
static bool is_renamed(const struct task *task)
{
	return task->comm && task->thread->tid && strcmp(task->comm, comm_of(task));
}

/* CPUs */

static struct cpu *cpu_of(struct sched_map *m, u32 nr)
{
	if (nr >= m->nr_cpus) {
		struct cpu *more = reallocarray(m->cpu, nr + 1, sizeof(*more));
		u32 *order = reallocarray(m->order, nr + 1, sizeof(*order));

		m->cpu = more ?: m->cpu;
		m->order = order ?: m->order;
		if (!more || !order)
			return NULL;
		memset(more + m->nr_cpus, 0, (nr + 1 - m->nr_cpus) * sizeof(*more));
		for (u32 i = m->nr_cpus; i <= nr; i++)
			more[i].colored = m->colored && cpumap__has(m->colored, i);
		m->nr_cpus = nr + 1;
	}
	return &m->cpu[nr];
}

/* Does the line get one more column? */
static bool note_cpu(struct sched_map *m, struct cpu *cpu)
{
	if (cpu->seen)
		return false;
	cpu->seen = true;
	m->order[m->nr_shown++] = cpu - m->cpu;
	return m->o->compact;
}

/* Lines */

static void print_colored(const struct sched_map *m, const char *color, const char *text)
{
	if (color && m->colors)
		printf("%s%s%s", color, text, COLOR_END);
	else
		fputs(text, stdout);
}

/* leaves: the task that had this CPU is shown as '-' */
static void print_column(const struct sched_map *m, u32 nr, u32 this, bool leaves)
{
	const struct cpu *cpu = &m->cpu[nr];
	char text[8];

	print_colored(m, nr == this && cpu->colored ? COLOR_CPUS : NULL, nr == this ? "*" : " ");
	if (!cpu->now) {
		fputs("   ", stdout);
		return;
	}
	if (leaves && nr == this) {
		fputs("-  ", stdout);
		return;
	}
	snprintf(text, sizeof(text), "%2s ", cpu->now->letters);
	print_colored(m, (leaves ? cpu->before : cpu->now)->colored ? COLOR_PIDS : NULL, text);
}

static void print_map(const struct sched_map *m, u32 this, u64 time, bool leaves)
{
	const u32 nr = m->o->compact ? m->nr_shown : m->nr_cpus;
	char text[32];

	fputs("  ", stdout);
	for (u32 i = 0; i < nr; i++)
		print_column(m, m->o->compact ? m->order[i] : i, this, leaves);
	printf("  %12s secs ", text__format_time(text, sizeof(text), time));
}

static void print_name(const struct sched_map *m, struct task *task)
{
	char text[64], comm[32];

	snprintf(comm, sizeof(comm), "%s", comm_of(task));
	snprintf(text, sizeof(text), "%s => %s:%u", task->letters, printable__clean(comm), task->thread->tid);
	print_colored(m, task->colored ? COLOR_PIDS : NULL, text);
	task->comm = task->thread->comm_set ? task->thread->comm : NULL;
}

static void show_switch(struct sched_map *m, struct cpu *cpu, u64 time, bool new_name, bool new_cpu)
{
	const u32 nr = cpu - m->cpu;
	const bool in = is_wanted(m, comm_of(cpu->now)), out = is_wanted(m, comm_of(cpu->before));

	if (in) {
		print_map(m, nr, time, false);
		if (new_name || is_renamed(cpu->now) || (m->o->reading->verbose > 0 && cpu->now->thread->tid))
			print_name(m, cpu->now);
		if (new_cpu)
			printf(" (CPU %u)", nr);
		putchar('\n');
	}
	if (m->names && out && cpu->before->letters[0]) {
		print_map(m, nr, time, true);
		putchar('\n');
	}
}

static int take_switch(struct sched_map *m, const struct session_sample *sample)
{
	struct cpu *cpu = cpu_of(m, sample->sample->cpu);
	struct sched_switch_hit hit;
	bool new_name, new_cpu;

	if (!cpu)
		return -ENOMEM;
	if (!sched_file__read_switch(&m->file, sample, &hit))
		return 0;
	new_cpu = note_cpu(m, cpu);
	cpu->before = task_of(m, hit.prev, hit.prev_comm);
	cpu->now = task_of(m, hit.next, hit.next_comm);
	if (!cpu->before || !cpu->now)
		return -ENOMEM;
	new_name = choose_letters(m, cpu->now);
	if (selection__has_cpu(&m->file.selection, sample->sample->cpu))
		show_switch(m, cpu, sample->sample->time, new_name, new_cpu);
	return 0;
}

static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct sched_map *m = data;

	return sched_file__kind(&m->file, sample) == SCHED_HIT_SWITCH ? take_switch(m, sample) : 0;
}

/* Running */

static int prepare(struct sched_map *m)
{
	struct errmsg err;
	int ret;

	if (m->o->names && words__parse(m->o->names, &m->names, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	if (m->o->color_cpus) {
		m->colored = cpumap__parse(m->o->color_cpus, &err);
		if (!m->colored) {
			pr_err("%s\n", err.text);
			return EXIT_USAGE;
		}
	}
	ret = sched_file__open(&m->file);
	if (!ret && selection__init(&m->pids, m->file.session, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	return ret;
}

static int read_file(struct sched_map *m)
{
	static const struct session_ops ops = { .sample = take_sample };
	int ret = prepare(m);

	ret = ret ?: sched_file__run(&m->file, &ops, m, SESSION_ADDRESSES);
	if (ret)
		return ret;
	sched_file__print_lost(&m->file);
	return sched_file__status(&m->file);
}

int sched_map__run(struct sched_map_options *o, int argc, char **argv, const struct option_row *rows, const char *const *usages)
{
	struct sched_map m = { .o = o, .file = { .reading = o->reading }, .next = { 'A', '0' } };
	struct task *task, *next;
	int ret;

	sched_file__parse(argc, argv, rows, usages);
	if (o->fuzzy && !o->names)
		options__refuse_exit("--fuzzy-name says how the names of --task-name match: give them, or leave it out\n");
	if (o->names && !o->names[strspn(o->names, ", ")])
		options__refuse_exit("--task-name needs the names of tasks\n");
	m.file.selection.cpus = o->cpus;
	m.pids.tids = o->color_pids;
	m.colors = isatty(STDOUT_FILENO);
	ret = read_file(&m);
	HASH_ITER(hh, m.tasks, task, next) {
		HASH_DEL(m.tasks, task);
		free(task);
	}
	free(m.cpu);
	free(m.order);
	free(m.colored);
	words__delete(m.names);
	selection__exit(&m.pids);
	sched_file__close(&m.file);
	return ret;
}
