/* SPDX-License-Identifier: GPL-2.0 */
/* The line before the rows of each round of counting. */
#ifndef PERF_UI_ROUND_TIME_H
#define PERF_UI_ROUND_TIME_H

#include <stdio.h>

void round_time__print(FILE *fp); /* "# 12:34:56.789", the time of day now */

#endif
