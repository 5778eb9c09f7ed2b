/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of CPUs in perf's records: a list, a mask or a range (Documentation/perf.data-format.txt, CPU_MAP). */
#ifndef PERF_UI_DUMP_CPU_SET_H
#define PERF_UI_DUMP_CPU_SET_H

#include <stdio.h>

/* Print "0-3,8" from the size bytes at data, which begin with a u16 for the form; leaves out what does not fit. */
void cpu_set__fprintf(FILE *fp, const void *data, size_t size);

#endif
