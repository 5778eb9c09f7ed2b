/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the files that a name without directories may refer to: mapped files of processes, libraries, programs. */
#ifndef PERF_JUDGE_CODE_FILES_H
#define PERF_JUDGE_CODE_FILES_H

#include <sys/types.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

/* Get the file at path as BPF sees it. 0 or -errno. name NULL: that of path, after following symbolic links. */
int code_file__identify(const char *path, const char *name, struct filter_file_id *id);

/*
 * Call cb for each file with that name once; a negative return stops. path can be opened while cb runs, even if the file is in
 * another mount namespace. pids: processes whose mappings to search; nr_pids 0: all processes. 0, what cb returned, -errno with a
 * message, or -ENOMEM.
 */
int code_files__find(const char *name, const pid_t *pids, int nr_pids,
		     int (*cb)(void *arg, const char *path, const struct filter_file_id *id), void *arg, struct errmsg *err);

/* The path of the program that execvp(3) would run. 0 or -ENOENT. */
int code_files__program(const char *name, char *path, size_t size);

#endif
