// SPDX-License-Identifier: GPL-2.0
#include "util/record/reader-layout.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/lib/types.h"

#define FORM "--threads takes cpu, core, package, numa, or pairs of CPU lists, what is read and where, as in 0-3/0:4-7/4"

struct forming {
	struct reader_layout *layout;
	const struct cpumap *recorded;
	const char *topology;
	struct errmsg *err;
};

typedef struct cpumap *(*find_group)(const struct forming *f, int cpu);

static int no_memory(struct errmsg *err)
{
	return errmsg__set(err, ENOMEM, "out of memory");
}

/* Those of map that are recorded, too. NULL: no memory */
static struct cpumap *recorded_of(const struct forming *f, const struct cpumap *map)
{
	struct cpumap *both = malloc(sizeof(*both) + map->nr * sizeof(both->cpu[0]));

	if (!both)
		return NULL;
	both->nr = 0;
	for (int i = 0; i < map->nr; i++) {
		if (cpumap__has(f->recorded, map->cpu[i]))
			both->cpu[both->nr++] = map->cpu[i];
	}
	return both;
}

static int add_thread(struct forming *f, const struct cpumap *read, const struct cpumap *run)
{
	struct reader_layout *l = f->layout;

	if (array__extend(l->read, l->nr) || array__extend(l->run, l->nr))
		return no_memory(f->err);
	l->read[l->nr] = recorded_of(f, read);
	l->run[l->nr] = recorded_of(f, run);
	l->nr++;
	return l->read[l->nr - 1] && l->run[l->nr - 1] ? 0 : no_memory(f->err);
}

/* Threads by topology */

static struct cpumap *same_cpu(const struct forming *f, int cpu)
{
	struct cpumap *map = malloc(sizeof(*map) + sizeof(map->cpu[0]));

	if (!map) {
		no_memory(f->err);
		return NULL;
	}
	map->nr = 1;
	map->cpu[0] = cpu;
	return map;
}

/* The second name is of kernels before 5.3. */
static struct cpumap *read_siblings(const struct forming *f, int cpu, const char *name, const char *old_name)
{
	char path[PATH_MAX];
	struct cpumap *map;

	snprintf(path, sizeof(path), "%s/cpu/cpu%d/topology/%s", f->topology, cpu, name);
	map = cpumap__read(path, f->err);
	if (map || errno != ENOENT)
		return map;
	snprintf(path, sizeof(path), "%s/cpu/cpu%d/topology/%s", f->topology, cpu, old_name);
	return cpumap__read(path, f->err);
}

static struct cpumap *same_core(const struct forming *f, int cpu)
{
	return read_siblings(f, cpu, "core_cpus_list", "thread_siblings_list");
}

static struct cpumap *same_package(const struct forming *f, int cpu)
{
	return read_siblings(f, cpu, "package_cpus_list", "core_siblings_list");
}

/* Of the nodes with CPUs; all may have memory. */
static struct cpumap *same_node(const struct forming *f, int cpu)
{
	char path[PATH_MAX];
	struct cpumap *nodes, *map = NULL;

	snprintf(path, sizeof(path), "%s/node/has_cpu", f->topology);
	nodes = cpumap__read(path, f->err);
	for (int i = 0; nodes && i < nodes->nr; i++) {
		snprintf(path, sizeof(path), "%s/node/node%d/cpulist", f->topology, nodes->cpu[i]);
		map = cpumap__read(path, f->err);
		if (!map || cpumap__has(map, cpu))
			break;
		free(map);
		map = NULL;
		errmsg__set(f->err, ENODEV, "no node in %s/node has CPU %d", f->topology, cpu);
		errno = ENODEV;
	}
	free(nodes);
	return map;
}

static bool is_read(const struct reader_layout *l, int cpu)
{
	for (unsigned int i = 0; i < l->nr; i++) {
		if (cpumap__has(l->read[i], cpu))
			return true;
	}
	return false;
}

static int add_groups(struct forming *f, find_group find)
{
	int ret = 0;

	for (int i = 0; i < f->recorded->nr && !ret; i++) {
		struct cpumap *group;

		if (is_read(f->layout, f->recorded->cpu[i]))
			continue;
		group = find(f, f->recorded->cpu[i]);
		if (!group)
			return -errno;
		ret = add_thread(f, group, group);
		free(group);
	}
	return ret;
}

/* Threads by lists */

static bool overlap(const struct cpumap *a, const struct cpumap *b)
{
	for (int i = 0; i < a->nr; i++) {
		if (cpumap__has(b, a->cpu[i]))
			return true;
	}
	return false;
}

static int check_last(const struct forming *f, const char *pair)
{
	const struct reader_layout *l = f->layout;
	const unsigned int last = l->nr - 1;

	if (!l->read[last]->nr || !l->run[last]->nr)
		return errmsg__set(f->err, EINVAL, "--threads: %s has a list without any CPU that is recorded", pair);
	for (unsigned int i = 0; i < last; i++) {
		if (overlap(l->read[i], l->read[last]) || overlap(l->run[i], l->run[last]))
			return errmsg__set(f->err, EINVAL, "--threads: %s has a CPU that an earlier list of its kind has, too", pair);
	}
	return 0;
}

static int add_pair(struct forming *f, char *pair)
{
	char *slash = strchr(pair, '/');
	struct cpumap *read, *run = NULL;
	int ret;

	if (!slash)
		return errmsg__set(f->err, EINVAL, FORM ": not \"%s\"", pair);
	*slash = 0;
	read = cpumap__parse(pair, f->err);
	if (read)
		run = cpumap__parse(slash + 1, f->err);
	ret = run ? 0 : -errno;
	*slash = '/';
	if (ret == -EINVAL)
		errmsg__prefix(f->err, "--threads");
	if (!ret)
		ret = add_thread(f, read, run) ?: check_last(f, pair);
	free(read);
	free(run);
	return ret;
}

static int add_pairs(struct forming *f, const char *spec)
{
	char *list = strdup(spec), *at, *pair;
	int ret = list ? 0 : no_memory(f->err);

	f->layout->chosen = true;
	for (at = list; !ret && (pair = strsep(&at, ":"));)
		ret = add_pair(f, pair);
	free(list);
	return ret;
}

static const struct {
	const char *name;
	find_group find;
} kinds[] = { { "cpu", same_cpu }, { "core", same_core }, { "package", same_package }, { "numa", same_node } };

const char *reader_layout__name(unsigned int i)
{
	return i < ARRAY_SIZE(kinds) ? kinds[i].name : NULL;
}

static int form(struct forming *f, const char *spec)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(spec, kinds[i].name))
			return add_groups(f, kinds[i].find);
	}
	return add_pairs(f, spec);
}

int reader_layout__new(const char *spec, const struct cpumap *recorded, const char *topology, struct reader_layout **layout,
		       struct errmsg *err)
{
	struct forming f = { .recorded = recorded, .topology = topology ?: "/sys/devices/system", .err = err };
	int ret;

	f.layout = calloc(1, sizeof(*f.layout));
	ret = f.layout ? form(&f, *spec ? spec : "cpu") : no_memory(err);
	if (ret) {
		reader_layout__delete(f.layout);
		return ret;
	}
	*layout = f.layout;
	return 0;
}

void reader_layout__delete(struct reader_layout *l)
{
	if (!l)
		return;
	for (unsigned int i = 0; i < l->nr; i++) {
		free(l->read[i]);
		free(l->run[i]);
	}
	free(l->read);
	free(l->run);
	free(l);
}
