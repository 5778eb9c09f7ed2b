/* SPDX-License-Identifier: GPL-2.0 */
/* Whole small files of sysfs and tracefs, whose stat(2) size says nothing. */
#ifndef PERF_EVENT_FILE_H
#define PERF_EVENT_FILE_H

#include <stddef.h>

/*
 * The content of path below dirfd (AT_FDCWD: the current directory), malloc'ed and NUL-terminated; *size (may be NULL)
 * does not count the NUL. NULL with errno set on failure.
 */
char *file__read_at(int dirfd, const char *path, size_t *size);

/* The sorted names in a directory without hidden ones; NULL with errno set. End it with names__delete(). */
struct names {
	char **name;
	size_t nr;
};
struct names *names__read_at(int dirfd, const char *path);
void names__delete(struct names *names);

#endif
