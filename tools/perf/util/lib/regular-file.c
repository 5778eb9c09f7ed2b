// SPDX-License-Identifier: GPL-2.0
#include "util/lib/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/lib/foreign-fuse.h"
#include "util/lib/types.h"

/*
 * Reopen path_fd, which refers to a file without having opened it (O_PATH), and close it: so the file that was checked is the one
 * that is opened. O_NONBLOCK: the owner of a file may hold a lease on it (fcntl(2)), which would block an open.
 */
static int open_referred(int path_fd, const char *path)
{
	char link[64];
	struct statx stx;
	int fd;

	if (path_fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &stx)) {
		fd = -errno;
	} else if (!S_ISREG(stx.stx_mode)) {
		fd = -EINVAL;
	} else if (foreign_fuse__has(path_fd, path)) {
		fd = -EREMOTE;
	} else {
		fd = open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			fd = errno == ENOENT ? -ENOSYS : -errno;
	}
	close(path_fd);
	return fd;
}

int regular_file__open(const char *path, int nofollow)
{
	return open_referred(open(path, O_PATH | O_CLOEXEC | nofollow), path);
}

static int open_below(int root_fd, const char *path, const struct open_how *how)
{
	int fd;

	do { /* EAGAIN: something was renamed in the meantime, and ".." might have led out */
		fd = syscall(SYS_openat2, root_fd, path, how, sizeof(*how));
	} while (fd < 0 && errno == EAGAIN && !(how->resolve & RESOLVE_CACHED));
	return fd < 0 ? -errno : fd;
}

/* Below FUSE of another user only what the kernel knows already: no step on the way is to ask it. */
static int refer_in(const char *root, const char *path, u64 flags)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;
	bool is_foreign;

	if (root_fd < 0)
		return -errno;
	is_foreign = foreign_fuse__near(root) || foreign_fuse__has(root_fd, root);
	how.resolve |= is_foreign ? RESOLVE_CACHED : 0;
	fd = open_below(root_fd, path, &how);
	close(root_fd);
	return is_foreign && (fd == -EAGAIN || fd == -EINVAL) ? -EREMOTE : fd; /* -EINVAL: before Linux 5.12 */
}

int regular_file__open_in(const char *root, const char *path, int nofollow)
{
	int fd = refer_in(root, path, nofollow);

	return fd < 0 ? fd : open_referred(fd, root);
}

int regular_file__open_dir_in(const char *root, const char *path)
{
	return refer_in(root, path, O_DIRECTORY);
}
