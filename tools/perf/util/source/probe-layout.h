/* SPDX-License-Identifier: GPL-2.0 */
/* The records of a uprobe as BPF programs make them of registers, from its format and its definition in tracefs. */
#ifndef PERF_SOURCE_PROBE_LAYOUT_H
#define PERF_SOURCE_PROBE_LAYOUT_H

#include <stdbool.h>
#include "util/bpf_skel/tp.h"
#include "util/event/tracepoint.h"

/*
 * Fill raw_size and probe of config. -EOPNOTSUPP and *why: BPF cannot make the records. whole false: they are only looked at, so strings may be
 * missing.
 */
int probe_layout__fill(const struct tracepoint *tp, bool whole, struct tp_config *config, const char **why);

/*
 * One argument of a definition, as in "+8(%di):u32", but for offset and copy. -EOPNOTSUPP and *why; that is never a string: these are known by
 * the format.
 */
int probe_arg__parse(const char *text, unsigned int size, struct probe_arg *arg, const char **why);

#endif
