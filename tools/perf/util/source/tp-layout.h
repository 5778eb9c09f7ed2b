/* SPDX-License-Identifier: GPL-2.0 */
/* The records of a tracepoint as BPF programs have to make them, from its format. */
#ifndef PERF_SOURCE_TP_LAYOUT_H
#define PERF_SOURCE_TP_LAYOUT_H

#include <linux/types.h>
#include <stdbool.h>
#include "util/bpf_skel/tp.h"
#include "util/event/evsel.h"
#include "util/event/tracepoint.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

/*
 * Fill what config has of the records; -EOPNOTSUPP and *why: BPF cannot make them. whole false: they are only looked at, so of a syscall
 * the arguments suffice, whatever a newer kernel may have behind them.
 */
int tp_layout__fill(const struct tracepoint *tp, bool whole, struct tp_config *config, const char **why);
/* A copy of the table of evsel's filter for programs; to be freed. -EINVAL: they cannot judge by it. */
int tp_layout__take_table(const struct evsel *evsel, const struct filter_table *table, struct filter_table **copy, struct errmsg *err);

#endif
