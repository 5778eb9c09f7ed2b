/* SPDX-License-Identifier: GPL-2.0 */
/* Is this process in the initial namespace of a kind? */
#ifndef PERF_BPF_FIRST_NAMESPACE_H
#define PERF_BPF_FIRST_NAMESPACE_H

#include <stdbool.h>

/* Samples have the ids in their reader's namespace; BPF programs get the ids in the initial one, from a task or from a helper. */
bool pid_namespace__is_first(void);

/* Capabilities in other namespaces hold only for what belongs to these. */
bool user_namespace__is_first(void);

#endif
