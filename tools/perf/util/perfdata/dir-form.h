/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside perfdata/: a recording that is a directory, as perf record --threads writes it. "data" is a perf.data file; "data.0",
 * "data.1", ... contain only records, each for some CPUs, in a separate zstd stream if they are compressed.
 */
#ifndef PERF_PERFDATA_DIR_FORM_H
#define PERF_PERFDATA_DIR_FORM_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

#define DIR_FORM_VERSION 1 /* the contents of the feature DIR_FORMAT; stock perf refuses others */

/* Does the directory, or what a symlink leads to, have a file "data"? Is there nothing in it? false if it cannot be read. */
bool dir_form__is_recording(const char *path);
bool dir_form__is_empty(const char *path);
/* Remove the directory, if there are only files of a recording in it, and those. -ENOTEMPTY: there are others; nothing was removed. */
int dir_form__remove(const char *path);

struct dir_form {
	int fd;		/* of an unnamed perf.data file with all records; -1: none */
	u64 *start;	/* where the records of data.0, data.1, ... begin in it */
	u32 nr;
	bool torn;	/* one of them ends within a record, which is left out */
};

/* 0 or -errno. End with __exit, after an error too. */
int dir_form__gather(struct dir_form *d, const char *path, struct errmsg *err);
void dir_form__exit(struct dir_form *d);

#endif
