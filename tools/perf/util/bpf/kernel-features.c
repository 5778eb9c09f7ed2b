// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/kernel-features.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "util/lib/types.h"

int sys_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

static bool has_lost(const struct perf_event_attr *attr)
{
	return attr->read_format & PERF_FORMAT_LOST;
}

static void set_lost(struct perf_event_attr *attr, bool on)
{
	attr->read_format = on ? attr->read_format | PERF_FORMAT_LOST : attr->read_format & ~(u64)PERF_FORMAT_LOST;
}

static const struct {
	bool (*has)(const struct perf_event_attr *attr);
	void (*set)(struct perf_event_attr *attr, bool on);
} features[] = {
	{ has_lost, set_lost },		/* kernel 6.0 */
};

/* An attr that the kernel does not know returns EINVAL; any other failure (no privilege, no descriptors) proves nothing. */
static bool kernel_has(unsigned int row)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
		.exclude_kernel = 1,
	};
	int fd;

	features[row].set(&attr, true);
	fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno != EINVAL;
	close(fd);
	return true;
}

bool kernel_features__strip(struct kernel_features *kf, struct perf_event_attr *attr)
{
	bool changed = false;
	unsigned int row;

	for (row = 0; row < ARRAY_SIZE(features); row++) {
		if (!features[row].has(attr))
			continue;
		if (!(kf->probed & 1u << row)) {
			kf->probed |= 1u << row;
			if (!kernel_has(row))
				kf->missing |= 1u << row;
		}
		if (kf->missing & 1u << row) {
			features[row].set(attr, false);
			changed = true;
		}
	}
	return changed;
}
