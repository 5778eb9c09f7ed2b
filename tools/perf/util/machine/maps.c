// SPDX-License-Identifier: GPL-2.0
#include "util/machine/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pooled_map {
	struct map map;
	struct pooled_map *next;
};

struct maps_entry { /* start stands here too, so that a search touches no map before the last step */
	u64 start;
	const struct map *map;
};

struct maps_list { /* shared by forked address spaces until one of them is changed */
	u32 refs, nr, alloc, version;
	struct maps_entry entry[];
};

struct maps {
	u32 refs;
	u32 last; /* the entry of the last hit: samples come in runs */
	struct maps_list *list;
};

static const struct map *map_pool__add(struct map_pool *pool, const struct map *map)
{
	struct pooled_map *pooled = malloc(sizeof(*pooled));

	if (!pooled)
		return NULL;
	pooled->map = *map;
	pooled->next = pool->head;
	pool->head = pooled;
	return &pooled->map;
}

void map_pool__exit(struct map_pool *pool)
{
	while (pool->head) {
		struct pooled_map *next = pool->head->next;

		free(pool->head);
		pool->head = next;
	}
}

static struct maps_list *maps_list__new(u32 alloc)
{
	struct maps_list *list = malloc(sizeof(*list) + alloc * sizeof(list->entry[0]));

	if (list)
		*list = (struct maps_list){ .refs = 1, .alloc = alloc };
	return list;
}

static void maps_list__put(struct maps_list *list)
{
	if (list && --list->refs == 0)
		free(list);
}

static struct maps *maps__new_of(struct maps_list *list)
{
	struct maps *maps = calloc(1, sizeof(*maps));

	if (!maps || !list) {
		free(maps);
		maps_list__put(list);
		return NULL;
	}
	maps->refs = 1;
	maps->list = list;
	return maps;
}

struct maps *maps__new(void)
{
	return maps__new_of(maps_list__new(0));
}

struct maps *maps__clone(struct maps *maps)
{
	maps->list->refs++;
	return maps__new_of(maps->list);
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
	maps_list__put(maps->list);
	free(maps);
}

/* The first entry that ends above addr; list->nr if none does. */
static u32 maps_list__lower(const struct maps_list *list, u64 addr)
{
	u32 lo = 0, hi = list->nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (list->entry[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && list->entry[lo - 1].map->end > addr ? lo - 1 : lo;
}

/* Make the list ours alone, with room for one map that is put amidst another: two entries more. */
static int maps__own_list(struct maps *maps)
{
	struct maps_list *old = maps->list, *list;
	u32 alloc = old->alloc;

	if (old->nr + 2 > alloc)
		alloc = old->nr < 6 ? 8 : old->nr + old->nr / 2 + 2;
	else if (old->refs == 1)
		return 0;
	list = maps_list__new(alloc);
	if (!list)
		return -ENOMEM;
	list->nr = old->nr;
	list->version = old->version;
	memcpy(list->entry, old->entry, old->nr * sizeof(old->entry[0]));
	maps_list__put(old);
	maps->list = list;
	return 0;
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
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff && a->prot == b->prot && a->dso == b->dso;
}

int maps__insert(struct maps *maps, struct map_pool *pool, const struct map *map)
{
	const struct map *parts[3], *first, *last;
	struct maps_list *list;
	u32 lo, hi, nr = 0;

	if (maps__own_list(maps))
		return -ENOMEM;
	list = maps->list;
	lo = maps_list__lower(list, map->start);
	hi = maps_list__lower(list, map->end - 1);
	if (hi < list->nr && list->entry[hi].start < map->end)
		hi++;
	if (lo < hi) {
		first = list->entry[lo].map;
		last = list->entry[hi - 1].map;
		if (map__same(first, map))
			return 0;
		if (first->start < map->start && !(parts[nr++] = map_pool__cut(pool, first, first->start, map->start)))
			return -ENOMEM;
	}
	parts[nr] = map_pool__add(pool, map);
	if (!parts[nr++])
		return -ENOMEM;
	if (lo < hi && last->end > map->end && !(parts[nr++] = map_pool__cut(pool, last, map->end, last->end)))
		return -ENOMEM;

	memmove(&list->entry[lo + nr], &list->entry[hi], (list->nr - hi) * sizeof(list->entry[0]));
	for (u32 i = 0; i < nr; i++)
		list->entry[lo + i] = (struct maps_entry){ parts[i]->start, parts[i] };
	list->nr = list->nr - (hi - lo) + nr;
	list->version = ++pool->version;
	return 0;
}

int maps__remove(struct maps *maps, struct map_pool *pool, u64 start)
{
	struct maps_list *list;
	u32 i;

	if (maps__own_list(maps))
		return -ENOMEM;
	list = maps->list;
	i = maps_list__lower(list, start);
	if (i == list->nr || list->entry[i].start != start)
		return 0;
	memmove(&list->entry[i], &list->entry[i + 1], (list->nr - i - 1) * sizeof(list->entry[0]));
	list->nr--;
	list->version = ++pool->version;
	return 0;
}

u32 maps__version(const struct maps *maps)
{
	return maps->list->version;
}

const struct map *maps__find(struct maps *maps, u64 addr)
{
	const struct maps_list *list = maps->list;
	u32 i = maps->last;

	if (i < list->nr && addr >= list->entry[i].start && addr < list->entry[i].map->end)
		return list->entry[i].map;
	i = maps_list__lower(list, addr);
	if (i == list->nr || list->entry[i].start > addr)
		return NULL;
	maps->last = i;
	return list->entry[i].map;
}

const struct map *maps__next(const struct maps *maps, u64 addr)
{
	const struct maps_list *list = maps->list;
	u32 i = maps_list__lower(list, addr);

	if (i < list->nr && list->entry[i].start <= addr)
		i++;
	return i < list->nr ? list->entry[i].map : NULL;
}
