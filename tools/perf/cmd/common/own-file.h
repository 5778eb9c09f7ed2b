/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_CMD_COMMON_OWN_FILE_H
#define PERF_CMD_COMMON_OWN_FILE_H

/*
 * The path of a file that comes with perf ("tests", "Documentation/perf-record.txt"): beside this program, as in a build directory,
 * or where it was installed. NULL with errno if it is in neither place; the caller frees it.
 */
char *own_file__find(const char *name);

#endif
