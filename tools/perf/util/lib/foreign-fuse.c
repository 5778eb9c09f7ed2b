// SPDX-License-Identifier: GPL-2.0
#include "util/lib/foreign-fuse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "util/lib/fs.h"
#include "util/lib/types.h"

/* include/linux/exportfs.h, include/uapi/linux/fcntl.h: since Linux 6.5 */
#define HANDLE_INO64_GEN 0x81
#define HANDLE_FID 0x200
#define FUSE_CTL_SUPER_MAGIC 0x65735543 /* fs/fuse/control.c */

/* fs/overlayfs/overlayfs.h: handles of files in overlays, since Linux 6.6, hold that of the file in its layer, and its type. */
#define HANDLE_OVERLAY 0xf8
#define OVERLAY_HEAD 24
#define OVERLAY_TYPE_AT 7

/* FUSE makes such handles, as do XFS, and file systems that have none of their own. */
static bool may_be_fuse(int path_fd, int *mount_id)
{
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle = { .head.handle_bytes = MAX_HANDLE_SZ };
	int ret = name_to_handle_at(path_fd, "", &handle.head, mount_id, AT_EMPTY_PATH | HANDLE_FID), type;
	const struct file_handle *head = &handle.head;

	if (ret && errno == EINVAL)
		ret = name_to_handle_at(path_fd, "", &handle.head, mount_id, AT_EMPTY_PATH);
	if (ret)
		return false;
	type = head->handle_type;
	for (u32 at = 0; type == HANDLE_OVERLAY && head->handle_bytes - at >= OVERLAY_HEAD; at += OVERLAY_HEAD)
		type = head->f_handle[at + OVERLAY_TYPE_AT];
	return type == HANDLE_INO64_GEN;
}

enum owner { UNKNOWN, OURS, FOREIGN, OVERLAY /* of whoever is root where it is mounted */ };

/* Of a line of mountinfo, with the file system's type and options behind " - " */
static enum owner owner_of(const char *line)
{
	const char *type = strstr(line, " - "), *user = type ? strstr(type, "user_id=") : NULL;
	unsigned long id = user ? strtoul(user + strlen("user_id="), NULL, 10) : 0;

	if (type && !strncmp(type + 3, "overlay ", 8))
		return OVERLAY;
	if (!type || strncmp(type + 3, "fuse", 4) || !strncmp(type + 3, "fusectl ", 8))
		return OURS;
	return id && id != geteuid() ? FOREIGN : OURS;
}

/* mount_id: as in the first column; NULL: any that is foreign */
static enum owner find_mount(const char *mountinfo, const int *mount_id)
{
	char *text = fs__read_file(AT_FDCWD, mountinfo, NULL), *rest = text, *line;
	enum owner owner = UNKNOWN;

	while (text && owner == UNKNOWN && (line = strsep(&rest, "\n"))) {
		int id;

		if (sscanf(line, "%d", &id) != 1)
			continue;
		if (mount_id ? id == *mount_id : owner_of(line) == FOREIGN)
			owner = owner_of(line);
	}
	free(text);
	return owner;
}

/* Is the mount namespace of that process one where only root of our user namespace can mount? */
static bool is_our_namespace(u32 pid)
{
	struct stat own, its;
	char path[64];
	int fd, user_fd;
	bool is_ours;

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	user_fd = fd < 0 ? -1 : ioctl(fd, NS_GET_USERNS);
	is_ours = user_fd >= 0 && !fstat(user_fd, &its) && !stat("/proc/self/ns/user", &own) && its.st_ino == own.st_ino && its.st_dev == own.st_dev;
	if (user_fd >= 0)
		close(user_fd);
	if (fd >= 0)
		close(fd);
	return is_ours;
}

/* A directory with one for each connection of FUSE in all namespaces, also of file systems that are not mounted any more; -1: cannot tell */
static int open_connections(void)
{
	int dir = open("/sys/fs/fuse/connections", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fs, mount = -1;
	struct statfs stat;

	if (dir >= 0 && !fstatfs(dir, &stat) && stat.f_type == FUSE_CTL_SUPER_MAGIC)
		return dir;
	if (dir >= 0)
		close(dir);
	fs = fsopen("fusectl", FSOPEN_CLOEXEC);
	if (fs >= 0 && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY); /* nowhere: it ends with the descriptor */
	dir = mount < 0 ? -1 : openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mount >= 0)
		close(mount);
	if (fs >= 0)
		close(fs);
	return dir;
}

/* May another user serve a file system at all? The directory of a connection belongs to who has mounted it. */
static bool others_may_serve(void)
{
	int fd = open_connections();
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool any = !dir;
	struct stat st;

	while (!any && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && !fstatat(fd, entry->d_name, &st, 0))
			any = st.st_uid && st.st_uid != geteuid();
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return any;
}

/* The process that this is a path of; otherwise this one */
static u32 pid_of(const char *path)
{
	u32 pid;

	return sscanf(path, "/proc/%u/", &pid) == 1 ? pid : (u32)getpid();
}

static enum owner find_mount_of(u32 pid, const int *mount_id)
{
	char mountinfo[64];
	enum owner owner;

	snprintf(mountinfo, sizeof(mountinfo), "/proc/%u/mountinfo", pid);
	owner = find_mount(mountinfo, mount_id);
	if (owner == OVERLAY)
		owner = is_our_namespace(pid) || !others_may_serve() ? OURS : FOREIGN;
	return owner;
}

bool foreign_fuse__has(int path_fd, const char *path)
{
	enum owner owner;
	struct statx stx;
	int mount_id;

	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &stx) || stx.stx_dev_major || !may_be_fuse(path_fd, &mount_id))
		return false;
	owner = find_mount_of(pid_of(path), &mount_id);
	if (owner == UNKNOWN)
		owner = find_mount_of(getpid(), &mount_id);
	return owner != OURS; /* one that is not mounted any more was anybody's */
}

bool foreign_fuse__near(const char *path)
{
	return find_mount_of(pid_of(path), NULL) == FOREIGN;
}
