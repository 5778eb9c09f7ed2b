/* SPDX-License-Identifier: GPL-2.0 */
/* The records of a uprobe, which BPF programs make from registers, by its format and its definition in tracefs. */
#ifndef PERF_SOURCE_PROBE_LAYOUT_H
#define PERF_SOURCE_PROBE_LAYOUT_H

#include <stdbool.h>
#include "util/bpf_skel/tp.h"
#include "util/event/tracepoint.h"

/*
 * Fill raw_size and probe of config. -EOPNOTSUPP and *why: BPF cannot make the records. whole false: records are only tested, not
 * written, so strings may be missing.
 */
int probe_layout__fill(const struct tracepoint *tp, bool whole, struct tp_config *config, const char **why);

/*
 * Parse an argument of a definition, as in "+8(%di):u32"; does not set offset and copy. -EOPNOTSUPP and *why. Does not handle
 * strings: the format describes those.
 */
int probe_arg__parse(const char *text, unsigned int size, struct probe_arg *arg, const char **why);

#endif
