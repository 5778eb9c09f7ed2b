/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of code made at run time, which the JITs of Java, Node.js, Python, ... write to /tmp/perf-PID.map. */
#ifndef PERF_SYMBOL_PERF_MAP_H
#define PERF_SYMBOL_PERF_MAP_H

#include "util/symbol/symtab.h"

bool perf_map__is_name(const char *path);

/* Addresses are those of the process. Reads only a regular file of this user or of root (otherwise -EPERM): anybody may write to /tmp. */
int symtab__load_perf_map(const char *path, struct symtab **tab, struct errmsg *err);

#endif
