// SPDX-License-Identifier: GPL-2.0
#include "util/counter/groups.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/fs.h"
#include "util/lib/printable.h"

/* What a group stands for. Kinds use the first numbers that they need; the others are 0. */
struct group_id {
	int part[4];
};

/* -1 if the kernel does not know: a CPU of a virtual machine may have no die. */
static int topology(const char *sys, int cpu, const char *name)
{
	char path[PATH_MAX];
	int value;

	snprintf(path, sizeof(path), "%s/cpu/cpu%d/topology/%s", sys, cpu, name);
	return fs__read_int(path, &value) ? -1 : value;
}

static int at_least_0(int value)
{
	return value < 0 ? 0 : value;
}

static int socket_of(const char *sys, int cpu)
{
	return at_least_0(topology(sys, cpu, "physical_package_id"));
}

static int die_of(const char *sys, int cpu)
{
	return at_least_0(topology(sys, cpu, "die_id"));
}

/* The number of the node directory that has this CPU; 0 without NUMA. */
static int node_of(const char *sys, int cpu)
{
	char path[PATH_MAX];
	struct fs_names *names;
	int node = 0;

	snprintf(path, sizeof(path), "%s/cpu/cpu%d", sys, cpu);
	names = fs_names__read(AT_FDCWD, path);
	for (size_t i = 0; names && i < names->nr; i++) {
		if (sscanf(names->name[i], "node%d", &node) == 1)
			break;
	}
	fs_names__delete(names);
	return node;
}

/* The first CPU of those that share a cache names it. */
static int first_sharing(const char *dir)
{
	char path[PATH_MAX];
	struct cpumap *cpus;
	int first = -1;

	snprintf(path, sizeof(path), "%s/shared_cpu_list", dir);
	cpus = cpumap__read(path, NULL);
	if (cpus && cpus->nr)
		first = cpus->cpu[0];
	free(cpus);
	return first;
}

/* Data or unified caches of the level, or with level 0 of the highest. false: there is none. */
static bool cache_of(const char *sys, int cpu, unsigned int wanted, int *level, int *id)
{
	char dir[PATH_MAX - 32], path[PATH_MAX];

	*level = 0;
	for (int i = 0;; i++) {
		int found, number;

		snprintf(dir, sizeof(dir), "%s/cpu/cpu%d/cache/index%d", sys, cpu, i);
		snprintf(path, sizeof(path), "%s/level", dir);
		if (fs__read_int(path, &found))
			break;
		if ((wanted && found != (int)wanted) || found <= *level)
			continue;
		snprintf(path, sizeof(path), "%s/id", dir);
		if (fs__read_int(path, &number))
			number = first_sharing(dir);
		*level = found;
		*id = number;
	}
	return *level > 0;
}

static int id_of(struct group_id *id, enum counter_by by, unsigned int cache_level, const struct counter_place *place, const char *sys,
		 struct errmsg *err)
{
	int *part = id->part, cpu = place->cpu;

	memset(id, 0, sizeof(*id));
	if (by == COUNTER_BY_THREAD)
		part[0] = place->tid;
	else if (by == COUNTER_BY_CPU)
		part[0] = cpu;
	else if (by == COUNTER_BY_NODE)
		part[0] = node_of(sys, cpu);
	else if (by != COUNTER_BY_NONE)
		part[0] = socket_of(sys, cpu);
	if (by == COUNTER_BY_DIE || by == COUNTER_BY_CORE || by == COUNTER_BY_CACHE || by == COUNTER_BY_CLUSTER)
		part[1] = die_of(sys, cpu);
	if (by == COUNTER_BY_CLUSTER)
		part[2] = topology(sys, cpu, "cluster_id") & 0xffff; /* as other perfs show that it is not known: 65535 */
	if (by == COUNTER_BY_CLUSTER || by == COUNTER_BY_CORE)
		part[3] = by == COUNTER_BY_CORE ? at_least_0(topology(sys, cpu, "core_id")) : 0;
	if (by == COUNTER_BY_CACHE && !cache_of(sys, cpu, cache_level, &part[2], &part[3]))
		return cache_level ? errmsg__set(err, ENOENT, "CPU %d has no cache of level %u: see " COUNTER_SYS "/cpu/cpu%d/cache", cpu, cache_level,
						 cpu) :
				     errmsg__set(err, ENOENT, "the kernel does not know the caches of CPU %d: --per-cache has nothing to group by", cpu);
	return 0;
}

static void thread_name(char *name, size_t size, pid_t tid)
{
	char path[64], *comm;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	comm = fs__read_file(AT_FDCWD, path, NULL);
	if (comm && *comm && comm[strlen(comm) - 1] == '\n')
		comm[strlen(comm) - 1] = '\0';
	snprintf(name, size, "%s-%d", comm ? printable__clean(comm) : "", tid);
	free(comm);
}

static void name_group(struct counter_group *group, enum counter_by by, const struct group_id *id)
{
	const int *p = id->part;

	group->cpu = by == COUNTER_BY_CPU ? p[0] : -1;
	switch (by) {
	case COUNTER_BY_NONE:
		break;
	case COUNTER_BY_CPU:
		snprintf(group->name, sizeof(group->name), "CPU%d", p[0]);
		break;
	case COUNTER_BY_CORE:
		snprintf(group->name, sizeof(group->name), "S%d-D%d-C%d", p[0], p[1], p[3]);
		break;
	case COUNTER_BY_SOCKET:
		snprintf(group->name, sizeof(group->name), "S%d", p[0]);
		break;
	case COUNTER_BY_DIE:
		snprintf(group->name, sizeof(group->name), "S%d-D%d", p[0], p[1]);
		break;
	case COUNTER_BY_NODE:
		snprintf(group->name, sizeof(group->name), "N%d", p[0]);
		break;
	case COUNTER_BY_CACHE:
		snprintf(group->name, sizeof(group->name), "S%d-D%d-L%d-ID%d", p[0], p[1], p[2], p[3]);
		break;
	case COUNTER_BY_CLUSTER:
		snprintf(group->name, sizeof(group->name), "S%d-D%d-CLS%d", p[0], p[1], p[2]);
		break;
	case COUNTER_BY_THREAD:
		thread_name(group->name, sizeof(group->name), p[0]);
		break;
	}
}

static int compare_ids(const void *a, const void *b)
{
	const struct group_id *x = a, *y = b;

	for (int i = 0; i < 4; i++) {
		if (x->part[i] != y->part[i])
			return x->part[i] < y->part[i] ? -1 : 1;
	}
	return 0;
}

static int make_groups(struct counter_groups *g, const struct group_id *of_place, unsigned int nr_places, struct errmsg *err)
{
	struct group_id *ids = malloc((nr_places + 1) * sizeof(*ids));
	unsigned int i, nr = 0;

	g->group = calloc(nr_places + 1, sizeof(*g->group));
	g->of_place = calloc(nr_places + 1, sizeof(*g->of_place));
	if (!ids || !g->group || !g->of_place) {
		free(ids);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	memcpy(ids, of_place, nr_places * sizeof(*ids));
	qsort(ids, nr_places, sizeof(*ids), compare_ids);
	for (i = 0; i < nr_places; i++) {
		if (!nr || compare_ids(&ids[nr - 1], &ids[i]))
			ids[nr++] = ids[i];
	}
	for (i = 0; i < nr; i++)
		name_group(&g->group[i], g->by, &ids[i]);
	for (i = 0; i < nr_places; i++)
		g->of_place[i] = (struct group_id *)bsearch(&of_place[i], ids, nr, sizeof(*ids), compare_ids) - ids;
	g->nr = nr;
	free(ids);
	return 0;
}

int counter_groups__init(struct counter_groups *g, enum counter_by by, unsigned int cache_level, const struct counter_place *places,
			 unsigned int nr_places, const char *sys, struct errmsg *err)
{
	struct group_id *of_place = calloc(nr_places + 1, sizeof(*of_place));
	int ret = of_place ? 0 : errmsg__set(err, ENOMEM, "out of memory");

	*g = (struct counter_groups){ .by = by };
	for (unsigned int i = 0; i < nr_places && !ret; i++)
		ret = id_of(&of_place[i], by, cache_level, &places[i], sys, err);
	if (!ret)
		ret = make_groups(g, of_place, nr_places, err);
	free(of_place);
	if (ret)
		counter_groups__exit(g);
	return ret;
}

void counter_groups__exit(struct counter_groups *g)
{
	free(g->group);
	free(g->of_place);
	*g = (struct counter_groups){ 0 };
}
