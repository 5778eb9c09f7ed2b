/* SPDX-License-Identifier: GPL-2.0 */
/* Threads beside the one that runs the command. */
#ifndef PERF_LIB_THREADS_H
#define PERF_LIB_THREADS_H

#include <pthread.h>
#include "util/lib/types.h"

/* On which this process may run: at least 1. With one, threads cost more than they bring. */
u32 threads__nr_cpus(void);

/*
 * Signals are for the thread that started it, but SIGPIPE: who writes to a pipe that nobody reads ends the process, as it does
 * where there is one thread. 0 or -errno.
 */
int threads__start(pthread_t *thread, void *(*run)(void *data), void *data);

#endif
