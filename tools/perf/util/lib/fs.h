/* SPDX-License-Identifier: GPL-2.0 */
/* Reads files and directories of /proc, /sys and tracefs, for which stat(2) returns a meaningless size. */
#ifndef PERF_LIB_FS_H
#define PERF_LIB_FS_H

#include <stdbool.h>
#include <stddef.h>

struct fs_text { /* starts zeroed; can be reused for other files; end with fs_text__exit() */
	char *text; /* with a NUL added at text[size]; NULL before the first read */
	size_t size;
	size_t alloc;
};

/* Read the whole file at path, relative to dirfd as in openat(2). 0 or -errno; after an error size is 0. */
int fs_text__read(struct fs_text *t, int dirfd, const char *path);
void fs_text__exit(struct fs_text *t);

/* For a single file: its text, malloc'ed; *size (may be NULL) does not count the NUL after it. NULL with errno set. */
char *fs__read_file(int dirfd, const char *path, size_t *size);

/* The sorted names in a directory without hidden ones; NULL with errno set. Free them by fs_names__delete(). */
struct fs_names {
	char **name;
	size_t nr;
};
struct fs_names *fs_names__read(int dirfd, const char *path);
void fs_names__delete(struct fs_names *names);

/* Read a file with one decimal number. 0 or -errno (-EINVAL: other contents). */
int fs__read_int(const char *path, int *value);

/*
 * Filter an error (-errno) of reading about tasks, as in /proc: 0 if something is gone, missing or not accessible; the error itself
 * if it is our own, such as no memory: it must not hide existing data.
 */
int fs__own_error(int err);

/*
 * The absolute path of a file, without links; malloc'ed, NULL with errno set. Links of /proc/PID (root, exe, cwd, fd) lead to files of other mount
 * namespaces, or to files that are deleted, while their texts are names there: where these name another file here, or none, the path stays
 * as it was written. Behind /proc/PID/root links are followed as the process does.
 */
char *fs__real_path(const char *path);
/* Why a file that a user has named cannot be opened, by an errno. For a path that is not here: how to write a file of a container. */
const char *fs__why_missing(const char *path, int error);
bool fs__is_same_file(const char *a, const char *b); /* false also if one is missing */
/* The last name of a file where it is, whatever link or namespace path goes through, and also if it was deleted. 0 or -errno */
int fs__file_name(const char *path, char *name, size_t size);

/* A path to the open file, valid while the descriptor is open; malloc'ed. NULL: fd is negative, or no memory. */
char *fs__path_of_fd(int fd);

/* Close descriptors; ignores negative ones. */
void fs__close_many(const int *fds, size_t nr);

#endif
