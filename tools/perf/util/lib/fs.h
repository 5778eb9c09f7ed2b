/* SPDX-License-Identifier: GPL-2.0 */
/* Reading files of /proc and /sys, whose size is not known before they are read. */
#ifndef PERF_LIB_FS_H
#define PERF_LIB_FS_H

#include <stddef.h>

struct fs_text { /* starts zeroed; may be used for one file after the other; end with fs_text__exit() */
	char *text; /* with a NUL added at text[size]; NULL before the first read */
	size_t size;
	size_t alloc;
};

/* Read the whole file at path, relative to dirfd as in openat(2). 0 or -errno; after an error size is 0. */
int fs_text__read(struct fs_text *t, int dirfd, const char *path);
void fs_text__exit(struct fs_text *t);

/* A file that holds one decimal number. 0 or -errno (-EINVAL: something else is in it). */
int fs__read_int(const char *path, int *value);

#endif
