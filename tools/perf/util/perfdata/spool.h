/* SPDX-License-Identifier: GPL-2.0 */
/* An unnamed file, for a recording that cannot be mapped in place, and for parts of a bundle. Closing its descriptor removes it. */
#ifndef PERF_PERFDATA_SPOOL_H
#define PERF_PERFDATA_SPOOL_H

#include <stddef.h>
#include "util/lib/errmsg.h"

/* Create it below $TMPDIR, or in memory. Returns its descriptor, or -errno. */
int spool__open(struct errmsg *err);
/* Append. 0 or -errno. */
int spool__write(int fd, const void *data, size_t size, struct errmsg *err);

#endif
