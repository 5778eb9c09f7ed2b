/* SPDX-License-Identifier: GPL-2.0 */
/* Makes formats readable for libtraceevent (1.7), which parses their fields. */
#ifndef PERF_EVENT_TP_REWRITE_H
#define PERF_EVENT_TP_REWRITE_H

#include <stddef.h>

#define TP_REWRITE_STRINGS "strings_of_probe"

/*
 * The format with an empty print format, which tp-parse.h parses instead: *print and *print_size are the original's, inside of format.
 * libtraceevent loses all fields from the first array of strings on, which probes have: "__data_loc char[][3] a" becomes an array of three
 * numbers of 4 bytes, "strings_of_probe a[3]". malloc'ed, *out_size without the NUL; NULL and errno: EINVAL, it has no print format; ENOMEM.
 */
char *tp_rewrite__fields(const char *format, size_t size, size_t *out_size, const char **print, size_t *print_size);

#endif
