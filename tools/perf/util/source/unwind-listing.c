// SPDX-License-Identifier: GPL-2.0
#include "util/source/unwind-listing.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "util/lib/types.h"

int unwind_listing__read(struct bpf_programs *programs, pid_t pid, bool (*cb)(void *data, const struct unwind_mapping *m), void *data)
{
	struct unwind_mapping mapping[64];
	size_t have = 0, nr;
	bool done = false;
	int fd, ret = 0;
	ssize_t n;

	bpf_programs__set(programs, "unwind_listed_pid", (u32)pid);
	fd = bpf_programs__iterate_process(programs, "unwind_list", pid);
	if (fd < 0)
		return fd == -ESRCH ? 0 : fd;
	while (!ret && !done && (n = read(fd, (char *)mapping + have, sizeof(mapping) - have)) != 0) {
		if (n < 0) {
			ret = errno == EINTR || errno == EAGAIN ? 0 : -errno;
			continue;
		}
		have += n;
		nr = have / sizeof(*mapping);
		for (size_t i = 0; i < nr && !done; i++)
			done = cb(data, &mapping[i]);
		have -= nr * sizeof(*mapping);
		memmove(mapping, &mapping[nr], have);
	}
	close(fd);
	return ret;
}
