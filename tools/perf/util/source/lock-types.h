/* SPDX-License-Identifier: GPL-2.0 */
/* The names of kinds of locks, as perf lock of others prints them. */
#ifndef PERF_SOURCE_LOCK_TYPES_H
#define PERF_SOURCE_LOCK_TYPES_H

#include <stddef.h>
#include "util/lib/types.h"

/* "mutex", "rwsem:R" */
const char *lock_type__name(u32 flags);
/* The flags of all types with this name, as bits of lock_opts.types; without a colon those with either. 0: there is none. */
u64 lock_type__parse(const char *name, size_t len);

#endif
