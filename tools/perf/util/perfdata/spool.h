/* SPDX-License-Identifier: GPL-2.0 */
/* Inside perfdata/: a file without a name, for a recording that cannot be mapped where it is. It goes with its descriptor. */
#ifndef PERF_PERFDATA_SPOOL_H
#define PERF_PERFDATA_SPOOL_H

#include <stddef.h>
#include "util/lib/errmsg.h"

/* Below $TMPDIR, or in memory. Its descriptor, or -errno. */
int spool__open(struct errmsg *err);
/* Append. 0 or -errno. */
int spool__write(int fd, const void *data, size_t size, struct errmsg *err);

#endif
