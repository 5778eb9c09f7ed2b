/* SPDX-License-Identifier: GPL-2.0 */
/* Waits until all BPF programs that are running at the call have ended; later ones see the state from before the call. */
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
