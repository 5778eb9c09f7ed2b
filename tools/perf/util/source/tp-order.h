/* SPDX-License-Identifier: GPL-2.0 */
/* Which of two BPF programs on a tracepoint the kernel calls first. */
#ifndef PERF_SOURCE_TP_ORDER_H
#define PERF_SOURCE_TP_ORDER_H

#include "util/bpf_skel/tp.h"
#include "util/lib/errmsg.h"

/*
 * raw_prog: descriptor of a program that is attached to the raw tracepoint; event: of a perf event of it in this process. It does not
 * change while both are open. *order is TP_RAW_FIRST or TP_RAW_LAST; -errno: it cannot be found out.
 */
int tp_order__find(int raw_prog, int event, enum tp_order *order, struct errmsg *err);

#endif
