/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the files that a name without directories may stand for: what processes have mapped, libraries, programs. */
#ifndef PERF_JUDGE_CODE_FILES_H
#define PERF_JUDGE_CODE_FILES_H

#include <sys/types.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"

/* What BPF sees of the file at path. 0 or -errno. name NULL: that of the path, with symbolic links followed. */
int code_file__identify(const char *path, const char *name, struct filter_file_id *id);

/*
 * Show each file of that name once to cb, which stops by a negative return; path is good for opening it while cb runs, also if
 * it is in another mount namespace. pids says whose mappings are looked at; nr_pids 0: those of all processes. 0, what cb returned,
 * -errno with a text, or -ENOMEM.
 */
int code_files__find(const char *name, const pid_t *pids, int nr_pids,
		     int (*cb)(void *arg, const char *path, const struct filter_file_id *id), void *arg, struct errmsg *err);

/* The path of the program that execvp(3) would run. 0 or -ENOENT. */
int code_files__program(const char *name, char *path, size_t size);

#endif
