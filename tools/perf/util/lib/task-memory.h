/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of another process. Only pages are read that are in memory, or swapped out: others could be filled by whoever the process likes, who
 * may never answer, and nothing was stored there yet. If a page has gone meanwhile, that takes some milliseconds (memory-reader.h), and nothing
 * more is read of this process.
 */
#ifndef PERF_LIB_TASK_MEMORY_H
#define PERF_LIB_TASK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "util/lib/types.h"

struct task_memory;

/* Of the process of this thread. -EACCES, -EPERM: this user may not read it; -ESRCH: it has ended; -ENOMEM */
int task_memory__new(pid_t tid, struct task_memory **memory);
void task_memory__delete(struct task_memory *memory); /* NULL is fine */

/* The process may have run since: forget what was read. */
void task_memory__forget(struct task_memory *memory);
/*
 * false: it cannot be read, or too much was read since task_memory__forget(). What is near is read together, and kept.
 */
bool task_memory__read(struct task_memory *memory, u64 address, void *to, size_t size);
/* The same for as much as there is from the address on. Returns how many bytes that is. */
size_t task_memory__read_part(struct task_memory *memory, u64 address, void *to, size_t size);

#endif
