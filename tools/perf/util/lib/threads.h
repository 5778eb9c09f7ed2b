/* SPDX-License-Identifier: GPL-2.0 */
/* Threads besides the main one. */
#ifndef PERF_LIB_THREADS_H
#define PERF_LIB_THREADS_H

#include <pthread.h>
#include "util/lib/types.h"

/* Number of CPUs that this process may use: at least 1. With one, threads cost more than they save. */
u32 threads__nr_cpus(void);

/*
 * Start a thread that blocks signals, except SIGPIPE: writing to a pipe without a reader ends the process, as in the main thread. 0
 * or -errno.
 */
int threads__start(pthread_t *thread, void *(*run)(void *data), void *data);

#endif
