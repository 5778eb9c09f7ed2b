// SPDX-License-Identifier: GPL-2.0
/*
 * A library to preload that lets the NO_MEMORY-th allocation fail, of those that perf makes itself or by libc's functions, and then writes
 * "failed" to the file NO_MEMORY_TELLS. Without NO_MEMORY it writes there at the end how many there were.
 *
 * With NO_MEMORY_OF=tsearch just the entries of tsearch() are counted, in which libdw remembers units.
 *
 * Not counted are other libraries', since some stumble over their own failures (libdw 0.188 runs into an assertion), and regcomp()'s, since
 * glibc 2.36 frees twice then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static atomic_ulong calls;
static unsigned long failing;
static int tells = -1, only_tsearch;
static __thread int not_counted;

static void __attribute__((constructor)) begin(void)
{
	const char *number = getenv("NO_MEMORY"), *path = getenv("NO_MEMORY_TELLS");

	failing = number ? strtoul(number, NULL, 10) : 0;
	tells = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	only_tsearch = !!getenv("NO_MEMORY_OF");
	unsetenv("LD_PRELOAD"); /* not for the commands that perf runs */
}

static void __attribute__((destructor)) end(void)
{
	char line[32];
	int len = snprintf(line, sizeof(line), "%lu\n", (unsigned long)calls);

	if (!failing && write(tells, line, len) != len)
		_exit(125);
}

static int counts(const void *caller)
{
	const char *name;
	Dl_info info;

	if (not_counted || !dladdr(caller, &info))
		return 0;
	name = strrchr(info.dli_fname, '/');
	return !strncmp(name ? name : info.dli_fname, "/libc.so", 8) || !strstr(info.dli_fname, ".so");
}

static int fails_now(void)
{
	if (tells < 0 || ++calls != failing)
		return 0;
	if (write(tells, "failed\n", 7) != 7)
		_exit(125);
	errno = ENOMEM;
	return 1;
}

static int fails(const void *caller)
{
	return !only_tsearch && counts(caller) && fails_now();
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t nr, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

int regcomp(regex_t *preg, const char *pattern, int cflags)
{
	int (*real)(regex_t *, const char *, int) = (int (*)(regex_t *, const char *, int))dlsym(RTLD_NEXT, "regcomp");
	int ret;

	not_counted++;
	ret = real(preg, pattern, cflags);
	not_counted--;
	return ret;
}

void *tsearch(const void *key, void **root, int (*cmp)(const void *, const void *))
{
	void *(*real)(const void *, void **, int (*)(const void *, const void *)) = dlsym(RTLD_NEXT, "tsearch");

	return only_tsearch && fails_now() ? NULL : real(key, root, cmp);
}
