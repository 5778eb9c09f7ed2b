/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is read as memory. Should another process cut it meanwhile, or the disk fail, then memory is gone, and whoever touches it
 * gets SIGBUS in the middle of whatever it does: there is no error to return, only an end to be made of the process.
 */
#ifndef PERF_LIB_FILE_MAP_H
#define PERF_LIB_FILE_MAP_H

#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct file_map;

/*
 * Map the first size bytes (not 0) of a file. They may be written to, which changes the memory alone. The descriptor is still the caller's.
 * name is for messages. 0 or -errno.
 */
int file_map__new(struct file_map **map, int fd, u64 size, const char *name, struct errmsg *err);
void file_map__delete(struct file_map *map); /* NULL is fine */
u8 *file_map__memory(const struct file_map *map);

/*
 * From now on let end() have one message, with its newline, when memory of a map is gone. It runs as a signal handler in the thread that
 * met this, with others still running, and must end the process. Without it SIGBUS does.
 */
void file_maps__on_loss(void (*end)(const char *message));

/*
 * For who has read what was of interest, or has met something strange: calls end() if the file has been cut. Up to the end of its last page
 * there are zeros then, and no SIGBUS.
 */
void file_map__check(const struct file_map *map);

#endif
