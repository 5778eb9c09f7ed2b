/* SPDX-License-Identifier: GPL-2.0 */
/* perf report --tasks and --mmaps: the tasks of a recording as a tree, and their maps. */
#ifndef PERF_UI_REPORT_TASKS_H
#define PERF_UI_REPORT_TASKS_H

#include <stdbool.h>
#include <stdio.h>
#include "util/machine/machine.h"

/* After the run. 0 or -ENOMEM. */
int tasks__fprintf(FILE *fp, struct machine *machine, bool maps);

#endif
