/* SPDX-License-Identifier: GPL-2.0 */
/* Where tracefs is. Only the tracepoint facade uses this. */
#ifndef PERF_EVENT_TRACEFS_H
#define PERF_EVENT_TRACEFS_H

#include "util/lib/errmsg.h"

/*
 * A directory descriptor of tracefs's root, for openat(2): of the usual mount points, else of a detached mount of our own.
 * It is opened once, and closed when the process exits. -errno if there is none; err says what to do.
 */
int tracefs__root(struct errmsg *err);

#endif
