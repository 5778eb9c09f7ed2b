/* SPDX-License-Identifier: GPL-2.0 */
/* A perf_event_attr in the words of `perf evlist -v`: one table row for each field. */
#ifndef PERF_EVENT_ATTR_PRINT_H
#define PERF_EVENT_ATTR_PRINT_H

#include <linux/perf_event.h>
#include <stdio.h>

/*
 * Print "type: 1 (PERF_TYPE_SOFTWARE), size: 128, config: 0x2 (PERF_COUNT_SW_PAGE_FAULTS), ..., mmap2: 1": type, config, and the
 * other non-zero fields, in the order of the struct, without a newline. Bits without a name are printed in hex. tracepoint: the
 * event's name, the only name of a tracepoint's config; NULL: unknown.
 */
void attr__fprintf(FILE *fp, const struct perf_event_attr *attr, const char *tracepoint);

#endif
