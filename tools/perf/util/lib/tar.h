/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tar archives, as every Unix unpacks them: a block of 512 bytes describes a member, and its contents follow, filled up to whole blocks. Two
 * empty blocks are the end. Names that do not fit into the block are members of their own before it (GNU's type L; K for targets of links),
 * sizes from 8 GiB on are binary.
 */
#ifndef PERF_LIB_TAR_H
#define PERF_LIB_TAR_H

#include <limits.h>
#include <stdbool.h>
#include "util/lib/types.h"

#define TAR_BLOCK 512

struct tar_member {
	char name[PATH_MAX];
	char type;	/* '0': a file, '2': a symbolic link; others as in tar(5) */
	u64 offset, size; /* of the contents */
};

/* The size of the contents with what fills up their last block. */
static inline u64 tar__padded(u64 size)
{
	return (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
}

/*
 * Encode what goes before the contents: whole blocks, malloc'ed; *nr_bytes is their size. type '2': target is the link's, and size is 0. mode:
 * permissions; mtime: seconds since 1970. NULL: no memory.
 */
char *tar__encode(const struct tar_member *member, const char *target, unsigned int mode, u64 mtime, u64 *nr_bytes);

/* Is this a member's first block? It has a checksum. */
bool tar__is_header(const void *block);
/* The name in the block and the size of the contents, for is_header() ones; name: 101 bytes. */
char tar__decode(const void *block, char *name, u64 *size);

/*
 * Get the member at *pos (0 for the first) of a file with size bytes, and advance *pos. 1; 0 at the end of the archive; -EINVAL: it is damaged, or
 * cut off, here. A member whose contents are cut off counts as damaged.
 */
int tar__next(int fd, u64 size, u64 *pos, struct tar_member *member);

#endif
