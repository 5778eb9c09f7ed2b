/* SPDX-License-Identifier: GPL-2.0 */
/* perf report --stats: the number of records of each type in a file. */
#ifndef PERF_UI_REPORT_STATS_H
#define PERF_UI_REPORT_STATS_H

#include <stdio.h>
#include "util/session/session.h"

/* After session__run(). */
void stats__fprintf(FILE *fp, struct session *s);

#endif
