// SPDX-License-Identifier: GPL-2.0
#include "util/source/tp-order.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/programs.h"

static int read_all(int fd)
{
	char buf[64];
	ssize_t n;

	do
		n = read(fd, buf, sizeof(buf));
	while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	return n < 0 ? -errno : 0;
}

/* Go through the files of this process; before Linux 6.1, of all. */
static int run(const struct bpf_programs *p)
{
	int fd = bpf_programs__iterate_process(p, "find_order", getpid()), ret;

	if (fd < 0)
		fd = bpf_programs__iterate(p, "find_order");
	if (fd < 0)
		return fd;
	ret = read_all(fd);
	close(fd);
	return ret;
}

static int find(struct bpf_programs *p, int raw_prog, int event, enum tp_order *order)
{
	struct bpf_prog_info info = { 0 };
	u32 len = sizeof(info);
	int ret;

	if (bpf_obj_get_info_by_fd(raw_prog, &info, &len))
		return -errno;
	bpf_programs__set(p, "order_pid", (u32)getpid());
	bpf_programs__set(p, "order_fd", (u32)event);
	bpf_programs__set(p, "order_prog", info.id);
	ret = bpf_programs__load(p) ?: run(p);
	*order = ret ? TP_ORDER_UNKNOWN : bpf_programs__get(p, "order", u32);
	return ret ?: *order == TP_ORDER_UNKNOWN ? -ENOENT : 0;
}

int tp_order__find(int raw_prog, int event, enum tp_order *order, struct errmsg *err)
{
	struct bpf_programs *p = bpf_programs__open(&bpf_image_call_order);
	int ret = p ? find(p, raw_prog, event, order) : -ENOMEM;

	bpf_programs__delete(p);
	return ret ? errmsg__set(err, -ret, "cannot find out in which order BPF programs see the hits of the tracepoint, so its arguments cannot be tested: %s",
				 strerror(-ret)) : 0;
}
