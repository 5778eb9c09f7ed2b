/* SPDX-License-Identifier: GPL-2.0 */
/* Filters of names: globs, "!" before one, "&" and "|" between them, and parentheses: "!foo* & *bar". */
#ifndef PERF_PROBE_NAME_FILTER_H
#define PERF_PROBE_NAME_FILTER_H

#include <stdbool.h>
#include "util/lib/errmsg.h"

int name_filter__check(const char *filter, struct errmsg *err); /* -EINVAL */
bool name_filter__fits(const char *filter, const char *name); /* filter has passed the check */

#endif
