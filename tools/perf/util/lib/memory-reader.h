/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the memory of other processes without waiting for anybody. A page may be filled by whoever the process likes (FUSE, userfaultfd), who
 * may never answer, and whoever reads it then waits in the kernel. So a child of this process reads, which is left behind if it does not answer:
 * it is killed, and another one takes its place. It has no descriptors but its socket, and ends with this process.
 */
#ifndef PERF_LIB_MEMORY_READER_H
#define PERF_LIB_MEMORY_READER_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/types.h"

#define MEMORY_READER_MAX (256 << 10) /* bytes at once */

/*
 * Returns how many bytes were read from there on, at least one. -ETIMEDOUT: the page was not there in time; -EAGAIN: too many children are left
 * behind; others as of process_vm_readv(2). Several threads may call it.
 */
ssize_t memory_reader__read(pid_t tid, u64 address, void *to, size_t size);

/* Have the child before it is needed. Returns its process id; 0: there is none. */
pid_t memory_reader__start(void);

/* Is that the child? */
bool memory_reader__is(pid_t pid);

#endif
