// SPDX-License-Identifier: GPL-2.0
#include "util/hist/paths.h"

#include <stdlib.h>

#include "util/lib/hash-index.h"
#include "util/lib/number-table.h"
#include "util/lib/pages.h"

#define MAX_NUMBER (1 << 22) /* of frames that are found by their numbers in the resolver */

struct frame {
	u64 addr;
	const struct map *map; /* of the user's code without a symbol at addr; NULL: the location is whole[addr] */
};

struct node {
	u32 parent, frame;
	u32 first; /* its child that was added first, and may be found; 0: none. Most nodes have one child, and it is near. */
};

struct paths {
	bool by_address;
	struct frame *frame;
	u32 nr_frames, alloc_frames;
	struct location *whole;
	u32 nr_whole, alloc_whole;
	struct hash_index frames;
	struct number_table frame_of, frame_of_code; /* u32: by number of a frame, or of its code, in the resolver, plus 1; 0: unknown */
	struct node *node; /* node[PATH_ROOT] has no frame */
	u32 nr_nodes, alloc_nodes;
	struct hash_index nodes; /* all but first children, and those with a frame that is not found again */
	struct number_table callers; /* struct callers_path, by id */
	/*
	 * The chains that were looked for last, from the outermost frame on: the next one of a process mostly begins in the same way. Processes on
	 * several CPUs take turns, so there are some, by the outermost number.
	 */
	struct last_chain {
		struct last_frame {
			u32 number, path;
		} *frame;
		u32 nr, alloc;
	} last[8];
};

static int grow(void *array_ptr, u32 *alloc, size_t elem_size)
{
	u32 new_alloc = *alloc ? 2 * *alloc : 256;
	void **array = array_ptr, *bigger;

	bigger = new_alloc > *alloc ? pages__grow(*array, *alloc * elem_size, new_alloc * elem_size) : NULL;
	if (!bigger)
		return -1;
	*array = bigger;
	*alloc = new_alloc;
	return 0;
}

static inline int reserve(void *array_ptr, u32 *alloc, u32 nr, size_t elem_size)
{
	return nr < *alloc ? 0 : grow(array_ptr, alloc, elem_size);
}

struct paths *paths__new(bool by_address)
{
	struct paths *paths = calloc(1, sizeof(*paths));

	if (!paths || reserve(&paths->node, &paths->alloc_nodes, 0, sizeof(*paths->node))) {
		paths__delete(paths);
		return NULL;
	}
	paths->node[paths->nr_nodes++] = (struct node){};
	paths->by_address = by_address;
	paths->frame_of.size = paths->frame_of_code.size = sizeof(u32);
	paths->callers.size = sizeof(struct callers_path);
	return paths;
}

void paths__delete(struct paths *paths)
{
	if (!paths)
		return;
	pages__delete(paths->frame, paths->alloc_frames * sizeof(*paths->frame));
	pages__delete(paths->whole, paths->alloc_whole * sizeof(*paths->whole));
	pages__delete(paths->node, paths->alloc_nodes * sizeof(*paths->node));
	paths__seal(paths);
	for (u32 i = 0; i < ARRAY_SIZE(paths->last); i++)
		free(paths->last[i].frame);
	free(paths);
}

/* Most frames are code without symbols, where each process has them at other addresses. */
static bool is_told_by_map(const struct location *loc)
{
	return loc->map && !loc->sym && !loc->code && loc->cpumode == PERF_RECORD_MISC_USER && loc->dso == loc->map->of->dso &&
	       loc->sym_addr == map__dso_addr(loc->map, loc->addr);
}

const struct location *paths__location(const struct paths *paths, u32 index, struct location *room)
{
	const struct frame *frame = &paths->frame[index];

	if (!frame->map)
		return &paths->whole[frame->addr];
	*room = (struct location){ .addr = frame->addr, .cpumode = PERF_RECORD_MISC_USER, .map = frame->map, .dso = frame->map->of->dso,
				   .sym_addr = map__dso_addr(frame->map, frame->addr) };
	return room;
}

static u64 map_size(const struct map *map)
{
	return map ? map->end - map->start : 0;
}

/* What keys and offsets of a place tell besides the code's address. */
static bool is_same_place(const struct location *a, const struct location *b)
{
	return a->addr == b->addr && a->sym_addr == b->sym_addr && a->back == b->back && map_size(a->map) == map_size(b->map);
}

static bool is_frame(const struct paths *paths, u32 index, const struct location *loc)
{
	struct location room;
	const struct location *f = paths__location(paths, index, &room);

	return f->sym == loc->sym && f->dso == loc->dso && f->cpumode == loc->cpumode && !f->map == !loc->map &&
	       (paths->by_address ? is_same_place(f, loc) : loc->sym || f->addr == loc->addr);
}

/* Frames that are added here are not found by search_frame(). */
static inline u32 add_short_frame(struct paths *paths, u64 addr, const struct map *map)
{
	u32 place = paths->nr_frames;

	if (place == PATH_NONE || reserve(&paths->frame, &paths->alloc_frames, place, sizeof(*paths->frame)))
		return PATH_NONE;
	paths->frame[place] = (struct frame){ addr, map };
	paths->nr_frames++;
	return place;
}

static u32 add_frame(struct paths *paths, const struct location *loc)
{
	u32 place;

	if (is_told_by_map(loc))
		return add_short_frame(paths, loc->addr, loc->map);
	if (reserve(&paths->whole, &paths->alloc_whole, paths->nr_whole, sizeof(*paths->whole)))
		return PATH_NONE;
	place = add_short_frame(paths, paths->nr_whole, NULL);
	if (place != PATH_NONE)
		paths->whole[paths->nr_whole++] = *loc;
	return place;
}

static bool is_by_address(const struct paths *paths, const struct location *loc)
{
	return !loc->sym || paths->by_address;
}

static u32 frame_hash_of(const struct paths *paths, const struct location *loc)
{
	u32 hash = hash_mix((u64)(uintptr_t)loc->sym, is_by_address(paths, loc) ? loc->addr : loc->cpumode);

	return paths->by_address ? hash_mix(hash_mix(hash, loc->sym_addr), map_size(loc->map)) : hash;
}

static u32 search_frame(struct paths *paths, const struct location *loc)
{
	u32 hash = frame_hash_of(paths, loc), i = hash, added;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&paths->frames, hash, &i))) {
		if (is_frame(paths, slot->place - 1, loc))
			return slot->place - 1;
	}
	added = add_frame(paths, loc);
	return added == PATH_NONE || hash_index__add(&paths->frames, hash, added) ? PATH_NONE : added;
}

/* The frame of a location with a number that occurs for the first time. */
static u32 new_frame(struct paths *paths, struct number_table *frame_of, u32 number, const struct location *loc)
{
	u32 *known = number < MAX_NUMBER ? number_table__get(frame_of, number) : NULL;
	u32 frame = search_frame(paths, loc);

	if (known && frame != PATH_NONE)
		*known = frame + 1;
	return frame;
}

static u32 known_frame(const struct number_table *frame_of, u32 number)
{
	const u32 *known = number_table__find(frame_of, number);

	return known && *known ? *known - 1 : PATH_NONE;
}

static inline u32 numbered_frame(struct paths *paths, u32 number, const struct resolver *resolver)
{
	u32 known = known_frame(&paths->frame_of, number);

	return known != PATH_NONE ? known : new_frame(paths, &paths->frame_of, number, resolver__frame(resolver, number));
}

static inline u32 add_node(struct paths *paths, u32 parent, u32 frame)
{
	u32 place = paths->nr_nodes;

	if (place == PATH_NONE || reserve(&paths->node, &paths->alloc_nodes, place, sizeof(*paths->node)))
		return PATH_NONE;
	paths->node[place] = (struct node){ parent, frame, 0 };
	paths->nr_nodes++;
	return place;
}

/* The first child, which is added if there is none; PATH_NONE: no memory. */
static u32 first_child(struct paths *paths, u32 parent, u32 frame)
{
	u32 first = paths->node[parent].first;

	if (first)
		return first;
	first = add_node(paths, parent, frame);
	if (first != PATH_NONE)
		paths->node[parent].first = first;
	return first;
}

static u32 child_hash(u32 parent, u32 frame)
{
	return hash_mix(parent, (u64)frame << 32);
}

static u32 other_child(struct paths *paths, u32 parent, u32 frame)
{
	u32 hash = child_hash(parent, frame), i = hash, added;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&paths->nodes, hash, &i))) {
		const struct node *node = &paths->node[slot->place - 1];

		if (node->parent == parent && node->frame == frame)
			return slot->place - 1;
	}
	added = add_node(paths, parent, frame);
	return added == PATH_NONE || hash_index__add(&paths->nodes, hash, added) ? PATH_NONE : added;
}

static inline u32 child(struct paths *paths, u32 parent, u32 frame)
{
	u32 first;

	if (frame == PATH_NONE)
		return PATH_NONE;
	first = first_child(paths, parent, frame);
	return first == PATH_NONE || paths->node[first].frame == frame ? first : other_child(paths, parent, frame);
}

static u32 frame_of_code(struct paths *paths, u32 number, const struct resolver *resolver)
{
	u64 addr;
	u32 code = paths->by_address ? 0 : resolver__frame_code(resolver, number, &addr);
	u32 known = code ? known_frame(&paths->frame_of_code, code) : PATH_NONE;
	const struct location *loc;

	if (known != PATH_NONE)
		return known;
	loc = resolver__frame(resolver, number);
	return code ? new_frame(paths, &paths->frame_of_code, code, loc) : search_frame(paths, loc);
}

/*
 * The child for a frame with a number that no other look-up of its address gets. Few processes are at the same addresses: for one that soon ends it
 * would not pay to look for an equal frame. If there is one, the frames are different for paths, but not in the trees shown. Frames of functions
 * are found by their code.
 */
static u32 child_once(struct paths *paths, u32 parent, u32 number, const struct resolver *resolver, bool *is_new)
{
	u64 addr;
	const struct map *map = resolver__unnamed_once(resolver, number, &addr);
	u32 frame = map ? add_short_frame(paths, addr, map) : frame_of_code(paths, number, resolver);

	if (!map)
		return child(paths, parent, frame);
	*is_new = true;
	return frame == PATH_NONE ? PATH_NONE : add_node(paths, parent, frame);
}

static inline u32 numbered_child(struct paths *paths, u32 parent, u32 number, const struct resolver *resolver, bool *is_new)
{
	return frame_number__is_once(number) ? child_once(paths, parent, number, resolver, is_new) :
					       child(paths, parent, numbered_frame(paths, number, resolver));
}

u32 paths__child(struct paths *paths, u32 parent, const struct location *loc)
{
	return child(paths, parent, search_frame(paths, loc));
}

static int reserve_last(struct last_chain *last, u32 nr)
{
	struct last_frame *more;

	if (nr <= last->alloc)
		return 0;
	more = reallocarray(last->frame, nr, sizeof(*more));
	if (!more)
		return -1;
	last->frame = more;
	last->alloc = nr;
	return 0;
}

static u32 path_of_numbers(struct paths *paths, const struct callchain *chain, const struct resolver *resolver, bool *is_new)
{
	u32 path = PATH_ROOT, i = 0, nr = chain->nr;
	struct last_chain *last = nr ? &paths->last[chain->number[nr - 1] % ARRAY_SIZE(paths->last)] : NULL;

	if (!last)
		return PATH_ROOT;
	if (reserve_last(last, nr))
		return PATH_NONE;
	for (; i < nr && i < last->nr && last->frame[i].number == chain->number[nr - 1 - i]; i++)
		path = last->frame[i].path;
	for (; i < nr && path != PATH_NONE; i++) {
		u32 number = chain->number[nr - 1 - i];

		path = numbered_child(paths, path, number, resolver, is_new);
		last->frame[i] = (struct last_frame){ number, path };
	}
	last->nr = path == PATH_NONE ? 0 : nr;
	return path;
}

u32 paths__of(struct paths *paths, const struct callchain *chain, const struct resolver *resolver, bool *is_new)
{
	u32 path = PATH_ROOT;

	*is_new = false;
	if (chain->number)
		return path_of_numbers(paths, chain, resolver, is_new);
	for (u32 i = chain->nr; i-- > 0 && path != PATH_NONE;)
		path = paths__child(paths, path, &chain->frame[i]);
	return path;
}

const struct callers_path *paths__callers(const struct paths *paths, u32 callers)
{
	const struct callers_path *kept = callers ? number_table__find(&paths->callers, callers) : NULL;

	return kept && kept->path ? kept : NULL;
}

void paths__keep_callers(struct paths *paths, u32 callers, const struct callchain *chain, u32 path)
{
	struct callers_path *kept = number_table__get(&paths->callers, callers);

	for (u32 i = 0; i < chain->nr_leaf; i++)
		path = paths->node[path].parent;
	if (kept)
		*kept = (struct callers_path){ path + 1, chain->nr - chain->nr_leaf };
}

u32 paths__below(struct paths *paths, const struct callers_path *callers, const struct callchain *chain, const struct resolver *resolver, bool *is_new)
{
	u32 path = callers->path - 1;

	*is_new = false;
	for (u32 i = chain->nr_leaf; i-- > 0 && path != PATH_NONE;)
		path = chain->number ? numbered_child(paths, path, chain->number[i], resolver, is_new) : paths__child(paths, path, &chain->frame[i]);
	return path;
}

u32 paths__below_frame(struct paths *paths, const struct callers_path *callers, u32 frame)
{
	return child(paths, callers->path - 1, frame);
}

void paths__prefetch_callers(const struct paths *paths, u32 callers)
{
	__builtin_prefetch(number_table__find(&paths->callers, callers));
}

void paths__prefetch_below(const struct paths *paths, const struct callers_path *callers, u32 frame)
{
	__builtin_prefetch(&paths->node[callers->path - 1]);
	hash_index__prefetch(&paths->nodes, child_hash(callers->path - 1, frame));
}

void paths__forget_callers(struct paths *paths)
{
	number_table__empty(&paths->callers);
}

void paths__seal(struct paths *paths)
{
	hash_index__exit(&paths->frames);
	hash_index__exit(&paths->nodes);
	number_table__exit(&paths->frame_of);
	number_table__exit(&paths->frame_of_code);
	number_table__exit(&paths->callers);
	paths->frame_of = paths->frame_of_code = paths->callers = (struct number_table){};
}

u32 paths__nr_frames(const struct paths *paths)
{
	return paths->nr_frames;
}

u32 paths__nr(const struct paths *paths)
{
	return paths->nr_nodes;
}

u32 paths__parent(const struct paths *paths, u32 path)
{
	return paths->node[path].parent;
}

u32 paths__frame(const struct paths *paths, u32 path)
{
	return paths->node[path].frame;
}

u32 paths__frames(const struct paths *paths, u32 path, u32 *frame)
{
	u32 nr = 0;

	for (; path != PATH_ROOT; path = paths->node[path].parent)
		frame[nr++] = paths->node[path].frame;
	return nr;
}
