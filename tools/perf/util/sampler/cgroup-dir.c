// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/cgroup-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "util/lib/cgroup-mount.h"

int cgroup_dir__open(const char *path, struct errmsg *err)
{
	char mount[PATH_MAX], dir[2 * PATH_MAX];
	int fd;

	if (cgroup__mount("perf_event", mount, sizeof(mount)) && cgroup__mount(NULL, mount, sizeof(mount)))
		return errmsg__set(err, ENOENT, "cgroup \"%s\": no cgroup file system is mounted (mount -t cgroup2 none DIR)", path);
	if ((size_t)snprintf(dir, sizeof(dir), "%s/%s", mount, path) >= sizeof(dir))
		return errmsg__set(err, ENAMETOOLONG, "the path of a cgroup is too long: %.40s...", path);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == ENOTDIR)
		return errmsg__set(err, ENOENT, "there is no cgroup \"%s\" below %s", path, mount);
	return errmsg__set(err, errno, "cannot open cgroup %s: %s", dir, strerror(errno));
}
