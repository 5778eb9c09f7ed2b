/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a recording and prints the code of its functions with the shares of its instructions. */
#ifndef PERF_CMD_ANNOTATE_FUNCTIONS_H
#define PERF_CMD_ANNOTATE_FUNCTIONS_H

#include "cmd/annotate/options.h"

/* Returns the exit status. */
int annotate__run(struct annotate_options *o);

#endif
