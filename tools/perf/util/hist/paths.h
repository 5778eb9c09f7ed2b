/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callchains as numbers: one for each frame, and one for each path, the frames from the outermost caller down to some function.
 * Common parts of samples are stored once, and two chains are equal if their numbers are.
 */
#ifndef PERF_HIST_PATHS_H
#define PERF_HIST_PATHS_H

#include <stdbool.h>
#include "util/callchain/callchain.h"
#include "util/hist/chain-tree.h"

struct paths;

/* by_address: frames in one function are equal only if their addresses are. NULL: no memory. */
struct paths *paths__new(bool by_address);
void paths__delete(struct paths *paths);

#define PATH_ROOT 0 /* the path without frames */
#define PATH_NONE UINT32_MAX

/* The path from parent on to the function at loc. PATH_NONE: no memory. */
u32 paths__child(struct paths *paths, u32 parent, const struct location *loc);

/*
 * The path of all frames of a chain, found by their numbers in the resolver if it has them. is_new: it was added, and will hardly be found by other
 * chains; false: this is not known.
 */
u32 paths__of(struct paths *paths, const struct callchain *chain, const struct resolver *resolver, bool *is_new);

/*
 * Callers that have an id (stacks/ids.h) are followed only once: their path is kept, and is that of all chains with them but for the frames of
 * the chain's leaf.
 */
struct callers_path {
	u32 path; /* plus 1; 0: not kept */
	u32 nr;	  /* of its frames */
};

const struct callers_path *paths__callers(const struct paths *paths, u32 callers); /* NULL: not kept, or the id is 0 */
/* Keep them: path is that of the whole chain. Without memory they are not. */
void paths__keep_callers(struct paths *paths, u32 callers, const struct callchain *chain, u32 path);
/* The path of the leaf's frames below these callers. is_new: as above. PATH_NONE: no memory. */
u32 paths__below(struct paths *paths, const struct callers_path *callers, const struct callchain *chain, const struct resolver *resolver, bool *is_new);
/* The same for one frame, by its index. */
u32 paths__below_frame(struct paths *paths, const struct callers_path *callers, u32 frame);
/* Prefetch what these read. */
void paths__prefetch_callers(const struct paths *paths, u32 callers);
void paths__prefetch_below(const struct paths *paths, const struct callers_path *callers, u32 frame);
void paths__forget_callers(struct paths *paths); /* ids begin anew */

/* No more frames will be added: free what only served to find them. */
void paths__seal(struct paths *paths);

/* The number of frames so far. */
u32 paths__nr_frames(const struct paths *paths);

/* One more than the largest path so far. Parents come before their children. */
u32 paths__nr(const struct paths *paths);
u32 paths__parent(const struct paths *paths, u32 path);

/* The index of a path's last frame. */
u32 paths__frame(const struct paths *paths, u32 path);
/*
 * Where a frame occurred first: addr differs between samples if sym is known. room: for locations that are not stored as a whole; valid while
 * it is, and no frames are added.
 */
const struct location *paths__location(const struct paths *paths, u32 frame, struct location *room);

/* Write the indices of a path's frames, callee first, into frame[], which has room for all of them. Returns their number. */
u32 paths__frames(const struct paths *paths, u32 path, u32 *frame);

#endif
