// SPDX-License-Identifier: GPL-2.0
#include "util/source/tp-attach.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/kernel-features.h"

/*
 * A program of this type is attached to a perf event, but runs for the whole tracepoint: so one event is enough, which is nobody's
 * and is never enabled.
 */
static int attach_to_event(u64 id, int prog_fd)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int error, fd;

	fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return fd;
	error = errno;
	close(fd);
	return -error;
}

int tp_attach(enum tp_kind kind, u64 id, int prog_fd, int *link, struct errmsg *err)
{
	int ret;

	if (kind == TP_OTHER) {
		ret = attach_to_event(id, prog_fd);
	} else {
		ret = bpf_raw_tracepoint_open(NULL, prog_fd);
		if (ret < 0)
			ret = -errno;
	}
	*link = ret < 0 ? -1 : ret;
	return ret < 0 ? errmsg__set(err, -ret, "cannot attach a BPF program to the tracepoint: %s", strerror(-ret)) : 0;
}

u64 tp_missed(int prog_fd)
{
	struct bpf_prog_info info = { 0 };
	u32 len = sizeof(info);

	return prog_fd < 0 || bpf_obj_get_info_by_fd(prog_fd, &info, &len) ? 0 : info.recursion_misses;
}
