/* SPDX-License-Identifier: GPL-2.0 */
/* Formats that are newer than libtraceevent, in older words. */
#ifndef PERF_EVENT_TP_REWRITE_H
#define PERF_EVENT_TP_REWRITE_H

#include <stddef.h>

/*
 * The format with __print_dynamic_array(FIELD, SIZE), which libtraceevent 1.7 does not know, as the __print_array() that it stands for
 * (include/trace/stages/stage3_trace_output.h of the kernel): malloc'ed, *out_size without the NUL. NULL and errno: EINVAL, there is none,
 * or it is not written so; ENOMEM.
 */
char *tp_rewrite__dynamic_arrays(const char *format, size_t size, size_t *out_size);

#endif
