// SPDX-License-Identifier: GPL-2.0
#include "util/lib/cgroup-mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILEID_KERNFS 0xfe /* include/linux/exportfs.h */

static bool is_wanted(const struct mntent *ent, const char *controller)
{
	if (!controller)
		return !strcmp(ent->mnt_type, "cgroup2");
	return !strcmp(ent->mnt_type, "cgroup") && hasmntopt(ent, controller);
}

int cgroup__mount(const char *controller, char *dir, size_t size)
{
	FILE *fp = setmntent("/proc/self/mounts", "re");
	struct mntent ent;
	char buf[PATH_MAX * 2];
	int ret = -ENOENT;

	if (!fp)
		return -errno;
	while (ret == -ENOENT && getmntent_r(fp, &ent, buf, sizeof(buf))) {
		if (is_wanted(&ent, controller))
			ret = (size_t)snprintf(dir, size, "%s", ent.mnt_dir) < size ? 0 : -ENAMETOOLONG;
	}
	endmntent(fp);
	return ret;
}

/* The handle of a kernfs node is its 64 bit id (fs/kernfs/mount.c, kernel 5.5 and newer). */
static int open_id(const char *dir, u64 id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} h = { .handle = { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS } };
	int fd, mount_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (mount_fd < 0)
		return -errno;
	memcpy(h.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(mount_fd, &h.handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(mount_fd);
	return fd;
}

int cgroup__path(u64 id, char *path, size_t size)
{
	char dir[PATH_MAX], link[32], full[PATH_MAX];
	size_t mount_len;
	ssize_t len;
	int fd, ret = cgroup__mount(NULL, dir, sizeof(dir));

	if (ret)
		return ret;
	fd = open_id(dir, id);
	if (fd < 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, full, sizeof(full) - 1);
	ret = len < 0 ? -errno : 0;
	close(fd);
	if (ret)
		return ret;
	full[len] = '\0';
	mount_len = strlen(dir);
	if (strncmp(full, dir, mount_len))
		return -ENOENT;
	return (size_t)snprintf(path, size, "%s", full[mount_len] ? full + mount_len : "/") < size ? 0 : -ENAMETOOLONG;
}
