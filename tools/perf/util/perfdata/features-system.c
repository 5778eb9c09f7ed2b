// SPDX-License-Identifier: GPL-2.0
/*
 * NUMA_TOPOLOGY, CACHE and MEM_TOPOLOGY, which other perfs write and ours only shows. Layouts as perf 7.3 writes them; the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt tells of them.
 */
#include <errno.h>
#include <stdlib.h>

#include "util/perfdata/section.h"

#define CACHE_VERSION 1
#define MEMORY_VERSION 1

int numa__decode(struct perfdata_features *f, struct section *s)
{
	u32 total;
	int err = section__u32(s, &total);

	err = err ?: section__array(s, total, 2 * sizeof(u32) + 2 * sizeof(u64), sizeof(*f->numa), &f->numa);
	for (f->nr_numa = 0; !err && f->nr_numa < total; f->nr_numa++) {
		struct perfdata_numa_node *node = &f->numa[f->nr_numa];

		err = section__u32(s, &node->number) ?: section__u64(s, &node->mem_total) ?: section__u64(s, &node->mem_free) ?:
		      section__string(s, &node->cpus);
	}
	return err;
}

void numa__reset(struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_numa; i++)
		free(f->numa[i].cpus);
	free(f->numa);
	f->numa = NULL;
	f->nr_numa = 0;
}

static int take_cache(struct section *s, struct perfdata_cache *c)
{
	return section__u32(s, &c->level) ?: section__u32(s, &c->line_size) ?: section__u32(s, &c->sets) ?: section__u32(s, &c->ways) ?:
	       section__string(s, &c->type) ?: section__string(s, &c->size) ?: section__string(s, &c->cpus);
}

int cache__decode(struct perfdata_features *f, struct section *s)
{
	u32 version, total;
	int err = section__u32(s, &version) ?: section__u32(s, &total);

	if (!err && version != CACHE_VERSION)
		return -EINVAL;
	err = err ?: section__array(s, total, 7 * sizeof(u32), sizeof(*f->cache), &f->cache);
	for (f->nr_cache = 0; !err && f->nr_cache < total; f->nr_cache++)
		err = take_cache(s, &f->cache[f->nr_cache]);
	return err;
}

void cache__reset(struct perfdata_features *f)
{
	for (u32 i = 0; i < f->nr_cache; i++) {
		free(f->cache[i].type);
		free(f->cache[i].size);
		free(f->cache[i].cpus);
	}
	free(f->cache);
	f->cache = NULL;
	f->nr_cache = 0;
}

static int take_memory(struct section *s, struct perfdata_memory *m)
{
	u64 size, words;
	int err = section__u64(s, &m->node) ?: section__u64(s, &size) ?: section__u64(s, &m->nr_bits);

	if (err)
		return err;
	words = m->nr_bits / 64 + !!(m->nr_bits % 64);
	err = section__array(s, words, sizeof(u64), sizeof(u64), &m->bits);
	return err ?: section__u64s(s, m->bits, words);
}

int memory__decode(struct perfdata_features *f, struct section *s)
{
	u64 version, total;
	int err = section__u64(s, &version) ?: section__u64(s, &f->memory_block_size) ?: section__u64(s, &total);

	if (!err && version != MEMORY_VERSION)
		return -EINVAL;
	err = err ?: section__array(s, total, 3 * sizeof(u64), sizeof(*f->memory), &f->memory);
	for (f->nr_memory = 0; !err && f->nr_memory < total; f->nr_memory++)
		err = take_memory(s, &f->memory[f->nr_memory]);
	return err;
}

void memory__reset(struct perfdata_features *f)
{
	for (u64 i = 0; i < f->nr_memory; i++)
		free(f->memory[i].bits);
	free(f->memory);
	f->memory = NULL;
	f->nr_memory = f->memory_block_size = 0;
}
