/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is read as memory. If another process truncates it, or the disk fails, memory is gone, and any access to it raises
 * SIGBUS at any point: no error can be returned, the process must end.
 */
#ifndef PERF_LIB_FILE_MAP_H
#define PERF_LIB_FILE_MAP_H

#include <sys/types.h>

#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct file_map;

/*
 * Map the first size bytes (not 0) of a file. They may be written to, which changes only the memory. The caller still owns the
 * descriptor. name is for messages. 0 or -errno.
 */
int file_map__new(struct file_map **map, int fd, u64 size, const char *name, struct errmsg *err);
void file_map__delete(struct file_map *map); /* NULL is fine */
u8 *file_map__memory(const struct file_map *map);

/*
 * From now on call end() with a message, including its newline, when memory of a map is gone. It runs as a signal handler in the thread
 * that writes the output, whichever thread accessed the memory, while others are running, and must end the process. Without it SIGBUS does.
 */
void file_maps__on_loss(void (*end)(const char *message));

/*
 * Name the thread that writes the output and does not block SIGBUS; 0 is the main thread, as at the start. Name another before a thread
 * ends, and when no other thread reads a file.
 */
void file_maps__set_writer(pid_t tid);

/*
 * Call it after reading, or after strange data: calls end() if the file was truncated. Up to the end of the last page a truncated
 * file reads as zeros, without SIGBUS.
 */
void file_map__check(const struct file_map *map);

#endif
