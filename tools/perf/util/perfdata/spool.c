// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int spool__open(struct errmsg *err)
{
	int fd = open(getenv("TMPDIR") ?: "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0) /* the file system does not support unnamed files */
		fd = memfd_create("perf.data", MFD_CLOEXEC);
	return fd < 0 ? errmsg__set(err, errno, "Cannot make a temporary file: %m") : fd;
}

int spool__write(int fd, const void *data, size_t size, struct errmsg *err)
{
	const char *at = data;

	while (size) {
		ssize_t nr = write(fd, at, size);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return errmsg__set(err, nr ? errno : EIO, "Cannot keep the recording in a temporary file: %m (TMPDIR names where)");
		at += nr;
		size -= nr;
	}
	return 0;
}
