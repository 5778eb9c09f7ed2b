/* SPDX-License-Identifier: GPL-2.0 */
/* The records of a tracepoint as BPF programs have to make them, from its format. */
#ifndef PERF_SAMPLER_TP_LAYOUT_H
#define PERF_SAMPLER_TP_LAYOUT_H

#include <linux/types.h>
#include "util/bpf_skel/tp.h"
#include "util/event/tracepoint.h"

enum tp_kind {
	TP_SYSCALL_ENTER, /* syscalls:sys_enter_* */
	TP_SYSCALL_EXIT,
	TP_OTHER,
};

enum tp_kind tp_layout__kind(const struct tracepoint *tp);

/* Fill what config has of the records; -EOPNOTSUPP and *why: BPF cannot make them. */
int tp_layout__fill(const struct tracepoint *tp, struct tp_config *config, const char **why);

#endif
