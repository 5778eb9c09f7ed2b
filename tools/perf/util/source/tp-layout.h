/* SPDX-License-Identifier: GPL-2.0 */
/* The layout of a tracepoint's records for BPF programs, from its format. */
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
 * Fill config's members about the records; -EOPNOTSUPP and *why: BPF cannot make them. whole false: records are only tested, not
 * written, so a syscall needs only its arguments; fields of newer kernels after them do not matter.
 */
int tp_layout__fill(const struct tracepoint *tp, bool whole, struct tp_config *config, const char **why);
/* Copy the table of evsel's filter for programs; the caller frees it. -EINVAL: programs cannot judge by it. */
int tp_layout__take_table(const struct evsel *evsel, const struct filter_table *table, struct filter_table **copy, struct errmsg *err);

#endif
