/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_BPF_PID_NAMESPACE_H
#define PERF_BPF_PID_NAMESPACE_H

#include <stdbool.h>

/*
 * Is this process in the initial pid namespace? Samples have the ids in their reader's namespace; BPF programs get the ids in the
 * initial one, from a task or from a helper.
 */
bool pid_namespace__is_first(void);

#endif
