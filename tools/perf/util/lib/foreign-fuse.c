// SPDX-License-Identifier: GPL-2.0
#include "util/lib/foreign-fuse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
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

/* options: those of the file system, where FUSE says who has mounted it */
static enum owner owner_of(const char *type, const char *options)
{
	const char *user = strstr(options, "user_id=");
	unsigned long id = user ? strtoul(user + strlen("user_id="), NULL, 10) : 0;

	if (!strcmp(type, "overlay"))
		return OVERLAY;
	if (strncmp(type, "fuse", 4) || !strcmp(type, "fusectl"))
		return OURS;
	return id && id != geteuid() ? FOREIGN : OURS;
}

/* Of a line of mountinfo, with the file system's type, its device and its options behind " - ". The line is cut. */
static enum owner owner_of_line(char *line)
{
	char *rest = strstr(line, " - "), *type;

	if (!rest)
		return OURS;
	rest += strlen(" - ");
	type = strsep(&rest, " ");
	return owner_of(type, rest ?: "");
}

/* Anybody may have a namespace with 100,000 mounts. Then what is behind this much of them is not known. */
#define MAX_MOUNTINFO (512U << 10)

/* mount_id: as in the first column; NULL: any that is foreign. UNKNOWN: there is no such mount, or there are too many (*is_cut). */
static enum owner find_mount(const char *mountinfo, const u64 *mount_id, bool *is_cut)
{
	FILE *lines = fopen(mountinfo, "re");
	enum owner owner = UNKNOWN;
	char *line = NULL;
	size_t room = 0, nr_bytes = 0;
	ssize_t size;

	*is_cut = false;
	while (lines && owner == UNKNOWN && (size = getline(&line, &room, lines)) > 0) {
		nr_bytes += size;
		*is_cut = nr_bytes > MAX_MOUNTINFO;
		if (*is_cut)
			break;
		if (mount_id && strtoull(line, NULL, 10) != *mount_id)
			continue;
		owner = owner_of_line(line);
		if (!mount_id && owner != FOREIGN)
			owner = UNKNOWN;
	}
	free(line);
	if (lines)
		fclose(lines);
	return owner;
}

/*
 * statmount(2): include/uapi/linux/mount.h. Since Linux 6.8, with options and of other namespaces since 6.11. It finds a mount by its number, however
 * many there are.
 */
#define SYS_STATMOUNT 457
#define STATMOUNT_HAS_FS_TYPE 0x20
#define STATMOUNT_HAS_OPTIONS 0x80
#define STATX_UNIQUE_MOUNT 0x4000 /* STATX_MNT_ID_UNIQUE */
#define NS_MOUNTNS_ID _IOR(0xb7, 0x5, u64) /* NS_GET_MNTNS_ID; include/uapi/linux/nsfs.h */

struct mount_request { /* struct mnt_id_req */
	u32 size, spare;
	u64 mount_id, param, namespace_id;
};

struct mount_answer { /* struct statmount; texts by their offset in str[] */
	u32 size, options;
	u64 mask;
	u32 sb_dev_major, sb_dev_minor;
	u64 sb_magic;
	u32 sb_flags, fs_type;
	u64 others[59];
	char str[4096];
};
_Static_assert(offsetof(struct mount_answer, fs_type) == 36 && offsetof(struct mount_answer, str) == 512, "as in the kernel");

/* -1: the mount, or the call, is not there. Without namespace (0) it is looked for in ours. */
static int ask_mount(u64 mount_id, u64 namespace_id, struct mount_answer *answer)
{
	const u64 wanted = STATMOUNT_HAS_FS_TYPE | STATMOUNT_HAS_OPTIONS;
	const struct mount_request request = {
		.size = namespace_id ? sizeof(request) : offsetof(struct mount_request, namespace_id),
		.mount_id = mount_id, .param = wanted, .namespace_id = namespace_id,
	};

	if (syscall(SYS_STATMOUNT, &request, answer, sizeof(*answer), 0))
		return -1;
	if (!(answer->mask & STATMOUNT_HAS_FS_TYPE) || answer->fs_type >= sizeof(answer->str)) {
		errno = ENOSYS;
		return -1;
	}
	if (!(answer->mask & STATMOUNT_HAS_OPTIONS)) /* it has none */
		answer->options = answer->fs_type + strlen(answer->str + answer->fs_type);
	return 0;
}

/* 0: not known */
static u64 namespace_id_of(u32 pid)
{
	char path[64];
	u64 id = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, NS_MOUNTNS_ID, &id))
		id = 0;
	if (fd >= 0)
		close(fd);
	return id;
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

#define MAX_CONNECTIONS 1024 /* that are looked at: a user may have 100,000 */

/* May another user serve a file system at all? The directory of a connection belongs to who has mounted it. */
static bool others_may_serve(void)
{
	int fd = open_connections(), left = MAX_CONNECTIONS;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool any = !dir;
	struct stat st;

	while (!any && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && !fstatat(fd, entry->d_name, &st, 0))
			any = (st.st_uid && st.st_uid != geteuid()) || !--left;
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

/* Of the mount with that number in the namespace of this process. UNKNOWN: it is not there. */
static enum owner find_by_statmount(u32 pid, u64 unique_id, bool *is_known)
{
	const u64 namespace_id = namespace_id_of(pid);
	struct mount_answer answer;

	*is_known = namespace_id && !ask_mount(unique_id, namespace_id, &answer);
	if (*is_known)
		return owner_of(answer.str + answer.fs_type, answer.str + answer.options);
	*is_known = namespace_id && errno == ENOENT;
	return UNKNOWN;
}

static enum owner find_by_mountinfo(u32 pid, u64 mount_id)
{
	char mountinfo[64];
	bool is_cut;

	snprintf(mountinfo, sizeof(mountinfo), "/proc/%u/mountinfo", pid);
	return find_mount(mountinfo, &mount_id, &is_cut);
}

struct mount_ids {
	u64 unique, old; /* for statmount(2), 0: not known; and as in mountinfo */
};

static enum owner find_mount_of(u32 pid, const struct mount_ids *ids)
{
	bool is_known = false;
	enum owner owner = ids->unique ? find_by_statmount(pid, ids->unique, &is_known) : UNKNOWN;

	if (!is_known)
		owner = find_by_mountinfo(pid, ids->old);
	if (owner == OVERLAY)
		owner = is_our_namespace(pid) ? OURS : FOREIGN;
	return owner;
}

static u64 unique_mount_id(int path_fd)
{
	struct statx stx;

	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UNIQUE_MOUNT, &stx) || !(stx.stx_mask & STATX_UNIQUE_MOUNT))
		return 0;
	return stx.stx_mnt_id;
}

bool foreign_fuse__has(int path_fd, const char *path)
{
	struct mount_ids ids;
	enum owner owner;
	struct statx stx;
	int mount_id;

	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &stx) || stx.stx_dev_major || !may_be_fuse(path_fd, &mount_id))
		return false;
	if (!others_may_serve())
		return false;
	ids = (struct mount_ids){ .unique = unique_mount_id(path_fd), .old = mount_id };
	owner = find_mount_of(pid_of(path), &ids);
	if (owner == UNKNOWN)
		owner = find_mount_of(getpid(), &ids);
	return owner != OURS; /* one that is not mounted any more was anybody's */
}

bool foreign_fuse__near(const char *path)
{
	char mountinfo[64];
	bool is_cut;

	if (!others_may_serve())
		return false;
	snprintf(mountinfo, sizeof(mountinfo), "/proc/%u/mountinfo", pid_of(path));
	return find_mount(mountinfo, NULL, &is_cut) == FOREIGN || is_cut;
}
