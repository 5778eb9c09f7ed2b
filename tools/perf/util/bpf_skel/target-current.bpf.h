/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Is the sampled task in the target? For programs on events that are opened on each CPU, although the target is tasks: a clock that is opened
 * on tasks begins anew in each new task, and so misses those that live for less than a period. The marks are those of target.bpf.c, whose map
 * the loader puts in the place of target_tasks.
 */
#ifndef PERF_BPF_TARGET_CURRENT_BPF_H
#define PERF_BPF_TARGET_CURRENT_BPF_H

#include "target-tasks.bpf.h"

const volatile bool target_only; /* otherwise all samples are the target's, and the verifier removes the test */

#define target__has_current() (!target_only || target_tasks__has(bpf_get_current_task_btf(), true))

#endif
