/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens a file by the number of its inode, when no process that had it open is left: what open_by_handle_at(2) can do on file systems
 * whose handles are made of number and generation (ext4, small inodes of XFS, tmpfs and others). It needs CAP_DAC_READ_SEARCH.
 */
#ifndef PERF_LIB_OPEN_INODE_H
#define PERF_LIB_OPEN_INODE_H

#include "util/lib/types.h"

struct inode_number {
	u64 inode;
	u32 major, minor; /* of its file system, as in /proc/self/mountinfo */
	u32 generation;
};

/*
 * Open a regular file for reading. Returns a descriptor, or -errno: -ENOENT if this mount namespace has no such file system, or it
 * cannot find files this way; -ESTALE if the file was removed.
 */
int inode_number__open(const struct inode_number *number);

#endif
