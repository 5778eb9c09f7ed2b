/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file system of FUSE is served by a process, and who asks it for something waits until that answers, killed or not. Any user may mount one and
 * run programs from it, also through an overlay that has it as a layer. So files there are opened only if root or who runs perf has mounted it; the kernel, too, lets even root in only if its
 * owner allows it.
 */
#ifndef PERF_LIB_FOREIGN_FUSE_H
#define PERF_LIB_FOREIGN_FUSE_H

#include <stdbool.h>

/*
 * Is the file behind path_fd (O_PATH) on FUSE of another user? path: by what it was opened; below /proc/PID/ that process's mounts count as well.
 * Asks no file system.
 */
bool foreign_fuse__has(int path_fd, const char *path);
/* Has the mount namespace that belongs to this path, as above, any? */
bool foreign_fuse__near(const char *path);

#endif
