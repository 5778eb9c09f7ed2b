// SPDX-License-Identifier: GPL-2.0
/*
 * A library to preload that cuts the file CUT_FILE to CUT_SIZE bytes, as another process may: as soon as it has been mapped, or, if CUT_LATE
 * is set, when the first part of it has been read.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_the_file(int fd)
{
	const char *path = getenv("CUT_FILE");
	struct stat mapped, st;

	return path && fd >= 0 && !fstat(fd, &mapped) && !stat(path, &st) && st.st_ino == mapped.st_ino && st.st_dev == mapped.st_dev;
}

static void cut(void)
{
	if (truncate(getenv("CUT_FILE"), atol(getenv("CUT_SIZE"))))
		abort();
}

void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *map = (void *)syscall(SYS_mmap, addr, size, prot, flags, fd, offset);

	if (map != MAP_FAILED && is_the_file(fd) && !getenv("CUT_LATE"))
		cut();
	return map;
}

int madvise(void *addr, size_t size, int advice)
{
	if (advice == MADV_DONTNEED && getenv("CUT_LATE"))
		cut();
	return syscall(SYS_madvise, addr, size, advice);
}
