// SPDX-License-Identifier: GPL-2.0
/*
 * NUMA_TOPOLOGY, CACHE and MEM_TOPOLOGY. Layouts are those of perf 7.3, described in the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#include <errno.h>
#include <stdlib.h>

#include "util/perfdata/section.h"

#define CACHE_VERSION 1
#define MEMORY_VERSION 1

int numa__encode(const struct perfdata_features *f, FILE *out)
{
	if (!f->nr_numa)
		return -ENOENT;
	put_u32(out, f->nr_numa);
	for (u32 i = 0; i < f->nr_numa; i++) {
		put_u32(out, f->numa[i].number);
		put_u64(out, f->numa[i].mem_total);
		put_u64(out, f->numa[i].mem_free);
		put_string(out, f->numa[i].cpus);
	}
	return 0;
}

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

int cache__encode(const struct perfdata_features *f, FILE *out)
{
	if (!f->nr_cache)
		return -ENOENT;
	put_u32(out, CACHE_VERSION);
	put_u32(out, f->nr_cache);
	for (u32 i = 0; i < f->nr_cache; i++) {
		const struct perfdata_cache *c = &f->cache[i];

		put_u32(out, c->level);
		put_u32(out, c->line_size);
		put_u32(out, c->sets);
		put_u32(out, c->ways);
		put_string(out, c->type);
		put_string(out, c->size);
		put_string(out, c->cpus);
	}
	return 0;
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

int memory__encode(const struct perfdata_features *f, FILE *out)
{
	if (!f->nr_memory)
		return -ENOENT;
	put_u64(out, MEMORY_VERSION);
	put_u64(out, f->memory_block_size);
	put_u64(out, f->nr_memory);
	for (u64 i = 0; i < f->nr_memory; i++) {
		const struct perfdata_memory *m = &f->memory[i];
		u64 words = m->nr_bits / 64 + !!(m->nr_bits % 64);

		put_u64(out, m->node);
		put_u64(out, words * sizeof(u64));
		put_u64(out, m->nr_bits);
		for (u64 w = 0; w < words; w++)
			put_u64(out, m->bits[w]);
	}
	return 0;
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
