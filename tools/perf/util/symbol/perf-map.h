/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of code made at run time, which the JITs of Java, Node.js, Python, ... write to /tmp/perf-PID.map. */
#ifndef PERF_SYMBOL_PERF_MAP_H
#define PERF_SYMBOL_PERF_MAP_H

#include "util/symbol/recorded-file.h"
#include "util/symbol/symtab.h"

bool perf_map__is_name(const char *path);
/*
 * Does the file begin like a perf map? To be asked before its contents are copied to others: in a mount namespace of its own a process
 * may have mounted any file there, also one that it must not read.
 */
bool perf_map__is_one(int fd);
/* The process's pid in its own PID namespace, which the file's name has; 0: it has ended. */
int perf_map__inner_pid(int pid);

/*
 * Addresses are those of the process. While it lives the file is looked up in its root, by its pid in its own PID namespace. Reads only a regular
 * file of this user, of root, or of the user of the process that lives (otherwise -EPERM): anybody may write to /tmp. If the
 * bundle of places has the file, or the cache by the build-id of places->dso, it is that. places may be NULL.
 */
int symtab__load_perf_map(const char *path, const struct file_places *places, struct symtab **tab, struct errmsg *err);

/* Open the file as above, without a bundle. A descriptor, or -errno with a text. */
int perf_map__open(const char *path, struct errmsg *err);

#endif
