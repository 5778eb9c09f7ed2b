/* SPDX-License-Identifier: GPL-2.0 */
/* Tells BPF programs that include target.bpf.h whom to follow. */
#ifndef PERF_SOURCE_BPF_TARGET_H
#define PERF_SOURCE_BPF_TARGET_H

#include <linux/types.h>
#include "util/bpf_skel/target.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/source/target.h"

struct bpf_target { /* descriptors of a loaded skeleton, not owned but for the link */
	int fork_prog_fd, seed_prog_fd, seeds_map_fd;
	int fork_link_fd; /* -1: none */
};

/* Before the load: the read-only data target_config, and the size of the map target_seeds. */
int bpf_target__configure(const struct sampler_target *target, struct target_config *config, struct errmsg *err);
u32 bpf_target__nr_seeds(const struct sampler_target *target);

/*
 * After it: mark the target's tasks, and attach what follows their children. A task that has ended is no error.
 * Children that have started since target->opened_at are marked as well.
 */
int bpf_target__follow(struct bpf_target *t, const struct sampler_target *target, bool waits_for_exec, struct errmsg *err);
void bpf_target__unfollow(struct bpf_target *t);

#endif
