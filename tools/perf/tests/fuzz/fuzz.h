/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each file in this folder is a target of libFuzzer (make fuzz): it passes one arbitrary input to a part of perf that reads
 * untrusted data. A finding is a crash, a report of a sanitizer, memory beyond -rss_limit_mb, or an input that takes longer than
 * -timeout.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/lib/types.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The input as a file: a descriptor, and its path. An error here is no finding in perf, but ends the run all the same. */
static inline int fuzz__open_file(const void *data, size_t size, char path[32])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* A stream that drops its output. */
static inline FILE *fuzz__sink(void)
{
	static FILE *sink;

	if (!sink)
		sink = fopen("/dev/null", "w");
	if (!sink)
		abort();
	return sink;
}

/* Take the first size bytes of the input, padded with zeros. */
static inline void fuzz__take(const u8 **data, size_t *left, void *dst, size_t size)
{
	size_t there = size < *left ? size : *left;

	memset(dst, 0, size);
	memcpy(dst, *data, there);
	*data += there;
	*left -= there;
}

/* A copy with a NUL after it, so that the sanitizer sees reads beyond it. */
static inline char *fuzz__text(const u8 *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
