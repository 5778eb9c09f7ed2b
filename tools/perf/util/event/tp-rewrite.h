/* SPDX-License-Identifier: GPL-2.0 */
/* Rewrites formats that are newer than libtraceevent in older words. */
#ifndef PERF_EVENT_TP_REWRITE_H
#define PERF_EVENT_TP_REWRITE_H

#include <stddef.h>

/*
 * Replace __print_dynamic_array(FIELD, SIZE), which libtraceevent 1.7 does not know, by the equivalent __print_array()
 * (include/trace/stages/stage3_trace_output.h of the kernel): malloc'ed, *out_size without the NUL. NULL and errno: EINVAL, there is
 * none, or it has another form; ENOMEM.
 */
char *tp_rewrite__dynamic_arrays(const char *format, size_t size, size_t *out_size);

#endif
