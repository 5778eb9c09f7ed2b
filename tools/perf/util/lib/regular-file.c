// SPDX-License-Identifier: GPL-2.0
#include "util/lib/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/lib/types.h"

/*
 * Reopen path_fd, which refers to a file without having opened it (O_PATH), and close it: so the file that was checked is the one
 * that is opened. O_NONBLOCK: the owner of a file may hold a lease on it (fcntl(2)), which would block an open.
 */
static int open_referred(int path_fd)
{
	char link[64];
	struct stat st;
	int fd;

	if (path_fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	if (fstat(path_fd, &st)) {
		fd = -errno;
	} else if (!S_ISREG(st.st_mode)) {
		fd = -EINVAL;
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
	return open_referred(open(path, O_PATH | O_CLOEXEC | nofollow));
}

static int refer_in(const char *root, const char *path, u64 flags)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (root_fd < 0)
		return -errno;
	do { /* EAGAIN: something was renamed in the meantime, and ".." might have led out */
		fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	} while (fd < 0 && errno == EAGAIN);
	fd = fd < 0 ? -errno : fd;
	close(root_fd);
	return fd;
}

int regular_file__open_in(const char *root, const char *path, int nofollow)
{
	int fd = refer_in(root, path, nofollow);

	return fd < 0 ? fd : open_referred(fd);
}

int regular_file__open_dir_in(const char *root, const char *path)
{
	return refer_in(root, path, O_DIRECTORY);
}
