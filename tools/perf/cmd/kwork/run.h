/* SPDX-License-Identifier: GPL-2.0 */
/* A subcommand of perf kwork but record: it watches the system, or reads a file. */
#ifndef PERF_CMD_KWORK_RUN_H
#define PERF_CMD_KWORK_RUN_H

#include "cmd/kwork/options.h"

/* Returns the exit status. */
int kwork_run(struct kwork_options *o, int argc, char **argv, const struct option_row *rows, const char *const *usages);

#endif
