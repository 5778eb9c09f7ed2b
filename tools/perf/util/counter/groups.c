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
#include "util/perfdata/features.h"

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

static int socket_of(const struct counter_machine *m, int cpu)
{
	if (m->recorded)
		return at_least_0(m->recorded->cpu_topology[cpu].socket_id);
	return at_least_0(topology(m->sys, cpu, "physical_package_id"));
}

static int die_of(const struct counter_machine *m, int cpu)
{
	if (m->recorded)
		return at_least_0(m->recorded->cpu_topology[cpu].die_id);
	return at_least_0(topology(m->sys, cpu, "die_id"));
}

static int core_of(const struct counter_machine *m, int cpu)
{
	if (m->recorded)
		return at_least_0(m->recorded->cpu_topology[cpu].core_id);
	return at_least_0(topology(m->sys, cpu, "core_id"));
}

static bool list_has(const char *list, int cpu)
{
	struct cpumap *cpus = list ? cpumap__parse(list, NULL) : NULL;
	const bool has = cpus && cpumap__has(cpus, cpu);

	free(cpus);
	return has;
}

static int recorded_node_of(const struct perfdata_features *f, int cpu)
{
	for (u32 i = 0; i < f->nr_numa; i++) {
		if (list_has(f->numa[i].cpus, cpu))
			return f->numa[i].number;
	}
	return 0;
}

/* The number of the node directory that has this CPU; 0 without NUMA. */
static int node_of(const struct counter_machine *m, int cpu)
{
	char path[PATH_MAX];
	struct fs_names *names;
	int node = 0;

	if (m->recorded)
		return recorded_node_of(m->recorded, cpu);
	snprintf(path, sizeof(path), "%s/cpu/cpu%d", m->sys, cpu);
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

/* The file has no numbers of caches: their first CPU names them. */
static bool recorded_cache_of(const struct perfdata_features *f, int cpu, unsigned int wanted, int *level, int *id)
{
	*level = 0;
	for (u32 i = 0; i < f->nr_cache; i++) {
		const struct perfdata_cache *cache = &f->cache[i];
		struct cpumap *cpus;

		if ((wanted && cache->level != wanted) || (int)cache->level <= *level || !list_has(cache->cpus, cpu))
			continue;
		cpus = cpumap__parse(cache->cpus, NULL);
		*level = cache->level;
		*id = cpus && cpus->nr ? cpus->cpu[0] : 0;
		free(cpus);
	}
	return *level > 0;
}

static bool machine_cache_of(const struct counter_machine *m, int cpu, unsigned int wanted, int *level, int *id)
{
	return m->recorded ? recorded_cache_of(m->recorded, cpu, wanted, level, id) : cache_of(m->sys, cpu, wanted, level, id);
}

static int check_recorded(const struct counter_machine *m, int cpu, struct errmsg *err)
{
	if (!m->recorded || (cpu >= 0 && cpu < (int)m->recorded->nr_cpu_topology))
		return 0;
	return errmsg__set(err, ENOENT, "the file has no topology of CPU %d: its counts can be shown by CPU only", cpu);
}

static int id_of(struct group_id *id, enum counter_by by, unsigned int cache_level, const struct counter_place *place,
		 const struct counter_machine *m, struct errmsg *err)
{
	const bool by_topology = by != COUNTER_BY_NONE && by != COUNTER_BY_THREAD && by != COUNTER_BY_CPU;
	int *part = id->part, cpu = place->cpu, ret = by_topology ? check_recorded(m, cpu, err) : 0;

	memset(id, 0, sizeof(*id));
	if (ret)
		return ret;
	if (by == COUNTER_BY_THREAD)
		part[0] = place->tid;
	else if (by == COUNTER_BY_CPU)
		part[0] = cpu;
	else if (by == COUNTER_BY_NODE)
		part[0] = node_of(m, cpu);
	else if (by_topology)
		part[0] = socket_of(m, cpu);
	if (by == COUNTER_BY_DIE || by == COUNTER_BY_CORE || by == COUNTER_BY_CACHE || by == COUNTER_BY_CLUSTER)
		part[1] = die_of(m, cpu);
	if (by == COUNTER_BY_CLUSTER) /* as other perfs show that it is not known: 65535 */
		part[2] = (m->recorded ? -1 : topology(m->sys, cpu, "cluster_id")) & 0xffff;
	if (by == COUNTER_BY_CORE)
		part[3] = core_of(m, cpu);
	if (by != COUNTER_BY_CACHE || machine_cache_of(m, cpu, cache_level, &part[2], &part[3]))
		return 0;
	return cache_level ? errmsg__set(err, ENOENT, "CPU %d has no cache of level %u: see /sys/devices/system/cpu/cpu%d/cache", cpu, cache_level, cpu) :
			     errmsg__set(err, ENOENT, "the kernel does not know the caches of CPU %d: --per-cache has nothing to group by", cpu);
}

void counter_thread__comm(char comm[COUNTER_COMM_LEN], pid_t tid)
{
	char path[64], *text, *end;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	text = fs__read_file(AT_FDCWD, path, NULL);
	end = text ? strrchr(text, '\n') : NULL; /* a name may hold others */
	snprintf(comm, COUNTER_COMM_LEN, "%.*s", end ? (int)(end - text) : 0, text ?: "");
	printable__clean(comm);
	free(text);
}

static void name_thread(struct counter_group *group, const struct counter_place *places, unsigned int nr, pid_t tid)
{
	char comm[COUNTER_COMM_LEN];

	for (unsigned int i = 0; i < nr; i++) {
		if (places[i].tid == tid && places[i].comm) {
			snprintf(group->name, sizeof(group->name), "%s-%d", places[i].comm, tid);
			return;
		}
	}
	counter_thread__comm(comm, tid);
	snprintf(group->name, sizeof(group->name), "%s-%d", comm, tid);
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
	case COUNTER_BY_THREAD: /* name_thread() */
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

static int make_groups(struct counter_groups *g, const struct group_id *of_place, const struct counter_place *places, unsigned int nr_places,
		       struct errmsg *err)
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
	for (i = 0; i < nr && g->by == COUNTER_BY_THREAD; i++)
		name_thread(&g->group[i], places, nr_places, ids[i].part[0]);
	for (i = 0; i < nr_places; i++)
		g->of_place[i] = (struct group_id *)bsearch(&of_place[i], ids, nr, sizeof(*ids), compare_ids) - ids;
	g->nr = nr;
	free(ids);
	return 0;
}

int counter_groups__init(struct counter_groups *g, enum counter_by by, unsigned int cache_level, const struct counter_place *places,
			 unsigned int nr_places, const struct counter_machine *machine, struct errmsg *err)
{
	struct group_id *of_place = calloc(nr_places + 1, sizeof(*of_place));
	int ret = of_place ? 0 : errmsg__set(err, ENOMEM, "out of memory");

	*g = (struct counter_groups){ .by = by };
	for (unsigned int i = 0; i < nr_places && !ret; i++)
		ret = id_of(&of_place[i], by, cache_level, &places[i], machine, err);
	if (!ret)
		ret = make_groups(g, of_place, places, nr_places, err);
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
