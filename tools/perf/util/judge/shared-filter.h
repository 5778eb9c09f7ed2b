/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shared engine (util/bpf_skel/filter-shared.bpf.c): an unprivileged filter, by a program that root has pinned for this user or
 * one of their groups.
 */
#ifndef PERF_JUDGE_SHARED_FILTER_H
#define PERF_JUDGE_SHARED_FILTER_H

#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/judge/bpf-filter.h"

/*
 * Take a free slot and write the table into it, for one event whatever nr_events is. The slot is held until bpf_filter__delete(),
 * which must come after the events are closed, or until this process ends. -EBUSY: no slot is free; -EPERM: there is none.
 */
int shared_filter__load(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err);

#endif
