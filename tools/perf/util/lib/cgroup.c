// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "util/lib/cgroup.h"
#include "util/lib/cgroup-mount.h"

#define FILEID_KERNFS 0xfe /* include/linux/exportfs.h */

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (path[len] == '/' || !path[len]);
}

/*
 * The handle of a kernfs node is its 64 bit id (fs/kernfs/mount.c, kernel 5.5 and newer). A path with ".." or a symbolic link could
 * lead out of the hierarchy, so check the file system's type.
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

static int explain(int rc, const char *dir, char *why, size_t size)
{
	if (rc == -ENOENT)
		snprintf(why, size, "there is no such directory below %s", dir);
	else if (rc == -ENOTDIR || rc == -EXDEV)
		snprintf(why, size, "it is not a cgroup's directory below %s", dir);
	else if (rc)
		snprintf(why, size, "%s", strerror(-rc));
	return rc;
}

static int open_mount(char *dir, size_t dir_size, char *why, size_t size)
{
	int rc = cgroup__mount(NULL, dir, dir_size);

	if (rc)
		snprintf(why, size, "no cgroup v2 file system is mounted (mount -t cgroup2 none DIR)");
	return rc;
}

/* Open the cgroup's directory, and get its id. */
static int open_path(const char *path, u64 *id, char *why, size_t size)
{
	char dir[PATH_MAX], full[2 * PATH_MAX];
	int fd, rc;

	rc = open_mount(dir, sizeof(dir), why, size);
	if (rc)
		return rc;
	if (strlen(path) >= PATH_MAX) {
		snprintf(why, size, "its path is too long");
		return -ENAMETOOLONG;
	}
	snprintf(full, sizeof(full), "%s/%s", is_below(path, dir) ? "" : dir, path);
	fd = open(full, O_PATH | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -errno : handle_id(fd, id);
	if (rc && fd >= 0)
		close(fd);
	return rc ? explain(rc, dir, why, size) : fd;
}

int cgroup__id(const char *path, u64 *id, char *why, size_t size)
{
	int fd = open_path(path, id, why, size);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Go up to the root, the only cgroup without a type (kernfs: CFTYPE_NOT_ON_ROOT), and close fd. */
static int count_levels(int fd, unsigned int *level, char *why, size_t size)
{
	int parent, rc = 0;
	u64 id;

	for (*level = 0; !rc && !faccessat(fd, "cgroup.type", F_OK, 0); ++*level) {
		parent = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		rc = parent < 0 ? -errno : handle_id(parent, &id);
		close(fd);
		fd = parent;
	}
	if (fd >= 0)
		close(fd);
	if (rc)
		snprintf(why, size, "the hierarchy above the mount point cannot be seen from here (perf runs in a cgroup namespace)");
	if (!rc && *level > UINT8_MAX) {
		snprintf(why, size, "it is more than %u levels deep", UINT8_MAX);
		rc = -E2BIG;
	}
	return rc;
}

int cgroup__level(const char *path, unsigned int *level, char *why, size_t size)
{
	u64 id;
	int fd = open_path(path, &id, why, size);

	return fd < 0 ? fd : count_levels(fd, level, why, size);
}

int cgroup__level_of_id(u64 id, unsigned int *level, char *why, size_t size)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(u64)];
	} h = { .handle = { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS } };
	char dir[PATH_MAX];
	int mount_fd, fd, rc;

	rc = open_mount(dir, sizeof(dir), why, size);
	if (rc)
		return rc;
	memcpy(h.handle.f_handle, &id, sizeof(id));
	mount_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = mount_fd < 0 ? -1 : open_by_handle_at(mount_fd, &h.handle, O_PATH | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -errno : 0;
	if (mount_fd >= 0)
		close(mount_fd);
	if (rc == -ESTALE)
		snprintf(why, size, "there is no cgroup with this id");
	else if (rc)
		snprintf(why, size, "its place in the hierarchy cannot be read: %s; name it by its path", strerror(-rc));
	return rc ? rc : count_levels(fd, level, why, size);
}
