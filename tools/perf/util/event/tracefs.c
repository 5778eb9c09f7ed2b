// SPDX-License-Identifier: GPL-2.0
#include "util/event/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/event/tracepoint.h"
#include "util/lib/advice.h"
#include "util/lib/fs.h"
#include "util/lib/types.h"

static int open_mounted(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		int fd = open(paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		struct statfs fs;

		if (fd < 0)
			continue;
		if (!fstatfs(fd, &fs) && fs.f_type == TRACEFS_MAGIC)
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* A detached mount: nobody else sees it, and the kernel drops it with its descriptor (Linux 5.2). */
static int open_detached(void)
{
	int fs = fsopen("tracefs", FSOPEN_CLOEXEC), fd = -1, err = 0;

	if (fs < 0)
		return -errno;
	if (!fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	if (fd < 0)
		err = -errno;
	close(fs);
	return err ? err : fd;
}

static int root = -1;

/* Close it only at exit: the last look-up of a command is unknown before its end. */
__attribute__((destructor)) static void close_root(void)
{
	if (root >= 0)
		close(root);
	root = -1;
}

int tracefs__root(struct errmsg *err)
{
	if (root >= 0)
		return root;
	root = open_mounted();
	if (root < 0)
		root = open_detached();
	if (root >= 0)
		return root;
	if (root == -EPERM || root == -EACCES)
		return errmsg__set(err, EACCES, "tracepoints cannot be looked up: tracefs is not mounted, and this process may not mount it\n"
				   "  %s, or have root run: mount -t tracefs nodev /sys/kernel/tracing", advice__root_within());
	return errmsg__set(err, -root, "tracepoints cannot be looked up: tracefs cannot be mounted: %s\n"
			   "  the kernel needs CONFIG_TRACING", strerror(-root));
}

char *tracefs__read(const char *path, size_t *size)
{
	int dir = tracefs__root(NULL);

	if (dir < 0) {
		errno = -dir;
		return NULL;
	}
	return fs__read_file(dir, path, size);
}
