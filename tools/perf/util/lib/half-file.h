/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are useless before they are complete: if a signal ends the process, they are removed. */
#ifndef PERF_LIB_HALF_FILE_H
#define PERF_LIB_HALF_FILE_H

struct half_file;

/* Any thread may call these. Keeps its own copy of path. NULL: no memory. */
struct half_file *half_file__new(const char *path);
void half_file__done(struct half_file *file); /* keep the file, or it is already removed; NULL is fine */

void half_files__remove(void); /* for signal handlers */

#endif
