/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The maps of one address space: sorted by address, never overlapping. Map objects are immutable and belong to a pool that lives as
 * long as the machine, so that a location may keep pointing to a map that was replaced since. Copies (fork) share what neither of
 * them has changed since, see map-tree.h.
 */
#ifndef PERF_MACHINE_MAPS_H
#define PERF_MACHINE_MAPS_H

#include "util/lib/arena.h"
#include "util/machine/machine.h"
#include "util/machine/map-tree.h"

struct map_pool {
	struct arena arena; /* of the maps, and of what they share */
	const struct mapped *recent[256]; /* shared by new maps, too: a cache by dso and protection */
	struct map_spares spares;
	u32 version; /* of the last change in any list */
};

void map_pool__exit(struct map_pool *pool); /* call it after all its maps were put */
/* For maps of the pool: an equal one, which mostly exists already. NULL: no memory */
const struct mapped *map_pool__share(struct map_pool *pool, const struct mapped *of);

struct maps *maps__new(void);			/* with one reference; NULL: -ENOMEM */
struct maps *maps__clone(struct maps *maps);	/* for fork: a separate address space with the same maps */
struct maps *maps__get(struct maps *maps);
void maps__put(struct maps *maps);

/* The last thread has ended: hardly anything will be looked for or changed, so keep them in less memory. Allowed at any time. */
void maps__end(struct maps *maps);
/* Insert a map like this one; cuts or drops maps that it overlaps. 0 or -ENOMEM. map->start < map->end. */
int maps__insert(struct maps *maps, struct map_pool *pool, const struct map *map);
/* Remove the map that starts there, if there is one. 0 or -ENOMEM. */
int maps__remove(struct maps *maps, struct map_pool *pool, u64 start);
/*
 * While it is unchanged, maps__find() finds each address that it was asked for as before: a new map where nobody has looked, as when
 * a program starts, changes nothing. What was found with one version is right for all address spaces that have it. 0: no maps. (32 bits
 * suffice: each change comes from a record of more than 32 bytes, and no file has 128 GiB of map records.)
 */
u32 maps__version(const struct maps *maps);
const struct map *maps__find(struct maps *maps, u64 addr);
/* Are they those of a 32-bit program on a 64-bit kernel? A copy is as the original. */
void maps__set_compat(struct maps *maps, bool compat);
bool maps__is_compat(const struct maps *maps);
u32 maps__nr_finds(const struct maps *maps); /* calls of maps__find() for this address space so far */
const struct map *maps__first(struct maps *maps); /* NULL: there is none, or no memory for a tree after __end() */
const struct map *maps__next(struct maps *maps, u64 addr); /* the first one that starts above addr, or NULL */

#endif
