// SPDX-License-Identifier: GPL-2.0
#include "util/lib/foreign-fuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/fs.h"
#include "util/lib/types.h"

/* include/linux/exportfs.h, include/uapi/linux/fcntl.h: since Linux 6.5 */
#define HANDLE_INO64_GEN 0x81
#define HANDLE_FID 0x200

/* FUSE makes such handles, as do XFS, which is on a device, and some that have none of their own. */
static bool may_be_fuse(int path_fd)
{
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle = { .head.handle_bytes = MAX_HANDLE_SZ };
	int mount_id, ret = name_to_handle_at(path_fd, "", &handle.head, &mount_id, AT_EMPTY_PATH | HANDLE_FID);

	if (ret && errno == EINVAL)
		ret = name_to_handle_at(path_fd, "", &handle.head, &mount_id, AT_EMPTY_PATH);
	return !ret && handle.head.handle_type == HANDLE_INO64_GEN;
}

enum owner { UNKNOWN, OURS, FOREIGN };

/* Of a line of mountinfo, with the file system's type and options behind " - " */
static enum owner owner_of(const char *line)
{
	const char *type = strstr(line, " - "), *user = type ? strstr(type, "user_id=") : NULL;
	unsigned long id = user ? strtoul(user + strlen("user_id="), NULL, 10) : 0;

	if (!type || strncmp(type + 3, "fuse", 4) || !strncmp(type + 3, "fusectl ", 8))
		return OURS;
	return id && id != geteuid() ? FOREIGN : OURS;
}

/* dev: major and minor; NULL: any that is foreign */
static enum owner find_mount(const char *mountinfo, const u32 *dev)
{
	char *text = fs__read_file(AT_FDCWD, mountinfo, NULL), *rest = text, *line;
	enum owner owner = UNKNOWN;

	while (text && owner == UNKNOWN && (line = strsep(&rest, "\n"))) {
		u32 major, minor;

		if (sscanf(line, "%*d %*d %u:%u", &major, &minor) != 2)
			continue;
		if (dev ? major == dev[0] && minor == dev[1] : owner_of(line) == FOREIGN)
			owner = owner_of(line);
	}
	free(text);
	return owner;
}

static void mountinfo_of(const char *path, char *mountinfo, size_t size)
{
	u32 pid;

	if (sscanf(path, "/proc/%u/", &pid) == 1)
		snprintf(mountinfo, size, "/proc/%u/mountinfo", pid);
	else
		snprintf(mountinfo, size, "/proc/self/mountinfo");
}

bool foreign_fuse__has(int path_fd, const char *path)
{
	char mountinfo[64];
	enum owner owner;
	struct statx stx;

	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &stx) || stx.stx_dev_major || !may_be_fuse(path_fd))
		return false;
	mountinfo_of(path, mountinfo, sizeof(mountinfo));
	owner = find_mount(mountinfo, (const u32[]){ stx.stx_dev_major, stx.stx_dev_minor });
	if (owner == UNKNOWN)
		owner = find_mount("/proc/self/mountinfo", (const u32[]){ stx.stx_dev_major, stx.stx_dev_minor });
	return owner != OURS; /* one that is not mounted any more was anybody's */
}

bool foreign_fuse__near(const char *path)
{
	char mountinfo[64];

	mountinfo_of(path, mountinfo, sizeof(mountinfo));
	return find_mount(mountinfo, NULL) == FOREIGN;
}
