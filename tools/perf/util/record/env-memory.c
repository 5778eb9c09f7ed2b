// SPDX-License-Identifier: GPL-2.0
#include "util/record/env-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/array.h"
#include "util/lib/fs.h"

#define NODE_DIR "/sys/devices/system/node"
#define MEMORY_DIR "/sys/devices/system/memory"
#define CPU_DIR "/sys/devices/system/cpu"
#define MAX_BLOCKS (1 << 24) /* larger numbers of blocks are refused */
#define MAX_CACHES 10	     /* limit per CPU */

/* The number after a prefix: 12 of "memory12"; -1: another name. */
static long numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char *end;
	long nr;

	if (strncmp(name, prefix, len) || name[len] < '0' || name[len] > '9')
		return -1;
	nr = strtol(name + len, &end, 10);
	return *end ? -1 : nr;
}

/* The first line of a file, malloc'ed; NULL with errno. */
static char *read_line(int dir, const char *path)
{
	char *text = fs__read_file(dir, path, NULL);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/* The value of key in the meminfo of a node, in KiB; 0: none */
static u64 meminfo(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static int add_node(struct perfdata_features *f, long number)
{
	struct perfdata_numa_node *node;
	char path[128], *text;

	if (array__extend(f->numa, f->nr_numa))
		return -ENOMEM;
	node = &f->numa[f->nr_numa];
	snprintf(path, sizeof(path), NODE_DIR "/node%ld/meminfo", number);
	text = fs__read_file(AT_FDCWD, path, NULL);
	*node = (struct perfdata_numa_node){ number, meminfo(text, "MemTotal:"), meminfo(text, "MemFree:"), NULL };
	free(text);
	snprintf(path, sizeof(path), NODE_DIR "/node%ld/cpulist", number);
	node->cpus = read_line(AT_FDCWD, path) ?: strdup("");
	if (!node->cpus)
		return -ENOMEM;
	f->nr_numa++;
	return 0;
}

/* A node's directory has a link for each of its memory blocks. */
static int add_blocks(struct perfdata_features *f, long number)
{
	struct perfdata_memory *m;
	struct fs_names *names;
	char path[128];
	long block;

	if (array__extend(f->memory, f->nr_memory))
		return -ENOMEM;
	m = &f->memory[f->nr_memory];
	*m = (struct perfdata_memory){ .node = number };
	snprintf(path, sizeof(path), NODE_DIR "/node%ld", number);
	names = fs_names__read(AT_FDCWD, path);
	for (size_t i = 0; names && i < names->nr; i++) {
		block = numbered(names->name[i], "memory");
		if (block >= (long)m->nr_bits && block < MAX_BLOCKS)
			m->nr_bits = block + 1;
	}
	m->bits = calloc(m->nr_bits / 64 + 1, sizeof(*m->bits));
	for (size_t i = 0; m->bits && names && i < names->nr; i++) {
		block = numbered(names->name[i], "memory");
		if (block >= 0 && block < (long)m->nr_bits)
			m->bits[block / 64] |= 1ULL << block % 64;
	}
	fs_names__delete(names);
	if (!m->bits)
		return -ENOMEM;
	f->nr_memory++;
	return 0;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct perfdata_numa_node *l = a, *r = b;

	return (l->number > r->number) - (l->number < r->number);
}

static int compare_memory(const void *a, const void *b)
{
	const struct perfdata_memory *l = a, *r = b;

	return (l->node > r->node) - (l->node < r->node);
}

int env__collect_nodes(struct perfdata_features *f)
{
	struct fs_names *names = fs_names__read(AT_FDCWD, NODE_DIR);
	char *size = read_line(AT_FDCWD, MEMORY_DIR "/block_size_bytes");
	int ret = 0;

	f->memory_block_size = size ? strtoull(size, NULL, 16) : 0;
	free(size);
	for (size_t i = 0; names && i < names->nr && !ret; i++) {
		long number = numbered(names->name[i], "node");

		if (number < 0)
			continue;
		ret = add_node(f, number);
		if (!ret && f->memory_block_size)
			ret = add_blocks(f, number);
	}
	fs_names__delete(names);
	if (f->nr_numa)
		qsort(f->numa, f->nr_numa, sizeof(*f->numa), compare_nodes);
	if (f->nr_memory)
		qsort(f->memory, f->nr_memory, sizeof(*f->memory), compare_memory);
	return ret;
}

static u32 cache_number(int dir, const char *file)
{
	char *text = read_line(dir, file);
	u32 nr = text ? strtoul(text, NULL, 10) : 0;

	free(text);
	return nr;
}

static void free_cache(struct perfdata_cache *c)
{
	free(c->type);
	free(c->size);
	free(c->cpus);
}

/* CPUs that share a cache list the same one. */
static bool is_known(const struct perfdata_features *f, const struct perfdata_cache *c)
{
	for (u32 i = 0; i < f->nr_cache; i++) {
		const struct perfdata_cache *k = &f->cache[i];

		if (k->level == c->level && !strcmp(k->type, c->type) && !strcmp(k->cpus, c->cpus))
			return true;
	}
	return false;
}

/* -ENOENT: there is no such cache. */
static int add_cache(struct perfdata_features *f, int dir)
{
	struct perfdata_cache c = { .type = read_line(dir, "type"), .cpus = read_line(dir, "shared_cpu_list") }, *all;

	if (c.type && c.cpus)
		c.level = cache_number(dir, "level");
	if (!c.level || is_known(f, &c)) {
		free_cache(&c);
		return c.level ? 0 : -ENOENT;
	}
	c.size = read_line(dir, "size") ?: strdup("");
	c.line_size = cache_number(dir, "coherency_line_size");
	c.sets = cache_number(dir, "number_of_sets");
	c.ways = cache_number(dir, "ways_of_associativity");
	all = c.size ? realloc(f->cache, (f->nr_cache + 1) * sizeof(*all)) : NULL;
	if (!all) {
		free_cache(&c);
		return -ENOMEM;
	}
	f->cache = all;
	all[f->nr_cache++] = c;
	return 0;
}

static int open_cache(int cpu, int index)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/cache/index%d", cpu, index);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* -ENOENT: the CPU has no more caches. */
static int add_cache_of(struct perfdata_features *f, int cpu, int index)
{
	int dir = open_cache(cpu, index), ret;

	if (dir < 0)
		return -ENOENT;
	ret = add_cache(f, dir);
	close(dir);
	return ret;
}

int env__collect_caches(struct perfdata_features *f)
{
	int ret = 0;

	for (u32 cpu = 0; cpu < f->nrcpus_avail && ret != -ENOMEM; cpu++) {
		ret = 0;
		for (int index = 0; index < MAX_CACHES && !ret; index++)
			ret = add_cache_of(f, cpu, index);
	}
	return ret == -ENOMEM ? ret : 0;
}
