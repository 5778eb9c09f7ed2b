// SPDX-License-Identifier: GPL-2.0
#include "util/judge/pins-mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "util/lib/types.h"
#include "util/judge/filter-pins.h"

#define CLOSED (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

bool pins_mount__is_there(void)
{
	struct statfs fs;

	return !statfs(FILTER_PINS_DIR, &fs) && (u32)fs.f_type == BPF_FS_MAGIC;
}

/* Create a detached bpffs mount; -errno */
static int new_bpffs(void)
{
	int fs = fsopen("bpf", FSOPEN_CLOEXEC), fd = -1, error = 0;

	if (fs < 0)
		return -errno;
	if (!fsconfig(fs, FSCONFIG_SET_STRING, "source", "perf-filter", 0) && !fsconfig(fs, FSCONFIG_SET_STRING, "mode", "0755", 0) &&
	    !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(fs, FSMOUNT_CLOEXEC, CLOSED);
	if (fd < 0)
		error = -errno;
	close(fs);
	return error ? error : fd;
}

/* In one step: after mount(2) it would be writable until it is remounted. */
static int attach_bpffs(void)
{
	int fd = new_bpffs(), ret = fd;

	if (fd < 0)
		return ret;
	ret = move_mount(fd, "", AT_FDCWD, FILTER_PINS_DIR, MOVE_MOUNT_F_EMPTY_PATH) ? -errno : 0;
	close(fd);
	return ret;
}

int pins_mount__add(struct errmsg *err)
{
	struct mount_attr closed = { .attr_set = CLOSED };
	int ret;

	if (pins_mount__is_there())
		return mount_setattr(AT_FDCWD, FILTER_PINS_DIR, 0, &closed, sizeof(closed)) ?
		       errmsg__set(err, errno, "Cannot make " FILTER_PINS_DIR " read-only: %s", strerror(errno)) : 0;
	/* Only the perf that has made the directory mounts: of two at once, the second would hide the pins of the first. */
	if (mkdir(FILTER_PINS_DIR, 0755)) {
		if (errno != EEXIST)
			return errmsg__set(err, errno, "Cannot make the directory " FILTER_PINS_DIR ": %s", strerror(errno));
		return errmsg__set(err, EEXIST, FILTER_PINS_DIR " is there, but is no bpffs: another perf is preparing filters, or was "
				   "killed while it did.\nTry again, or remove it: rmdir " FILTER_PINS_DIR);
	}
	ret = attach_bpffs();
	if (!ret)
		return 0;
	rmdir(FILTER_PINS_DIR);
	return errmsg__set(err, -ret, "Cannot mount bpffs at " FILTER_PINS_DIR ": %s\nRun perf as root outside of containers "
			   "and user namespaces, on a kernel with CONFIG_BPF_SYSCALL.", strerror(-ret));
}

int pins_mount__open_writable(struct errmsg *err)
{
	struct mount_attr writable = { .attr_clr = MOUNT_ATTR_RDONLY };
	int fd = open_tree(AT_FDCWD, FILTER_PINS_DIR, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC), error;

	if (fd >= 0 && !mount_setattr(fd, "", AT_EMPTY_PATH, &writable, sizeof(writable)))
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	return errmsg__set(err, error, "Cannot open " FILTER_PINS_DIR " for writing: %s\nThis takes root, outside of containers, and Linux 5.12.",
			   strerror(error));
}

/* Names with a dot are reserved for the kernel (kernel/bpf/inode.c, bpf_lookup). Count all others, ours or not. 1, 0 or -errno */
static int is_empty(void)
{
	DIR *dir = opendir(FILTER_PINS_DIR);
	struct dirent *entry;
	int ret;

	if (!dir)
		return -errno;
	do {
		errno = 0;
		entry = readdir(dir);
	} while (entry && strchr(entry->d_name, '.'));
	ret = errno ? -errno : !entry;
	closedir(dir);
	return ret;
}

/* Busy: somebody has it open, or another perf is about to add to it. */
int pins_mount__remove_if_empty(struct errmsg *err)
{
	int empty;

	if (!pins_mount__is_there())
		return 0;
	empty = is_empty();
	if (!empty)
		return 0;
	if (empty < 0)
		errno = -empty;
	if (empty < 0 || umount2(FILTER_PINS_DIR, UMOUNT_NOFOLLOW) || rmdir(FILTER_PINS_DIR))
		return errmsg__set(err, errno, "The filters are removed, but " FILTER_PINS_DIR " cannot be: %s\nRun perf record "
				   "--setup-filter unpin again when no process uses it", strerror(errno));
	return 0;
}
