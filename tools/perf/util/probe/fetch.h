/* SPDX-License-Identifier: GPL-2.0 */
/* How the kernel fetches a variable at a hit: its place and its type, in the words of tracefs. */
#ifndef PERF_PROBE_FETCH_H
#define PERF_PROBE_FETCH_H

#include "util/probe/debug.h"
#include "util/probe/definition.h"
#include "util/probe/point.h"

/*
 * For an operand that is a variable. *text is as "+8(%di):s32", malloc'ed. -ENOENT: it is not at this place; -EINVAL: it has no such member or
 * cannot be fetched; -ENOMEM.
 */
int probe_fetch__make(struct probe_debug *debug, const struct probe_point *point, const struct probe_operand *operand,
		      bool in_kernel, char **text, struct errmsg *err);

#endif
