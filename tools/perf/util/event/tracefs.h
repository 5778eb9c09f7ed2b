/* SPDX-License-Identifier: GPL-2.0 */
/* Finds tracefs. */
#ifndef PERF_EVENT_TRACEFS_H
#define PERF_EVENT_TRACEFS_H

#include "util/lib/errmsg.h"

/*
 * A directory descriptor of tracefs's root, for openat(2): at a usual mount point, otherwise from a detached mount of our own.
 * Opened once, and closed when the process exits. -errno if there is none; err has the remedy.
 */
int tracefs__root(struct errmsg *err);

#endif
