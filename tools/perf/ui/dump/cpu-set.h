/* SPDX-License-Identifier: GPL-2.0 */
/* The CPUs that records of perf name: a list, a mask or a range (Documentation/perf.data-format.txt, CPU_MAP). */
#ifndef PERF_UI_DUMP_CPU_SET_H
#define PERF_UI_DUMP_CPU_SET_H

#include <stdio.h>

/* "0-3,8" of the size bytes at data, that begin with the u16 which says in which form they are; what does not fit is left out. */
void cpu_set__fprintf(FILE *fp, const void *data, size_t size);

#endif
