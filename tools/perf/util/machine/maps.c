// SPDX-License-Identifier: GPL-2.0
#include "util/machine/maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MISSED 6

struct maps {
	u32 refs;
	u32 version;
	u32 nr_finds;
	bool is_own; /* no other address space has this version */
	bool is_compat;
	u8 nr_missed; /* addresses that maps__find() did not find since the version changed; more than MAX_MISSED: any may be one */
	u64 *missed; /* allocated with the first one, as most address spaces have none */
	struct map_tree *base; /* the tree as it was copied at the fork. NULL: no fork, or a map was removed since */
	struct map_tree *tree; /* NULL if they are listed */
	const struct map **list; /* after maps__end(): the maps by address that base lacks, over it; NULL: all are in the tree */
	u32 nr_listed;
	struct map_pool *pool; /* pool of the tree's nodes; NULL: it was always empty */
	const struct map *last; /* the last hit: consecutive samples often hit the same map. NULL: none since the last change */
};

static const struct map *map_pool__add(struct map_pool *pool, const struct map *map)
{
	struct map *added = arena__add(&pool->arena, sizeof(*added));

	if (added)
		*added = *map;
	return added;
}

static bool mapped__same(const struct mapped *a, const struct mapped *b)
{
	return a->dso == b->dso && a->prot == b->prot && a->flags == b->flags && a->ino == b->ino && a->ino_known == b->ino_known;
}

/* One that has left the cache is added again, which only takes memory: processes map few files, and these in the same ways. */
const struct mapped *map_pool__share(struct map_pool *pool, const struct mapped *of)
{
	const struct mapped **recent = &pool->recent[(of->dso->index * 8 + of->prot) % ARRAY_SIZE(pool->recent)];
	struct mapped *added;

	if (*recent && mapped__same(*recent, of))
		return *recent;
	added = arena__add(&pool->arena, sizeof(*added));
	if (!added)
		return NULL;
	*added = *of;
	return *recent = added;
}

void map_pool__exit(struct map_pool *pool)
{
	arena__exit(&pool->arena);
	map_spares__exit(&pool->spares);
}

struct maps *maps__new(void)
{
	struct maps *maps = calloc(1, sizeof(*maps));

	if (maps)
		maps->refs = 1;
	return maps;
}

static int plant(struct maps *maps);

struct maps *maps__clone(struct maps *maps)
{
	struct maps *clone = plant(maps) ? NULL : maps__new();

	if (!clone)
		return NULL;
	clone->version = maps->version;
	maps->is_own = false;
	clone->base = map_tree__get(maps->tree);
	clone->tree = map_tree__get(maps->tree);
	clone->pool = maps->pool;
	clone->is_compat = maps->is_compat;
	return clone;
}

void maps__set_compat(struct maps *maps, bool compat)
{
	maps->is_compat = compat;
}

bool maps__is_compat(const struct maps *maps)
{
	return maps->is_compat;
}

struct maps *maps__get(struct maps *maps)
{
	maps->refs++;
	return maps;
}

void maps__put(struct maps *maps)
{
	if (!maps || --maps->refs)
		return;
	if (maps->pool) {
		map_tree__put(&maps->pool->spares, maps->base);
		map_tree__put(&maps->pool->spares, maps->tree);
	}
	free(maps->list);
	free(maps->missed);
	free(maps);
}

static void maps__set_tree(struct maps *maps, struct map_pool *pool, struct map_tree *tree)
{
	maps->tree = tree;
	maps->pool = pool;
	maps->last = NULL;
}

static void maps__set_version(struct maps *maps)
{
	maps->version = ++maps->pool->version;
	maps->is_own = true;
	maps->nr_missed = 0;
}

static void note_missed(struct maps *maps, u64 addr)
{
	if (!maps->is_own || maps->nr_missed > MAX_MISSED)
		return;
	for (u32 i = 0; i < maps->nr_missed; i++) {
		if (maps->missed[i] == addr)
			return;
	}
	if (!maps->missed)
		maps->missed = calloc(MAX_MISSED, sizeof(*maps->missed));
	if (!maps->missed)
		maps->nr_missed = MAX_MISSED;
	if (maps->nr_missed < MAX_MISSED)
		maps->missed[maps->nr_missed] = addr;
	maps->nr_missed++;
}

/* May an address in this range have been looked up in vain? */
static bool was_missed(const struct maps *maps, u64 start, u64 end)
{
	if (maps->nr_missed > MAX_MISSED)
		return true;
	for (u32 i = 0; i < maps->nr_missed; i++) {
		if (maps->missed[i] >= start && maps->missed[i] < end)
			return true;
	}
	return false;
}

static const struct map *map_pool__cut(struct map_pool *pool, const struct map *map, u64 start, u64 end)
{
	struct map part = *map;

	part.start = start;
	part.end = end;
	part.pgoff += start - map->start;
	return map_pool__add(pool, &part);
}

static bool map__same(const struct map *a, const struct map *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff &&
	       (a->of == b->of || (a->of->prot == b->of->prot && a->of->dso == b->of->dso));
}

/* The map that contains addr. *above: the first one that starts above it. NULL: none. */
static const struct map *find(const struct maps *maps, u64 addr, const struct map **above)
{
	const struct map *map = map_tree__floor(maps->tree, addr, above);

	return map && addr < map->end ? map : NULL;
}

/* Replace everything from start to before end by non-overlapping maps, in their order. */
static void maps__replace(struct maps *maps, struct map_pool *pool, u64 start, u64 end, const struct map *const *map, u32 nr)
{
	struct map_tree *left, *old, *right;

	map_tree__split(&pool->spares, maps->tree, end, &left, &right);
	map_tree__split(&pool->spares, left, start, &left, &old);
	map_tree__put(&pool->spares, old);
	for (u32 i = 0; i + 1 < nr; i++)
		left = map_tree__join(&pool->spares, left, map[i], NULL);
	maps__set_tree(maps, pool, nr ? map_tree__join(&pool->spares, left, map[nr - 1], right) :
					map_tree__concat(&pool->spares, left, right));
}

/* Put listed maps into a tree again. A map of base that was cut has no part left: each of its parts is listed. 0 or -ENOMEM. */
static int plant(struct maps *maps)
{
	if (!maps->list)
		return 0;
	maps->tree = map_tree__get(maps->base);
	for (u32 i = 0; i < maps->nr_listed; i++) {
		if (map_spares__reserve(&maps->pool->spares, maps->tree)) {
			map_tree__put(&maps->pool->spares, maps->tree);
			maps->tree = NULL;
			return -ENOMEM;
		}
		maps__replace(maps, maps->pool, maps->list[i]->start, maps->list[i]->end, &maps->list[i], 1);
	}
	free(maps->list);
	maps->list = NULL;
	return 0;
}

#define MAX_LISTED 64 /* maps: others share most of a large tree */

/* Let only those stay that the other, sorted list lacks. Returns how many. */
static u32 remove_known(const struct map **map, u32 nr, const struct map *const *known, u32 nr_known)
{
	u32 left = 0, j = 0;

	for (u32 i = 0; i < nr; i++) {
		while (j < nr_known && known[j]->start < map[i]->start)
			j++;
		if (j == nr_known || known[j] != map[i])
			map[left++] = map[i];
	}
	return left;
}

void maps__end(struct maps *maps)
{
	const struct map *map[MAX_LISTED], *known[MAX_LISTED], **list;
	u32 nr_nodes, nr = map_tree__list(maps->tree, map, MAX_LISTED, &nr_nodes), unused, nr_known;

	if (maps->refs > 1 || !nr_nodes || nr > MAX_LISTED)
		return;
	nr_known = map_tree__list(maps->base, known, MAX_LISTED, &unused);
	if (nr_known > MAX_LISTED)
		return;
	nr = remove_known(map, nr, known, nr_known);
	list = malloc(nr * sizeof(*list) + 1);
	if (!list)
		return;
	memcpy(list, map, nr * sizeof(*list));
	map_tree__put(&maps->pool->spares, maps->tree);
	maps->tree = NULL;
	maps->list = list;
	maps->nr_listed = nr;
}

/* In a list, and else in its base */
static const struct map *find_listed(const struct maps *maps, u64 addr)
{
	const struct map *above, *map;

	for (u32 i = 0; i < maps->nr_listed; i++) {
		if (addr >= maps->list[i]->start && addr < maps->list[i]->end)
			return maps->list[i];
	}
	map = map_tree__floor(maps->base, addr, &above);
	return map && addr < map->end ? map : NULL;
}

/* Insert maps that overlap no others except those with the same start. */
static void maps__set(struct maps *maps, struct map_pool *pool, const struct map *const *map, u32 nr)
{
	struct map_tree *tree = maps->tree;

	for (u32 i = 0; i < nr; i++)
		tree = map_tree__set(&pool->spares, tree, map[i]);
	maps__set_tree(maps, pool, tree);
}

static int insert(struct maps *maps, struct map_pool *pool, const struct map *map)
{
	const struct map *next, *first = find(maps, map->start, &next), *parts[3], *last = first;
	bool alone = !next || next->start >= map->end; /* usually true: no other map begins within it */
	bool is_seen = !alone || first || !maps->is_own || was_missed(maps, map->start, map->end);
	u64 start = map->start;
	u32 nr = 0;

	if (!alone)
		last = find(maps, map->end - 1, &next);
	if (first && map__same(first, map))
		return 0;
	if (map_spares__reserve(&pool->spares, maps->tree))
		return -ENOMEM;
	if (first && first->start < map->start) {
		start = first->start;
		if (!(parts[nr++] = map_pool__cut(pool, first, first->start, map->start)))
			return -ENOMEM;
	}
	parts[nr] = map_pool__add(pool, map);
	if (!parts[nr++])
		return -ENOMEM;
	if (last && last->end > map->end && !(parts[nr++] = map_pool__cut(pool, last, map->end, last->end)))
		return -ENOMEM;
	if (alone)
		maps__set(maps, pool, parts, nr);
	else
		maps__replace(maps, pool, start, map->end, parts, nr);
	if (is_seen)
		maps__set_version(maps);
	return 0;
}

int maps__insert(struct maps *maps, struct map_pool *pool, const struct map *map)
{
	return plant(maps) ?: insert(maps, pool, map);
}

int maps__remove(struct maps *maps, struct map_pool *pool, u64 start)
{
	int ret = plant(maps);
	const struct map *above, *map = ret ? NULL : find(maps, start, &above);

	if (ret)
		return ret;
	if (!map || map->start != start)
		return 0;
	if (map_spares__reserve(&pool->spares, maps->tree))
		return -ENOMEM;
	maps__replace(maps, pool, start, map->end, NULL, 0);
	map_tree__put(&pool->spares, maps->base); /* it still has the map */
	maps->base = NULL;
	maps__set_version(maps);
	return 0;
}

u32 maps__version(const struct maps *maps)
{
	return maps->version;
}

const struct map *maps__find(struct maps *maps, u64 addr)
{
	const struct map *above, *map = maps->last;

	maps->nr_finds++;
	if (map && addr >= map->start && addr < map->end)
		return map;
	map = maps->list ? find_listed(maps, addr) : find(maps, addr, &above);
	if (map)
		maps->last = map;
	else
		note_missed(maps, addr);
	return map;
}

u32 maps__nr_finds(const struct maps *maps)
{
	return maps->nr_finds;
}

const struct map *maps__next(struct maps *maps, u64 addr)
{
	const struct map *above;

	if (plant(maps))
		return NULL;
	map_tree__floor(maps->tree, addr, &above);
	return above;
}

const struct map *maps__first(struct maps *maps)
{
	const struct map *above, *map;

	if (plant(maps))
		return NULL;
	map = map_tree__floor(maps->tree, 0, &above);
	return map ?: above;
}
