/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PERF_SAMPLE_DATA_SRC, the data source of a memory access (union perf_mem_data_src), in perf's words. Functions with a buf write a
 * text with its NUL, cut to its size.
 */
#ifndef PERF_PERFDATA_DATA_SRC_H
#define PERF_PERFDATA_DATA_SRC_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "util/lib/types.h"

const char *data_src__op(union perf_mem_data_src src); /* "LOAD" */
/* "L1", "Remote RAM (1 hop)", "N/A"; returns "hit", "miss" or "" (unknown). */
const char *data_src__level(union perf_mem_data_src src, char *buf, size_t size);
void data_src__snoop(union perf_mem_data_src src, char *buf, size_t size); /* "None or Hit" */
void data_src__tlb(union perf_mem_data_src src, char *buf, size_t size);   /* "L1 or L2 hit" */
const char *data_src__lock(union perf_mem_data_src src);  /* "Yes", "No", "N/A" */
const char *data_src__block(union perf_mem_data_src src); /* " Data", " Addr", " N/A" */

#endif
