// SPDX-License-Identifier: GPL-2.0
#include "ui/report/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/lib/array.h"
#include "util/perfdata/features.h"
#include "util/symbol/symtab.h"

#define MAP_INDENT 32 /* plus the indentation of the task */

#define NONE UINT32_MAX
#define MAX_INDENT 100 /* limit of the indentation; deeper levels use it, too */

/* Links are indices into the list. A task is linked only to its parent, so each is in one list of siblings. */
struct task {
	const struct thread *thread;
	u32 child, next; /* the first child, and the next one of the same parent, by tid; or NONE */
	u32 parent;	 /* NONE: a root */
	bool printed;
};

struct tasks {
	struct task *task; /* by tid */
	u32 nr, alloc;
};

static int add_task(const struct thread *thread, void *data)
{
	struct tasks *tasks = data;

	if (array__grow(tasks->task, tasks->nr, tasks->alloc))
		return -ENOMEM;
	tasks->task[tasks->nr++] = (struct task){ .thread = thread, .child = NONE, .next = NONE, .parent = NONE };
	return 0;
}

static int cmp_tid(const void *a, const void *b)
{
	s32 l = ((const struct task *)a)->thread->tid, r = ((const struct task *)b)->thread->tid;

	return (l > r) - (l < r);
}

static u32 find_task(const struct tasks *tasks, u32 tid)
{
	const struct thread thread = { .tid = tid };
	const struct task key = { .thread = &thread }, *found;

	found = bsearch(&key, tasks->task, tasks->nr, sizeof(*tasks->task), cmp_tid);
	return found ? found - tasks->task : NONE;
}

/* The parent of a thread is its process, that of a process its creator; -1: unknown. */
static int parent_of(const struct thread *thread)
{
	return thread->tid == thread->pid ? thread->ppid : thread->pid;
}

/* Start with the last one, so that each precedes the siblings that are already linked. */
static void link_tasks(struct tasks *tasks)
{
	for (u32 i = tasks->nr; i--;) {
		struct task *task = &tasks->task[i];
		int parent = parent_of(task->thread);
		u32 found = task->thread->tid && parent > 0 ? find_task(tasks, parent) : NONE;

		if (found == NONE)
			continue;
		task->parent = found;
		task->next = tasks->task[found].child;
		tasks->task[found].child = i;
	}
}

/* The file of a map, from the record. */
static void print_file_id(FILE *fp, const struct map *map)
{
	char id[41];

	if (map->of->ino_known && strcmp(map->of->dso->name, "[vdso]"))
		fprintf(fp, "%llu", (unsigned long long)map->of->ino);
	else if (map->of->dso->build_id.size)
		fputs(build_id__str(&map->of->dso->build_id, id), fp);
}

static void print_maps(FILE *fp, const struct thread *thread, int indent)
{
	const struct map *map;

	for (u64 at = 0; (map = machine__next_map(thread, at)); at = map->end) {
		fprintf(fp, "%*s%llx-%llx %c%c%c%c %08llx ", MAP_INDENT + indent, "", (unsigned long long)map->start,
			(unsigned long long)map->end, map->of->prot & PROT_READ ? 'r' : '-', map->of->prot & PROT_WRITE ? 'w' : '-',
			map->of->prot & PROT_EXEC ? 'x' : '-', map->of->flags ? 's' : 'p', (unsigned long long)map->pgoff);
		print_file_id(fp, map);
		fprintf(fp, " %s\n", map->of->dso->shown);
	}
}

struct printing {
	FILE *fp;
	struct tasks *tasks;
	bool maps;
};

static void print_task(const struct printing *p, struct task *task, u32 level)
{
	const struct thread *thread = task->thread;
	int indent = level < MAX_INDENT ? level : MAX_INDENT;

	task->printed = true;
	fprintf(p->fp, "  %8d %8d %8d |%*s%s\n", thread->pid, thread->tid, parent_of(thread), indent, "", thread->comm);
	if (p->maps)
		print_maps(p->fp, thread, indent);
}

/* The next unprinted task of the tree below top, in the order of the tree; NONE: all are printed. Updates level. */
static u32 step(const struct tasks *tasks, u32 top, u32 at, u32 *level)
{
	u32 next = tasks->task[at].child;

	for (++*level;; --*level) {
		while (next != NONE && tasks->task[next].printed)
			next = tasks->task[next].next;
		if (next != NONE || at == top)
			return next;
		next = tasks->task[at].next;
		at = tasks->task[at].parent;
	}
}

static void print_tree(const struct printing *p, u32 top)
{
	const struct thread *thread = p->tasks->task[top].thread;
	u32 level = thread->tid && parent_of(thread) >= 0 ? 1 : 0; /* below swapper, or nothing is known of its parent */

	for (u32 at = top; at != NONE; at = step(p->tasks, top, at, &level))
		print_task(p, &p->tasks->task[at], level);
}

int tasks__fprintf(FILE *fp, struct machine *machine, bool maps)
{
	struct tasks tasks = {};
	struct printing p = { fp, &tasks, maps };
	int ret;

	if (!machine__thread(machine, 0, 0)) /* the idle task always exists */
		return -ENOMEM;
	ret = machine__for_each_thread(machine, add_task, &tasks);
	if (!ret) {
		qsort(tasks.task, tasks.nr, sizeof(*tasks.task), cmp_tid);
		link_tasks(&tasks);
		fprintf(fp, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	}
	for (u32 i = 0; i < tasks.nr && !ret; i++) {
		if (tasks.task[i].parent == NONE)
			print_tree(&p, i);
	}
	/* In a damaged file tasks may be each other's parents: then start with the lowest tid. */
	for (u32 i = 0; i < tasks.nr && !ret; i++) {
		if (!tasks.task[i].printed)
			print_tree(&p, i);
	}
	free(tasks.task);
	return ret;
}
