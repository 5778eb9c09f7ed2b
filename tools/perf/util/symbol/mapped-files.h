/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that processes have mapped, also if they were deleted. /proc/PID/maps has a line for each mapping, so it is not read again for each
 * file: a process chooses how many there are of both.
 */
#ifndef PERF_SYMBOL_MAPPED_FILES_H
#define PERF_SYMBOL_MAPPED_FILES_H

#include <stdbool.h>
#include "util/lib/types.h"

struct mapped_files;

struct mapped_files *mapped_files__new(void); /* NULL: no memory */
void mapped_files__delete(struct mapped_files *files);

/*
 * Open what the process has mapped under this name in /proc/PID/maps: that shows a path outside of the process's root, as after chroot(2), and
 * " (deleted)" behind the path of a deleted file. A descriptor, or -ENOENT and others. Any thread may call it.
 */
int mapped_files__open(struct mapped_files *files, u32 pid, const char *path, bool deleted);

#endif
