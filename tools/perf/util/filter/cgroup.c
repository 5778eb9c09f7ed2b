// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "util/filter/cgroup.h"

/* Where the first cgroup2 file system of this mount namespace is mounted. */
static int find_mount(char *dir, size_t size)
{
	FILE *fp = setmntent("/proc/self/mounts", "re");
	struct mntent ent;
	char buf[PATH_MAX * 2];
	int rc = -ENOENT;

	if (!fp)
		return -errno;
	while (rc == -ENOENT && getmntent_r(fp, &ent, buf, sizeof(buf))) {
		if (!strcmp(ent.mnt_type, "cgroup2"))
			rc = (size_t)snprintf(dir, size, "%s", ent.mnt_dir) < size ? 0 : -ENAMETOOLONG;
	}
	endmntent(fp);
	return rc;
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (path[len] == '/' || !path[len]);
}

/*
 * The handle of a kernfs node is its 64 bit id (fs/kernfs/mount.c, kernel 5.5 and newer). A path with ".." or a
 * symbolic link could lead out of the hierarchy, hence the look at the file system's type.
 */
static int handle_id(int fd, u64 *id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(u64)];
	} h = { .handle.handle_bytes = sizeof(u64) };
	struct statfs fs;
	int mount_id;

	if (fstatfs(fd, &fs))
		return -errno;
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return -EXDEV;
	if (name_to_handle_at(fd, "", &h.handle, &mount_id, AT_EMPTY_PATH))
		return -errno;
	if (h.handle.handle_bytes != sizeof(*id))
		return -EOPNOTSUPP;
	memcpy(id, h.handle.f_handle, sizeof(*id));
	return 0;
}

int cgroup__id(const char *path, u64 *id, char *why, size_t size)
{
	char dir[PATH_MAX], full[2 * PATH_MAX];
	int fd, rc;

	rc = find_mount(dir, sizeof(dir));
	if (rc) {
		snprintf(why, size, "no cgroup v2 file system is mounted (mount -t cgroup2 none DIR)");
		return rc;
	}
	if (strlen(path) >= PATH_MAX) {
		snprintf(why, size, "its path is too long");
		return -ENAMETOOLONG;
	}
	snprintf(full, sizeof(full), "%s/%s", is_below(path, dir) ? "" : dir, path);
	fd = open(full, O_PATH | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -errno : handle_id(fd, id);
	if (fd >= 0)
		close(fd);
	if (rc == -ENOENT)
		snprintf(why, size, "there is no such directory below %s", dir);
	else if (rc == -ENOTDIR || rc == -EXDEV)
		snprintf(why, size, "it is not a cgroup's directory below %s", dir);
	else if (rc)
		snprintf(why, size, "%s", strerror(-rc));
	return rc;
}
