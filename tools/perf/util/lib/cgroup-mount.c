// SPDX-License-Identifier: GPL-2.0
#include "util/lib/cgroup-mount.h"

#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
