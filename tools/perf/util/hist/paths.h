/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callchains as numbers: a frame is one, and a path, the frames from the outermost caller down to some function, is another. What
 * samples have in common is stored once, and two chains are the same if their numbers are.
 */
#ifndef PERF_HIST_PATHS_H
#define PERF_HIST_PATHS_H

#include <stdbool.h>
#include "util/hist/chain-tree.h"

struct path_frame {
	struct location loc; /* as it was first met: addr differs between samples if sym is known */
};

struct paths;

/* by_address: frames in one function are the same only if their address is, too. NULL: no memory. */
struct paths *paths__new(bool by_address);
void paths__delete(struct paths *paths);

#define PATH_ROOT 0 /* the path without frames */
#define PATH_NONE UINT32_MAX

/* The path that goes on from parent to the function at loc. PATH_NONE: no memory. */
u32 paths__child(struct paths *paths, u32 parent, const struct location *loc);

/* No frames will be added any more: end what only served to find them. */
void paths__seal(struct paths *paths);

/* The frames of a path, callee first, into frame[], which has room for all of them. Returns how many. */
u32 paths__frames(const struct paths *paths, u32 path, const struct path_frame **frame);

#endif
