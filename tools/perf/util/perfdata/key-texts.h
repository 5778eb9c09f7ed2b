/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys that users name, as texts in the raw data of counted samples. The file's header describes them as fields of a tracepoint that no
 * kernel has, so that every perf prints them and sorts by them.
 */
#ifndef PERF_PERFDATA_KEY_TEXTS_H
#define PERF_PERFDATA_KEY_TEXTS_H

#include <stddef.h>
#include "util/lib/types.h"

#define KEY_TEXTS_ID 65000 /* of the tracepoint: those of kernels are far below */
#define KEY_TEXTS_SYS "perf"
#define KEY_TEXTS_NAME "counted"

/* The text of its format file; malloc'ed. NULL: out of memory */
char *key_texts__format(const char *const *names, unsigned int nr, size_t *size);

/* The raw data for nr texts; malloc'ed. NULL: out of memory */
void *key_texts__encode(const char *const *texts, unsigned int nr, u32 *size);
/* The text i of nr in raw data; NULL: it has none. */
const char *key_texts__get(const void *raw, u32 size, unsigned int i, unsigned int nr);

#endif
