// SPDX-License-Identifier: GPL-2.0
/*
 * A library to preload that ends perf with SIGABRT where it asks for so much at once that only a number that some file claims can be the
 * reason. That would be no trouble yet, as memory that is not touched costs nothing, or no memory is taken for damage, but elsewhere it is.
 *
 * zstd takes up to 128 MiB for the window that a frame names: other files cannot be unpacked with less.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);

#define LARGE (192ul << 20)

static void judge(size_t nr, size_t size)
{
	char line[64];
	size_t bytes;
	int len;

	if (!__builtin_mul_overflow(nr, size, &bytes) && bytes < LARGE)
		return;
	len = snprintf(line, sizeof(line), "an allocation of %zu times %zu bytes\n", nr, size);
	if (write(2, line, len) == len)
		abort();
	_exit(125);
}

void *malloc(size_t size)
{
	judge(1, size);
	return __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	judge(nr, size);
	return __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	judge(1, size);
	return __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t nr, size_t size)
{
	judge(nr, size);
	return __libc_realloc(old, nr * size);
}
