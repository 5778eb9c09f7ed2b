/* SPDX-License-Identifier: GPL-2.0 */
/* perf record with the tracepoints that perf kwork reads. */
#ifndef PERF_CMD_KWORK_RECORD_H
#define PERF_CMD_KWORK_RECORD_H

#include "util/lib/types.h"

/* classes: bit n: enum kwork_class n; 0: the default. argv[0] is the subcommand. Returns the exit status. */
int kwork_record(u32 classes, int argc, char **argv, const char *const *usages);

#endif
