// SPDX-License-Identifier: GPL-2.0
#include "ui/tasks-stdio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/perfdata/features.h"
#include "util/symbol/symtab.h"

#define MAP_INDENT 32 /* and the task's level more */

struct tasks {
	const struct thread **thread; /* by tid */
	u32 nr, alloc;
};

static int add_task(const struct thread *thread, void *data)
{
	struct tasks *tasks = data;

	if (tasks->nr == tasks->alloc) {
		u32 alloc = tasks->alloc ? 2 * tasks->alloc : 256;
		const struct thread **more = reallocarray(tasks->thread, alloc, sizeof(*more));

		if (!more)
			return -ENOMEM;
		tasks->thread = more;
		tasks->alloc = alloc;
	}
	tasks->thread[tasks->nr++] = thread;
	return 0;
}

static int cmp_tid(const void *a, const void *b)
{
	s32 l = (*(const struct thread *const *)a)->tid, r = (*(const struct thread *const *)b)->tid;

	return (l > r) - (l < r);
}

static const struct thread *find_task(const struct tasks *tasks, u32 tid)
{
	const struct thread key = { .tid = tid }, *at = &key, **found;

	found = bsearch(&at, tasks->thread, tasks->nr, sizeof(*tasks->thread), cmp_tid);
	return found ? *found : NULL;
}

/* Which file it was, by what the record had. */
static void print_file_id(FILE *fp, const struct map *map)
{
	char id[41];

	if (map->ino_known && strcmp(map->dso->name, "[vdso]"))
		fprintf(fp, "%llu", (unsigned long long)map->ino);
	else if (map->dso->build_id.size)
		fputs(build_id__str(&map->dso->build_id, id), fp);
}

static void print_maps(FILE *fp, const struct thread *thread, int level)
{
	const struct map *map;

	for (u64 at = 0; (map = machine__next_map(thread, at)); at = map->end) {
		fprintf(fp, "%*s%llx-%llx %c%c%c%c %08llx ", MAP_INDENT + level, "", (unsigned long long)map->start,
			(unsigned long long)map->end, map->prot & PROT_READ ? 'r' : '-', map->prot & PROT_WRITE ? 'w' : '-',
			map->prot & PROT_EXEC ? 'x' : '-', map->flags ? 's' : 'p', (unsigned long long)map->pgoff);
		print_file_id(fp, map);
		fprintf(fp, " %s\n", map->dso->shown);
	}
}

/* Threads are below the process, and that is below the one that made it; -1: unknown. */
static int parent_of(const struct thread *thread)
{
	return thread->tid == thread->pid ? thread->ppid : thread->pid;
}

struct printing {
	FILE *fp;
	const struct tasks *tasks;
	bool maps;
};

/* A task is below its parent; who lists itself as an ancestor is told by the level, which cannot exceed the number of tasks. */
static void print_task(const struct printing *p, const struct thread *thread, u32 level)
{
	fprintf(p->fp, "  %8d %8d %8d |%*s%s\n", thread->pid, thread->tid, parent_of(thread), level, "",
		thread->comm);
	if (p->maps)
		print_maps(p->fp, thread, level);
	for (u32 i = 0; i < p->tasks->nr && level <= p->tasks->nr; i++) {
		const struct thread *child = p->tasks->thread[i];

		if (child != thread && child->tid && parent_of(child) == (int)thread->tid && thread->tid)
			print_task(p, child, level + 1);
	}
}

int tasks__fprintf(FILE *fp, struct machine *machine, bool maps)
{
	struct tasks tasks = {};
	struct printing p = { fp, &tasks, maps };
	int ret;

	if (!machine__thread(machine, 0, 0)) /* the idle task is always there */
		return -ENOMEM;
	ret = machine__for_each_thread(machine, add_task, &tasks);
	if (!ret) {
		qsort(tasks.thread, tasks.nr, sizeof(*tasks.thread), cmp_tid);
		fprintf(fp, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	}
	for (u32 i = 0; i < tasks.nr && !ret; i++) {
		const struct thread *thread = tasks.thread[i];

		if (!thread->tid || parent_of(thread) <= 0 || !find_task(&tasks, parent_of(thread)))
			print_task(&p, thread, thread->tid ? 1 : 0);
	}
	free(tasks.thread);
	return ret;
}
