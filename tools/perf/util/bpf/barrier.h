/* SPDX-License-Identifier: GPL-2.0 */
/* Waits until no BPF program runs any more that was running when it was asked to: what they may have seen before is history then. */
#ifndef PERF_BPF_BARRIER_H
#define PERF_BPF_BARRIER_H

#include "util/lib/errmsg.h"

struct bpf_barrier {
	int inner_fd; /* any map, which must outlive the barrier */
	int outer_fd;
};
#define BPF_BARRIER_NONE { -1, -1 }

int bpf_barrier__init(struct bpf_barrier *b, int map_fd, struct errmsg *err);
int bpf_barrier__wait(const struct bpf_barrier *b); /* 0 or -errno */
void bpf_barrier__exit(struct bpf_barrier *b);

#endif
