/* SPDX-License-Identifier: GPL-2.0 */
/* Other programs: where they are, and what they print. */
#ifndef PERF_LIB_PROGRAM_H
#define PERF_LIB_PROGRAM_H

/* The first executable file with this name in the absolute directories of PATH, malloc'ed; NULL: none, or no memory. */
char *program__find(const char *name);

/*
 * What the program argv[0], a path, prints to its standard output until it ends: malloc'ed, at most 64 KiB of it. Its standard input and
 * error are /dev/null. NULL with errno set if it could not be started or read.
 */
char *program__output(char *const *argv);

/*
 * Call line for each line of that output, without its end. Returns the program's exit status (128 and more: a signal ended it); -errno if it could not be
 * started or read, or what line returned, if negative, which ends the program.
 */
int program__for_each_line(char *const *argv, int (*line)(const char *line, void *data), void *data);

#endif
