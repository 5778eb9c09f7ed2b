/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_BPF_PID_NAMESPACE_H
#define PERF_BPF_PID_NAMESPACE_H

#include <stdbool.h>

/*
 * Is this process in the first pid namespace, which the others are below? Samples have the ids that their reader knows tasks by; what BPF
 * programs read from a task, and what a helper tells them of the current one, are its ids in the first.
 */
bool pid_namespace__is_first(void);

#endif
