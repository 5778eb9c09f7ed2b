/* SPDX-License-Identifier: GPL-2.0 */
/* Reading files and directories of /proc, /sys and tracefs; the size that stat(2) has for their files says nothing. */
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

/* For one file alone: its text, malloc'ed; *size (may be NULL) does not count the NUL behind it. NULL with errno set. */
char *fs__read_file(int dirfd, const char *path, size_t *size);

/* The sorted names in a directory without hidden ones; NULL with errno set. End it with fs_names__delete(). */
struct fs_names {
	char **name;
	size_t nr;
};
struct fs_names *fs_names__read(int dirfd, const char *path);
void fs_names__delete(struct fs_names *names);

/* A file that holds one decimal number. 0 or -errno (-EINVAL: something else is in it). */
int fs__read_int(const char *path, int *value);

/*
 * What an error (-errno) of reading about tasks, as in /proc, means: 0 if it only says that something has gone, is not there or is not ours to
 * see; itself if it is our own trouble, which must not leave out silently what is there.
 */
int fs__own_error(int err);

/* Close descriptors; negative ones are none. */
void fs__close_many(const int *fds, size_t nr);

#endif
